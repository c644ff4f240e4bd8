//! Output of the agent: text, thoughts, content, titles, usage, notices.

use crate::client::{Client, SESSION, said, stop_reason, transcript, updates};
use serde_json::json;

#[test]
fn text_that_is_no_command_is_said_back() {
    let mut client = Client::open(json!({}));
    insta::assert_snapshot!(transcript(&client.prompt("Hello there,\nwho are you?\n\nsay I know")));
    assert_eq!(said(&client.prompt("  \n"))[0].lines().next(), Some("You said nothing."));
}

#[test]
fn help_names_every_command() {
    let mut client = Client::open(json!({}));
    let help = said(&client.prompt("/help")).concat();
    insta::assert_snapshot!(help);
}

#[test]
fn a_command_that_is_misused_tells_how_to_use_it() {
    let mut client = Client::open(json!({}));
    for line in
        ["sleep soon", "stream", "stream 1 2 3", "stop cancelled", "say", "mode", "ext m nonsense", "ask m 7"]
    {
        let said = said(&client.prompt(line)).concat();
        assert!(said.starts_with(&format!("Usage: `{}", line.split(' ').next().unwrap())), "{line}: {said}");
    }
}

#[test]
fn lines_run_in_order_and_every_message_has_its_id() {
    let mut client = Client::open(json!({}));
    insta::assert_snapshot!(transcript(&client.prompt("think Hm.\nsay One.\nsay Two.\nstream 3")));
}

#[test]
fn streams_keep_their_size_and_pace() {
    let mut client = Client::open(json!({}));
    let first = client.prompt("stream 3 10 every 50");
    assert_eq!(said(&first), ["1 xxxxxxxx"]);
    assert!(client.wait(49).is_empty());
    assert_eq!(said(&client.wait(1)), ["2 xxxxxxxx"]);
    let last = client.wait(50);
    assert_eq!((said(&last).len(), stop_reason(&last)), (1, "end_turn"));
    let chunks =
        updates(&first, "agent_message_chunk").into_iter().chain(updates(&last, "agent_message_chunk"));
    let ids: Vec<_> = chunks.map(|chunk| chunk["messageId"].clone()).collect();
    assert_eq!(ids[0], ids[1], "one message");
    assert_eq!(stop_reason(&client.prompt("stream 0")), "end_turn");
}

#[test]
fn the_prompts_content_is_described() {
    let mut client = Client::open(json!({}));
    let prompt = json!([
        { "type": "text", "text": "image" },
        { "type": "image", "mimeType": "image/png", "data": "QUJD" },
        { "type": "audio", "mimeType": "audio/wav", "data": "QUI=" },
        { "type": "resource_link", "name": "notes", "uri": "file:///notes.txt" },
        { "type": "resource", "resource": { "uri": "file:///a.txt", "text": "say no", "mimeType": "text/plain" } },
        { "type": "resource", "resource": { "uri": "file:///b.bin", "blob": "QQ==" } },
    ]);
    let messages = client.call("session/prompt", json!({ "sessionId": SESSION, "prompt": prompt }));
    insta::assert_snapshot!(said(&messages).concat());
    let alone = json!([{ "type": "image", "mimeType": "image/png", "data": "QUJD" }]);
    let messages = client.call("session/prompt", json!({ "sessionId": SESSION, "prompt": alone }));
    assert!(said(&messages).concat().contains("image, image/png, 3 bytes"));
    assert!(said(&client.prompt("image")).concat().contains("Nothing"));
}

#[test]
fn content_of_every_kind_can_be_sent_back() {
    let mut client = Client::open(json!({}));
    let script = "image send\nimage send audio\nimage send link\nimage send resource";
    insta::assert_snapshot!(transcript(&client.prompt(script)));
}

#[test]
fn titles_and_usage_are_told() {
    let mut client = Client::open(json!({}));
    client.prompt("say the first prompt names the session");
    insta::assert_snapshot!(transcript(
        &client.prompt("title A better name\nusage\nmodel demo-small\nusage")
    ));
}

#[test]
fn surroundings_are_told_without_secrets() {
    let mut client = Client::new();
    client.initialize(json!({}));
    let servers = json!([
        { "name": "files", "command": "/bin/files", "args": ["--all"], "env": [{ "name": "TOKEN", "value": "s3cret" }] },
        { "type": "http", "name": "web", "url": "https://example.com/mcp",
          "headers": [{ "name": "Authorization", "value": "s3cret" }] },
        { "type": "sse", "name": "old", "url": "https://example.com/sse", "headers": [] },
    ]);
    let params = json!({ "cwd": "/project", "additionalDirectories": ["/more"], "mcpServers": servers });
    client.call("session/new", params);
    let words = said(
        &client.prompt("cwd\nmcp\nenv DEMO_VARIABLE\nenv DEMO_VARIABLE value\nenv DEMO_VARIABLE x\nenv NO"),
    );
    assert!(!words.concat().contains("s3cret"));
    insta::assert_snapshot!(words.join("\n---\n"));
}

#[test]
fn notices_and_compaction_are_for_clients_that_know_them() {
    let script = "notice Hello\nnotice warning Careful\ncompact";
    insta::assert_snapshot!("notices_unknown", transcript(&Client::open(json!({})).prompt(script)));
    let mut client = Client::open(json!({ "session": { "notices": {}, "compaction": {} } }));
    insta::assert_snapshot!("notices_known", transcript(&client.prompt(script)));
}

#[test]
fn a_plan_is_worked_through() {
    let mut client = Client::open(json!({}));
    insta::assert_snapshot!(transcript(&client.prompt("plan")));
    let started = client.prompt("plan every 10");
    assert_eq!(updates(&started, "plan").len(), 1);
    assert_eq!(updates(&client.wait(10), "plan").len(), 1);
}

#[test]
fn commands_are_announced_again() {
    let mut client = Client::open(json!({}));
    assert_eq!(updates(&client.prompt("commands"), "available_commands_update").len(), 1);
}

#[test]
fn every_announced_command_is_understood_behind_a_slash() {
    let mut client = Client::open(json!({}));
    let messages = client.prompt("commands");
    let commands =
        updates(&messages, "available_commands_update")[0]["availableCommands"].as_array().unwrap().clone();
    for command in commands {
        let mut client = Client::open(json!({}));
        let words = said(&client.prompt(&format!("/{}", command["name"].as_str().unwrap()))).concat();
        assert!(!words.starts_with("You said"), "{command}: {words}");
    }
}
