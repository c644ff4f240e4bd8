//! Permissions and questions that nobody is asked about: by rule, by mode, by time.

use crate::api::{Api, ending, of_kind};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::json;

#[tokio::test]
async fn rules_decide_before_anybody_is_asked() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let rules = json!([
        {"tool": "*secret*", "decision": "deny"},
        {"tool": "permission", "input": "{\"title\":\"Send *\"}", "decision": "allow"},
        {"tool": "Something *", "decision": "allow"},
    ]);
    api.create_with("s", json!({"policy": {"rules": rules}})).await?;
    let events = api.turn("s", "permission Send it\npermission Read secret.txt").await?;
    let resolved = of_kind(&events, "permissionResolved");
    let decided: Vec<_> = resolved.iter().map(|one| (one["reply"].clone(), one["by"].clone())).collect();
    assert_eq!(decided, [(json!("once"), json!("rule")), (json!("reject"), json!("rule"))], "{events:#?}");
    assert_eq!(of_kind(&events, "permissionAsked").len(), 2, "they are in the log all the same");
    // A title denies; it does not allow.
    api.send("s", "permission Something else").await?;
    api.decide("s", json!({"reply": "once"})).await?;
    Ok(())
}

#[tokio::test]
async fn time_decides_when_nobody_does() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    for (id, on_timeout, reply) in [("no", "reject", "reject"), ("yes", "allow", "once")] {
        api.create_with(id, json!({"policy": {"timeoutMs": 100, "onTimeout": on_timeout}})).await?;
        let events = api.turn(id, "permission Wait for me\nquestion single").await?;
        let asked = &of_kind(&events, "permissionAsked")[0];
        assert!(asked["expiresAt"].as_str().is_some_and(|at| at.ends_with('Z')), "{asked:#}");
        let resolved = &of_kind(&events, "permissionResolved")[0];
        assert_eq!((&resolved["reply"], &resolved["by"]), (&json!(reply), &json!("timeout")), "{events:#?}");
        let question = &of_kind(&events, "questionResolved")[0];
        assert_eq!((&question["outcome"], &question["by"]), (&json!("rejected"), &json!("timeout")));
        assert_eq!(ending(&events), "endTurn");
    }
    Ok(())
}

#[tokio::test]
async fn bypass_never_asks() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"permissionMode": "bypass"})).await?;
    let events = api.turn("s", "permission Anything").await?;
    let resolved = &of_kind(&events, "permissionResolved")[0];
    assert_eq!(
        (&resolved["reply"], &resolved["by"]),
        (&json!("once"), &json!("permissionMode")),
        "{events:#?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_rule_that_asks_counts_more_than_bypass() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let rules = json!([{"tool": "*secret*", "decision": "ask"}]);
    api.create_with("s", json!({"permissionMode": "bypass", "policy": {"rules": rules}})).await?;
    let accepted = api.send("s", "permission Anything\npermission Read secret.txt").await?;
    let asked = api.decide("s", json!({"reply": "reject"})).await?;
    assert_eq!(asked["title"], "Read secret.txt");
    let events = api.turn_of("s", &accepted).await?;
    let by: Vec<_> = of_kind(&events, "permissionResolved").iter().map(|one| one["by"].clone()).collect();
    assert_eq!(by, ["permissionMode", "client"], "{events:#?}");
    Ok(())
}

#[tokio::test]
async fn always_with_a_rule_allows_what_the_rule_matches() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let accepted = api.send("s", "permission Send it\npermission Send that\npermission Read it").await?;
    let asked = api.asked("s", "permissions").await?;
    let path = format!("/s/permissions/{}/reply", asked["id"].as_str().unwrap());
    let rule = json!({"tool": "permission", "input": "{\"title\":\"Send *\"}"});
    let long = json!({"tool": "permission", "input": "x".repeat(400_000)});
    for (reply, reason) in [
        (json!({"reply": "once", "rule": rule}), "requires the reply `always`"),
        (json!({"reply": "always", "rule": rule, "optionId": "allow_always"}), "either `rule` or `optionId`"),
        (json!({"reply": "always", "rule": {"tool": "execute"}}), "does not match this request"),
        (json!({"reply": "always", "rule": long}), "is longer than 8192 characters"),
        (json!({"reply": "once", "client": "x".repeat(101)}), "at most 100 characters"),
    ] {
        let problem = api.post(&path, &reply).await?.expect_problem(400, "invalid_request")?;
        assert!(problem.document["detail"].as_str().unwrap().contains(reason), "{problem:?}");
    }
    let rules = json!([{"tool": "read", "input": "x".repeat(400_000), "decision": "allow"}]);
    let policy = json!({"agent": "demo", "policy": {"rules": rules}});
    let problem = api.post("/long", &policy).await?.expect_problem(422, "invalid_value")?;
    assert!(problem.document["detail"].as_str().unwrap().contains("8192 characters"), "{problem:?}");
    let reply = json!({"reply": "always", "rule": rule, "client": "a test"});
    api.post(&path, &reply).await?.expect_status(204)?;
    let last = api.decide("s", json!({"reply": "reject"})).await?;
    assert_eq!(last["title"], "Read it", "the rule decided on the one before");
    let events = api.turn_of("s", &accepted).await?;
    let resolved = of_kind(&events, "permissionResolved");
    let told: Vec<_> = resolved.iter().map(|one| (&one["reply"], &one["by"], &one["client"])).collect();
    let (none, client) = (&json!(null), &json!("client"));
    assert_eq!(
        told,
        [
            (&json!("always"), client, &json!("a test")),
            (&json!("once"), &json!("rule"), none),
            (&json!("reject"), client, none),
        ]
    );
    assert_eq!(resolved[0]["rule"], rule);
    // The rule outlives the daemon.
    let mut daemon = daemon;
    let sandbox = daemon.sandbox();
    daemon.stop().await?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let events = Api::of(&daemon).turn("s", "permission Send it again").await?;
    assert_eq!(of_kind(&events, "permissionResolved")[0]["by"], "rule", "{events:#?}");
    Ok(())
}
