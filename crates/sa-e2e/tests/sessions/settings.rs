//! Changing a session: title, metadata, modes, model.

use crate::api::{Api, of_kind, said};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};

#[tokio::test]
async fn title_and_metadata_are_changed_and_kept() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"metadata": {"a": 1, "b": {"c": 2}}})).await?;
    let patch = json!({"title": "New", "metadata": {"a": null, "d": [3]}});
    let session = api.patch("s", patch).await?.expect_status(200)?.json()?;
    assert_eq!((&session["title"], &session["metadata"]), (&json!("New"), &json!({"b": {"c": 2}, "d": [3]})));
    assert_eq!(of_kind(&api.events("s").await?, "infoChanged").last().unwrap()["title"], "New");
    api.turn("s", "title The agent's own").await?;
    assert_eq!(api.session("s").await?["title"], "New", "who named it keeps the name");
    let sandbox = daemon.sandbox();
    daemon.stop().await?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let session = Api::of(&daemon).session("s").await?;
    assert_eq!((&session["title"], &session["metadata"]["d"]), (&json!("New"), &json!([3])));
    Ok(())
}

#[tokio::test]
async fn model_variant_and_mode_reach_the_agent() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let session =
        api.create_with("s", json!({"model": "demo-small", "variant": "low", "agentMode": "plan"})).await?;
    let choices = &session["choices"];
    assert_eq!(
        (&choices["model"], &choices["variant"], &choices["mode"]),
        (&json!("demo-small"), &json!("low"), &json!("plan")),
        "{session:#}"
    );
    let patch =
        json!({"model": "demo-large", "variant": "high", "agentMode": "build", "permissionMode": "bypass"});
    let session = api.patch("s", patch).await?.expect_status(200)?.json()?;
    let choices = &session["choices"];
    assert_eq!(
        (&choices["model"], &choices["variant"], &choices["mode"]),
        (&json!("demo-large"), &json!("high"), &json!("bypass")),
        "{session:#}"
    );
    let text = said(&api.turn("s", "config").await?);
    assert!(text.contains("demo-large") && text.contains("high") && text.contains("bypass"), "{text}");
    assert!(!of_kind(&api.events("s").await?, "modeChanged").is_empty());
    Ok(())
}

#[tokio::test]
async fn what_the_agent_does_not_have_is_refused() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    for patch in [json!({"model": "gpt-0"}), json!({"agentMode": "dance"}), json!({"variant": "extreme"})] {
        let reply = api.patch("s", patch.clone()).await?;
        let problem = reply.expect_problem(422, "unsupported")?;
        assert_eq!(problem.document["sessionId"], "s", "{patch}");
    }
    assert_eq!(api.session("s").await?["choices"]["model"], "demo-medium");
    Ok(())
}

/// A typo in the request must not leave a session that holds the id.
#[tokio::test]
async fn a_change_is_made_as_a_whole_or_not_at_all() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let before = api.session("s").await?;
    let refused = api.patch("s", json!({"model": "demo-large", "variant": "nope", "title": "No"})).await?;
    refused.expect_problem(422, "unsupported")?;
    let after = api.session("s").await?;
    for key in ["model", "variant", "title", "agentMode"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(after["choices"], before["choices"]);
    assert!(said(&api.turn("s", "config").await?).contains("demo-medium"));
    Ok(())
}

#[tokio::test]
async fn changes_of_an_interrupted_session_are_checked_too() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    Api::of(&daemon).create("s").await?;
    let sandbox = daemon.sandbox();
    daemon.stop().await?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let api = Api::of(&daemon);
    for change in [json!({"agentMode": "fly"}), json!({"variant": "nope"})] {
        api.patch("s", change).await?.expect_problem(422, "unsupported")?;
    }
    api.patch("s", json!({"model": "demo-large"})).await?.expect_status(200)?;
    assert!(said(&api.turn("s", "config").await?).contains("demo-large"));
    Ok(())
}

/// Approves the plan of a session's agent.
async fn approve_plan(api: &Api, id: &str) -> Result<()> {
    let accepted = api.send(id, "leave-plan").await?;
    let asked = api.asked(id, "questions").await?;
    api.answer(id, json!([[asked["questions"][0]["options"][0]["label"]]])).await?;
    api.turn_of(id, &accepted).await?;
    Ok(())
}

