//! Options of an agent that are neither its mode nor its model.

use crate::api::{Api, said};
use anyhow::{Context, Result};
use sa_testkit::Daemon;
use serde_json::{Value, json};

/// Returns the value that the agent says an option has.
fn value(session: &Value, id: &str) -> Value {
    let options = session["choices"]["options"].as_array().unwrap();
    options.iter().find(|option| option["id"] == id).map_or(Value::Null, |option| option["value"].clone())
}

async fn config(api: &Api, id: &str) -> Result<String> {
    Ok(said(&api.turn(id, "config").await?))
}

#[tokio::test]
async fn options_reach_the_agent_and_outlive_it() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let session = api.create_with("s", json!({"options": {"fast": true}})).await?;
    assert_eq!((&session["options"], value(&session, "fast")), (&json!({"fast": true}), json!(true)));
    assert!(config(&api, "s").await?.contains("fast: on"));
    api.create("t").await?;
    let session = api.patch("t", json!({"options": {"fast": true}})).await?.expect_status(200)?.json()?;
    assert_eq!((&session["options"], value(&session, "fast")), (&json!({"fast": true}), json!(true)));
    let session = api.patch("t", json!({"options": {"fast": false}})).await?.expect_status(200)?.json()?;
    assert_eq!((&session["options"], value(&session, "fast")), (&json!({"fast": false}), json!(false)));
    let session = api.patch("t", json!({"options": {"fast": null}})).await?.expect_status(200)?.json()?;
    assert_eq!(session.get("options"), None, "nothing is asked for any more");

    let fork = api.post("/s/fork", &json!({"sessionId": "fork"})).await?;
    assert!([200, 201].contains(&fork.status), "{fork:?}");
    let fork = api.session("fork").await?;
    assert!(fork.to_string().contains(r#""options":{"fast":true}"#), "{fork}");
    let export = api.get("/s/export").await?.expect_status(200)?.text();
    let import = daemon.http().post("/v1/sessions/import?sessionId=moved");
    let import = import.header("content-type", "application/x-ndjson").body(export).send().await?;
    assert_eq!(import.json()?["options"], json!({"fast": true}), "{import:?}");
    assert!(
        config(&api, "moved").await?.contains("fast: on"),
        "set again in a session of the agent's that is new"
    );

    let sandbox = daemon.sandbox();
    daemon.stop().await?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let api = Api::of(&daemon);
    // While the agent is not there, what is known of it counts.
    api.patch("t", json!({"options": {"fast": true}})).await?.expect_status(200)?;
    api.patch("t", json!({"options": {"fast": "very"}})).await?.expect_problem(422, "unsupported")?;
    for id in ["s", "t"] {
        assert!(config(&api, id).await?.contains("fast: on"), "{id}");
        assert_eq!(api.session(id).await?["options"], json!({"fast": true}));
    }
    Ok(())
}

#[tokio::test]
async fn options_that_the_agent_does_not_have_are_refused() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let before = api.session("s").await?;
    for (options, words) in [
        (json!({"speed": "high"}), "the agent has no option 'speed'; its options are: fast (true, false)"),
        (json!({"fast": "very"}), "option 'fast' does not take 'very'; its values are: true, false"),
        (json!({"fast": "true"}), "option 'fast' does not take 'true'; its values are: true, false"),
    ] {
        let body = json!({"agent": "demo", "options": options});
        let problem =
            api.post("/t", &body).await?.expect_problem(422, "unsupported").context(options.to_string())?;
        assert_eq!(problem.detail, words);
        api.get("/t").await?.expect_problem(404, "not_found")?;
        let problem = api.patch("s", json!({"options": options, "title": "No"})).await?;
        assert_eq!(problem.expect_problem(422, "unsupported")?.detail, words);
    }
    // These have members of their own, whether the agent lists them among its options or not.
    for option in ["mode", "model", "effort"] {
        let patch = json!({"options": {option: "plan"}});
        api.patch("s", patch).await?.expect_problem(422, "unsupported").context(option)?;
    }
    let body = json!({"agent": "demo", "options": {"fast": 7}});
    api.post("/t", &body).await?.expect_problem(400, "invalid_request")?;
    let after = api.session("s").await?;
    assert_eq!((&after["choices"], &after["title"]), (&before["choices"], &before["title"]));
    Ok(())
}
