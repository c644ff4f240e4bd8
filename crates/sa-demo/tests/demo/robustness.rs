//! Whatever is sent, the agent keeps to the protocol.

use crate::client::{Client, SESSION};
use proptest::prelude::*;
use sa_demo::CATALOG;
use serde_json::{Value, json};

/// A line of a script: a command with arguments that may or may not fit.
fn line() -> impl Strategy<Value = String> {
    // These may break the protocol; that is what they are for.
    let lawless = ["garbage", "ext", "ask"];
    let lawful: Vec<_> =
        CATALOG.iter().map(|entry| entry.name).filter(|name| !lawless.contains(name)).collect();
    let word = prop_oneof![
        Just("1".to_owned()),
        Just("every".to_owned()),
        Just("multi".to_owned()),
        Just("send".to_owned()),
        Just("{}".to_owned()),
        "[ -~äß€\u{1f600}]{0,12}",
    ];
    (proptest::sample::select(lawful), proptest::collection::vec(word, 0..4))
        .prop_map(|(name, words)| format!("{name} {}", words.join(" ")))
}

/// Something a client may send that is no prompt.
fn noise() -> impl Strategy<Value = Value> {
    let method = proptest::sample::select(vec![
        "initialize",
        "session/new",
        "session/load",
        "session/list",
        "session/close",
        "session/cancel",
        "session/set_mode",
        "$/cancel_request",
        "_x",
    ]);
    let params = proptest::sample::select(vec![
        json!({}),
        json!([]),
        json!({ "sessionId": SESSION }),
        json!({ "sessionId": SESSION, "modeId": "plan" }),
        json!({ "cwd": "/", "mcpServers": [] }),
        json!({ "sessionId": SESSION, "cwd": "/", "mcpServers": [] }),
        json!({ "requestId": 2 }),
    ]);
    (method, params, any::<bool>()).prop_map(|(method, params, request)| {
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if request {
            message["id"] = json!("noise");
        }
        message
    })
}

/// The requests of the agent are answered with this, whatever they are.
fn answers() -> impl Strategy<Value = Value> {
    proptest::sample::select(vec![
        json!({ "result": {} }),
        json!({ "result": null }),
        json!({ "result": { "outcome": { "outcome": "selected", "optionId": "allow_always" } } }),
        json!({ "result": { "action": "accept", "content": { "question_1": "Red" } } }),
        json!({ "result": { "content": "text", "terminalId": "t", "output": "", "truncated": false } }),
        json!({ "error": { "code": 1, "message": "no" } }),
        json!({ "error": 7 }),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_prompt_is_answered_once(
        scripts in proptest::collection::vec(proptest::collection::vec(line(), 1..5), 1..4),
        noise in proptest::collection::vec(noise(), 0..4),
        answer in answers(),
        able in any::<bool>(),
    ) {
        let abilities = json!({
            "fs": { "readTextFile": able, "writeTextFile": able }, "terminal": able,
            "elicitation": { "form": {}, "url": {} }, "session": { "notices": {}, "compaction": {} },
        });
        let mut client = Client::open(if able { abilities } else { json!({}) });
        let prompts: Vec<_> = scripts.iter().map(|script| client.post_prompt(SESSION, &script.join("\n"))).collect();
        let mut answered = Vec::new();
        let mut take = |client: &mut Client, mut messages: Vec<Value>| {
            while !messages.is_empty() {
                answered.extend(messages.iter().filter(|one| one["method"].is_null()).filter_map(|one| one["id"].as_i64()));
                let asked: Vec<_> = messages.iter().filter(|one| one["id"].is_i64() && one["method"].is_string()).collect();
                let mut next = Vec::new();
                for request in asked {
                    let mut reply = answer.clone();
                    reply["jsonrpc"] = json!("2.0");
                    reply["id"] = request["id"].clone();
                    next.extend(client.line(reply.to_string()));
                }
                messages = next;
            }
        };
        let messages = client.run();
        take(&mut client, messages);
        for message in noise {
            client.machine.line(client.now, message.to_string().as_bytes());
            loop {
                let (step, out) = client.poll();
                let messages: Vec<Value> = out
                    .split(|byte| *byte == b'\n')
                    .filter_map(|line| serde_json::from_slice(line).ok())
                    .filter(|message: &Value| message["jsonrpc"] == "2.0")
                    .collect();
                take(&mut client, messages);
                if matches!(step, sa_demo::Step::Idle(_)) {
                    break;
                }
            }
        }
        // Whatever still waits or hangs ends when it is cancelled, and nothing comes after.
        let messages = client.wait(24 * 60 * 60 * 1000);
        take(&mut client, messages);
        let messages = client.cancel();
        take(&mut client, messages);
        let messages = client.wait(24 * 60 * 60 * 1000);
        take(&mut client, messages);
        answered.sort_unstable();
        prop_assert_eq!(answered, prompts);
    }

    #[test]
    fn no_bytes_upset_it(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut client = Client::open(json!({}));
        client.line(bytes.iter().copied().filter(|byte| *byte != b'\n').collect::<Vec<_>>());
        prop_assert_eq!(client.prompt("say fine").len(), 4);
    }
}