#[tokio::test]
async fn an_approved_plan_stays_approved_and_allows_no_more_than_before() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let cases = [
        ("planned", json!({"permissionMode": "plan"}), "default", "ask"),
        ("asking", json!({"agentMode": "plan", "permissionMode": "default"}), "default", "ask"),
        ("free", json!({"agentMode": "plan", "permissionMode": "bypass"}), "bypass", "bypass"),
    ];
    let api = Api::of(&daemon);
    for (id, created, permission, mode) in &cases {
        api.create_with(id, created.clone()).await?;
        approve_plan(&api, id).await?;
        let session = api.session(id).await?;
        assert_eq!(
            (&session["agentMode"], &session["permissionMode"], &session["choices"]["mode"]),
            (&json!("build"), &json!(permission), &json!(mode)),
            "{id}"
        );
    }
    let sandbox = daemon.sandbox();
    daemon.stop().await?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let api = Api::of(&daemon);
    for (id, _, permission, mode) in &cases {
        let accepted = api.send(id, "permission Do it").await?;
        if *permission == "default" {
            api.decide(id, json!({"reply": "once"})).await?;
        }
        let events = api.turn_of(id, &accepted).await?;
        let by = if *permission == "default" { "client" } else { "permissionMode" };
        assert_eq!(of_kind(&events, "permissionResolved")[0]["by"], by, "{id}");
        let session = api.session(id).await?;
        assert_eq!(
            (&session["permissionMode"], &session["choices"]["mode"]),
            (&json!(permission), &json!(mode))
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_mode_of_the_agents_own_does_not_loosen_the_permission_mode() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    for mode in
        ["bypassPermissions", "acceptEdits", "dontAsk", "auto", "full-access", "YOLO", "a/b#autopilot"]
    {
        let body = json!({"agent": "demo", "agentMode": mode});
        api.post("/t", &body).await?.expect_problem(422, "unsupported")?;
        api.patch("s", json!({"agentMode": mode})).await?.expect_problem(422, "unsupported")?;
    }
    // The agent's own way to the mode that never asks.
    let events = api.turn("s", "mode bypass").await?;
    assert!(of_kind(&events, "modeChanged").iter().any(|changed| changed["choices"]["mode"] == "bypass"));
    let held = |session: &serde_json::Value| session["choices"]["mode"] == "ask";
    let session = api.when("s", "the mode to be set back", held).await?;
    assert_eq!((&session["agentMode"], &session["permissionMode"]), (&json!("build"), &json!("default")));
    assert!(!of_kind(&api.events("s").await?, "notice").is_empty());
    Ok(())
}

/// Changes that the demo agent takes.
const TAKEN: [(&str, &str); 8] = [
    ("title", r#""New""#),
    ("metadata", r#"{"a": null, "b": 2}"#),
    ("model", r#""demo-large""#),
    ("variant", r#""high""#),
    ("agentMode", r#""plan""#),
    ("permissionMode", r#""bypass""#),
    ("env", r#"{"NEW": "1"}"#),
    ("options", r#"{"fast": true}"#),
];

/// Changes that it does not take; the third is refused without it, too.
const REFUSED: [(&str, &str); 5] = [
    ("model", r#""gpt-0""#),
    ("variant", r#""extreme""#),
    ("agentMode", r#""dance""#),
    ("options", r#"{"fast": "very"}"#),
    ("token", r#""it takes none""#),
];

/// Returns all sets of changes that are taken, each with one that is not.
fn refused_changes(refused: &[(&str, &str)]) -> Result<Vec<Value>> {
    let mut changes = Vec::new();
    for set in 0..1_usize << TAKEN.len() {
        let mut change = json!({});
        let taken = TAKEN.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, member)| member);
        for (name, value) in taken.chain([&refused[set % refused.len()]]) {
            change[*name] = serde_json::from_str(value)?;
        }
        changes.push(change);
    }
    Ok(changes)
}

#[tokio::test]
async fn a_change_that_is_refused_changes_nothing() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    Api::of(&daemon).create_with("s", json!({"title": "Old", "metadata": {"a": 1}})).await?;
    let chosen = said(&Api::of(&daemon).turn("s", "config\nenv NEW").await?);
    // Once with the agent, and once without, when a model and its variants are not known.
    for refused in [&REFUSED[..], &REFUSED[2..3]] {
        let api = Api::of(&daemon);
        let state = async || {
            let mut session = api.session("s").await?;
            (session["updatedAt"], session["lastEventId"]) = (json!(null), json!(null));
            anyhow::Ok(session)
        };
        let before = state().await?;
        for change in refused_changes(refused)? {
            api.patch("s", change.clone()).await?.expect_problem(422, "unsupported")?;
            assert_eq!(state().await?, before, "{change}");
        }
        assert_eq!(said(&api.turn("s", "config\nenv NEW").await?), chosen, "the agent is as it was");
        let sandbox = daemon.sandbox();
        daemon.stop().await?;
        daemon = Daemon::builder().sandbox(sandbox).start().await?;
    }
    Ok(())
}

#[tokio::test]
async fn choices_are_reported_once() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let body = json!({"agentMode": "plan", "model": "demo-large", "variant": "high"});
    api.create_with("s", body).await?;
    let changed = of_kind(&api.events("s").await?, "modeChanged");
    let [first] = changed.as_slice() else { panic!("{changed:#?}") };
    let whole = api.session("s").await?["choices"].clone();
    assert_eq!(first["choices"], whole, "the first has everything");
    assert_eq!((&whole["model"], &whole["variant"]), (&json!("demo-large"), &json!("high")), "{whole:#}");
    for list in ["modes", "models", "variants"] {
        assert!(whole[list].as_array().unwrap().len() > 1, "{list} of {whole:#}");
    }
    let options = whole["options"].as_array().unwrap();
    let repeated =
        |option: &&Value| ["mode", "model", "thought_level"].iter().any(|one| option["category"] == *one);
    assert!(!options.is_empty() && !options.iter().any(|option| repeated(&option)), "{options:#?}");

    let change = json!({"agentMode": "build", "model": "demo-small", "variant": "low"});
    api.patch("s", change).await?.expect_status(200)?;
    let changed = of_kind(&api.events("s").await?, "modeChanged");
    assert_eq!(changed.len(), 2, "{changed:#?}");
    let now = &changed[1]["choices"];
    assert_eq!((&now["model"], &now["variant"]), (&json!("demo-small"), &json!("low")), "{now:#}");
    assert!(["modes", "models", "options"].iter().all(|list| now.get(list).is_none()), "{now:#}");
    let after = api.session("s").await?["choices"].clone();
    assert_eq!(
        (&after["modes"], &after["models"]),
        (&whole["modes"], &whole["models"]),
        "the session has all"
    );
    Ok(())
}
