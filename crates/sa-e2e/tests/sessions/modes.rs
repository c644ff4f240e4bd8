//! Every combination of modes does what `GET /v1/agents/{agent}/modes` says, on the demo agent.

use crate::api::{Api, of_kind};
use anyhow::{Context, Result};
use sa_testkit::Daemon;
use serde_json::{Value, json};

#[tokio::test]
async fn every_combination_does_what_the_list_says() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let listed = daemon.http().get("/v1/agents/demo/modes").send().await?.json()?;
    let policy = json!({"timeoutMs": 1, "onTimeout": "reject"});
    for (number, one) in listed["combinations"].as_array().unwrap().iter().enumerate() {
        let id = format!("s{number}");
        let modes = json!({"agentMode": one["agentMode"], "permissionMode": one["permissionMode"]});
        let mut body = json!({"agent": "demo", "policy": policy});
        body.as_object_mut().unwrap().extend(modes.as_object().unwrap().clone());
        let created = api.post(&format!("/{id}"), &body).await?;
        if one["supported"] == json!(false) {
            let problem = created.expect_problem(422, "unsupported").context(modes.to_string())?;
            assert_eq!(json!(problem.detail), one["reason"], "{modes}");
            continue;
        }
        assert_eq!(api.session(&id).await?["choices"]["mode"], one["nativeMode"], "{one}");
        let events = api.turn(&id, "edit notes.txt").await?;
        let by: Vec<Value> =
            of_kind(&events, "permissionResolved").iter().map(|resolved| resolved["by"].clone()).collect();
        let completed = events.iter().any(|event| event.to_string().contains(r#""status":"completed""#));
        let (asked, done): (&[&str], bool) = match (one["effect"].as_str(), one["enforcedBy"].as_str()) {
            (Some("asks"), Some("agent")) => (&["timeout"], false),
            (Some("readOnly"), Some("agent")) => (&[], false),
            (Some("neverAsks"), Some("agent")) => (&[], true),
            (Some("neverAsks"), Some("daemon")) => (&["permissionMode"], true),
            other => panic!("{other:?} in {one}"),
        };
        assert_eq!((by, completed), (asked.iter().map(|by| json!(by)).collect(), done), "{one}: {events:#?}");
    }
    Ok(())
}

/// `build` is ours on every agent, and means the mode for `permissionMode`.
#[tokio::test]
async fn the_modes_of_one_answer_agree() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let session = api.create("s").await?;
    let facts = (&session["agentMode"], &session["permissionMode"], &session["choices"]["mode"]);
    assert_eq!(facts, (&json!("build"), &json!("default"), &json!("ask")));
    let session = api.patch("s", json!({"permissionMode": "bypass"})).await?.expect_status(200)?.json()?;
    let facts = (&session["agentMode"], &session["permissionMode"], &session["choices"]["mode"]);
    assert_eq!(facts, (&json!("build"), &json!("bypass"), &json!("bypass")));
    // An option is no mode, however it is spelled.
    for mode in ["fast=true", "mode=bypass", "effort=high"] {
        let refused = api.patch("s", json!({"agentMode": mode})).await?;
        refused.expect_problem(422, "unsupported").context(mode)?;
    }
    Ok(())
}
