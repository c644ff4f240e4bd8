//! Tool calls, as messages that are replaced as they progress.

use crate::api::{Api, of_kind};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};

/// Returns every reported state of a tool call, as its parts.
fn calls(events: &[Value]) -> Vec<(Value, Vec<Value>)> {
    let messages = of_kind(events, "message").into_iter();
    let with_call = messages.filter_map(|message| {
        let parts = message["parts"].as_array()?.clone();
        let call = parts.iter().find(|part| part["type"] == json!("toolCall"))?.clone();
        Some((call, parts))
    });
    with_call.collect()
}

#[tokio::test]
async fn an_edit_is_a_tool_call_with_a_diff() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"permissionMode": "bypass"})).await?;
    let events = api.turn("s", "edit notes.txt").await?;
    let calls = calls(&events);
    let (last, parts) = calls.last().unwrap();
    assert_eq!((&last["kind"], &last["status"]), (&json!("edit"), &json!("completed")), "{last:#}");
    assert!(calls.iter().all(|(call, _)| call["id"] == last["id"]), "{calls:#?}");
    assert!(last["locations"][0]["path"].as_str().unwrap().ends_with("notes.txt"), "{last:#}");
    let result = parts.iter().find(|part| part["type"] == json!("toolResult")).unwrap();
    assert_eq!((&result["id"], &result["isError"]), (&last["id"], &json!(false)));
    let diff = result["content"].as_array().unwrap().iter().find(|content| content["type"] == json!("diff"));
    let diff = diff.unwrap_or_else(|| panic!("no diff in {result:#}"));
    assert!(diff["path"].as_str().unwrap().ends_with("notes.txt") && diff["newText"].is_string(), "{diff:#}");
    let ids: Vec<Value> = of_kind(&events, "message")
        .into_iter()
        .filter(|message| message["parts"][0]["type"] == json!("toolCall"))
        .map(|message| message["id"].clone())
        .collect();
    assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "one message, told again as it goes on: {ids:?}");
    Ok(())
}

#[tokio::test]
async fn a_tool_that_fails_says_so() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create("s").await?;
    let events = api.turn("s", "fail compiler\ntool search Look around").await?;
    let calls = calls(&events);
    let failed = calls.iter().find(|(call, _)| call["status"] == json!("failed"));
    let (_, parts) = failed.unwrap_or_else(|| panic!("nothing failed: {calls:#?}"));
    let result = parts.iter().find(|part| part["type"] == json!("toolResult")).unwrap();
    assert_eq!(result["isError"], true);
    let (search, _) = calls.last().unwrap();
    assert_eq!((&search["kind"], &search["title"]), (&json!("search"), &json!("Look around")));
    Ok(())
}
