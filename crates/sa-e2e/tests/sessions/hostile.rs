//! Updates of an agent that are made to break a reader: nested, repeated, huge, and no text. The session continues.

use crate::api::Api;
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sandbox};
use serde_json::json;
use std::sync::Arc;

/// An agent that answers each prompt with the lines of a file, then with one sentence.
const AGENT: &str = r#"
import json, sys
def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
for line in sys.stdin:
    request = json.loads(line)
    method, id = request.get("method"), request.get("id")
    if method == "initialize":
        say({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": 1, "agentCapabilities": {}}})
    elif method == "session/new":
        say({"jsonrpc": "2.0", "id": id, "result": {"sessionId": "n"}})
    elif method == "session/prompt":
        with open(sys.argv[1], "rb") as lines:
            sys.stdout.buffer.write(lines.read())
        text = {"type": "text", "text": "still here"}
        update = {"sessionUpdate": "agent_message_chunk", "content": text}
        say({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "n", "update": update}})
        say({"jsonrpc": "2.0", "id": id, "result": {"stopReason": "end_turn"}})
    elif id is not None:
        say({"jsonrpc": "2.0", "id": id, "result": {}})
"#;

fn update(text: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"n","update":{text}}}}}"#)
        .into_bytes()
}

fn tool(raw_input: &str) -> Vec<u8> {
    update(&format!(
        r#"{{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"edit","status":"pending","rawInput":{raw_input}}}"#
    ))
}

fn nested(open: &str, close: &str, depth: usize) -> String {
    open.repeat(depth) + "0" + &close.repeat(depth)
}

fn hostile_lines() -> Vec<(&'static str, Vec<u8>)> {
    let text = |text: &[u8]| {
        let start: &[u8] = br#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"n","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""#;
        [start, text, br#""}}}}"#.as_slice()].concat()
    };
    let diff = |old: &str, new: &str| {
        update(&format!(
            r#"{{"sessionUpdate":"tool_call","toolCallId":"d","title":"D","content":[{{"type":"diff","path":"/x","oldText":{},"newText":{}}}]}}"#,
            json!(old),
            json!(new)
        ))
    };
    let lines = |word: &str| {
        (0..20_000).map(|number| format!("{word}{}\n", number * 7919 % 20_011)).collect::<String>()
    };
    vec![
        ("lists 100,000 deep", tool(&nested("[", "]", 100_000))),
        ("objects 100,000 deep", tool(&nested("{\"a\":", "}", 100_000))),
        ("lists 127 deep", tool(&nested("[", "]", 120))),
        ("deep where text is expected", update(&nested("[", "]", 50_000))),
        ("members that repeat", tool(r#"{"a":1,"a":2,"a":{"b":1,"b":2}}"#)),
        ("the kind twice", update(r#"{"sessionUpdate":"plan","sessionUpdate":"tool_call","toolCallId":"x","title":"X","entries":[]}"#)),
        ("huge numbers", tool("[1e400,-1e400,123456789012345678901234567890,0.1e-999999999]")),
        ("a number of a megabyte", tool(&"9".repeat(1 << 20))),
        ("bytes that are no text", text(b"\xff\xfe\xc0\x80")),
        ("half a pair", text(br"\ud800")),
        ("control characters", text(br"\u0000\u001b[2J\u202e")),
        ("a megabyte of quotes", text(&br#"\""#.repeat(1 << 19))),
        ("100,000 members", tool(&format!("{{{}}}", (0..100_000).map(|at| format!("\"m{at}\":0")).collect::<Vec<_>>().join(",")))),
        ("a change of every line", diff(&lines("a"), &lines("b"))),
        ("wrong types", update(r#"{"sessionUpdate":"tool_call","toolCallId":7,"title":[],"kind":{},"content":"x","locations":3}"#)),
        ("another session's", br#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"forged"}}}}"#.to_vec()),
        ("a question that is nonsense", br#"{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"n","options":"x"}}"#.to_vec()),
    ]
}

#[tokio::test]
async fn no_update_ends_a_session_or_the_daemon() -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let (program, file) = (sandbox.path("agent.py"), sandbox.path("lines"));
    std::fs::write(&program, AGENT)?;
    let agent = format!("[agents.hostile]\ncommand = \"python3\"\nargs = [{program:?}, {file:?}]\n");
    let daemon = Daemon::builder().sandbox(sandbox).config(&agent).start().await?;
    let api = Api::of(&daemon);
    std::fs::write(&file, "")?;
    let created = api.create_with("s", json!({"agent": "hostile"})).await?;
    assert_eq!(created["agent"], "hostile");
    for (what, mut line) in hostile_lines() {
        line.push(b'\n');
        std::fs::write(&file, &line)?;
        let body = json!({"message": "go"}).to_string();
        let request = daemon.http().post("/v1/sessions/s/messages/stream").json(body);
        let reply = request.within(std::time::Duration::from_secs(60)).send().await;
        let reply = reply
            .with_context(|| format!("{what}: {}", daemon.stderr()))?
            .expect_status(200)
            .context(what)?;
        let text = reply.text();
        assert!(text.contains("still here"), "{what}: the sentence after it is missing");
        assert!(text.contains("turnEnded"), "{what}: the turn did not end");
        assert!(!text.contains("forged"), "{what}: it reached another session");
    }
    let grown = daemon.peak_rss_bytes()? >> 20;
    assert!(grown < 400, "{grown} MiB");
    // Everything that was stored can be read, taken along and brought in.
    let export = api.get("/s/export").await?.expect_status(200)?.text();
    let import = daemon.http().post("/v1/sessions/import?sessionId=t");
    let import = import.header("content-type", "application/x-ndjson").body(export);
    import.send().await?.expect_status(201)?;
    api.get("/s/messages").await?.expect_status(200)?;
    Ok(())
}
