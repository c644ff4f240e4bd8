//! The two commands of the demo agent's page, and what follows from them: a session from the shell alone.

use crate::caller::Caller;
use crate::running::Running;
use anyhow::{Context, Result};
use sa_e2e::request;
use sa_testkit::Daemon;
use serde_json::{Value, json};

#[tokio::test]
async fn a_session_can_be_had_from_the_shell_alone() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let caller = Caller::of(&daemon);
    let hello = request(1, "initialize", r#"{"protocolVersion":1}"#);
    let hello = caller.json(&["acp", "post", "try", "--agent", "demo", "--json", &hello]).await?;
    assert_eq!(hello["result"]["protocolVersion"], json!(1));
    let opening = request(2, "session/new", r#"{"cwd":"/","mcpServers":[]}"#);
    let opened = caller.json(&["acp", "post", "try", "--json", &opening]).await?;
    let session = opened["result"]["sessionId"].as_str().context("a session")?;

    let mut stream = Running::start(caller.command(&["acp", "stream", "try", "--last-event-id", "0"])?)?;
    let prompt =
        json!({"sessionId": session, "prompt": [{"type": "text", "text": "say hello\npermission Go"}]});
    let prompt = request(3, "session/prompt", &prompt.to_string());
    caller.output(&["acp", "post", "try", "--async", "--json", &prompt]).await?;
    let question =
        find(&mut stream, |message| message["method"] == json!("session/request_permission")).await?;
    let answer = json!({"outcome": {"outcome": "selected", "optionId": "allow_once"}});
    let answer = sa_e2e::response(&question["id"], &answer.to_string());
    caller.output(&["acp", "post", "try", "--json", &answer]).await?;
    let told = find(&mut stream, |message| {
        message["params"]["update"]["sessionUpdate"] == json!("agent_message_chunk")
    });
    assert_eq!(
        told.await?["params"]["update"]["content"]["text"],
        json!("Permission for \"Go\": allow_once.")
    );
    let ended =
        find(&mut stream, |message| message["id"] == json!(3) && message["result"].is_object()).await?;
    assert_eq!(ended["result"]["stopReason"], json!("end_turn"));
    Ok(())
}

async fn find(stream: &mut Running, fits: impl Fn(&Value) -> bool) -> Result<Value> {
    loop {
        let message = stream.json().await?;
        if fits(&message) {
            return Ok(message);
        }
    }
}
