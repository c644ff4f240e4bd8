//! Scripts over several turns: the request alone shows where the script stands.

use crate::client::{MESSAGES, message, post, said};
use sa_model::ModelServer;
use serde_json::{Value, json};

const SCRIPT: &str = "say: first\ntool: shell {\"command\":\"cd ${CWD}\"}\nthen\nsay: it was ${LAST_TOOL_RESULT}\nthen\nsay: third";

/// Plays a request of the Messages API on, as an agent would: each call gets a result.
fn turn(server: &ModelServer, body: &mut Value, result: &str) -> Value {
    body["stream"] = json!(false);
    let answer = post(server, MESSAGES, body).json();
    let content = answer["content"].clone();
    let calls = content.as_array().unwrap().iter().filter(|block| block["type"] == "tool_use");
    let results: Vec<Value> = calls
        .map(|call| json!({"type": "tool_result", "tool_use_id": call["id"], "content": result}))
        .collect();
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": content}));
    if !results.is_empty() {
        messages.push(json!({"role": "user", "content": results}));
    }
    content
}

#[test]
fn tool_loops_need_no_state() {
    let first = ModelServer::start().unwrap();
    let mut body = message(SCRIPT);
    body["system"] = json!("Working directory: /srv/x\n");
    body["tools"] = json!([{"name": "Bash", "input_schema": {"properties": {"command": {}}}}]);
    let content = turn(&first, &mut body, "42");
    assert_eq!(content[0]["text"], "first");
    assert_eq!(content[1]["input"], json!({"command": "cd /srv/x"}));
    drop(first);

    let second = ModelServer::start().unwrap();
    let forked = body.clone();
    assert_eq!(turn(&second, &mut body, "")[0]["text"], "it was 42");
    assert_eq!(turn(&second, &mut forked.clone(), "")[0]["text"], "it was 42", "a fork goes its own way");
    body["messages"].as_array_mut().unwrap().push(json!({"role": "user", "content": "say: new"}));
    assert_eq!(turn(&second, &mut body, "")[0]["text"], "new");
}

#[test]
fn chat_and_gemini_loop_too() {
    let server = ModelServer::start().unwrap();
    let mut messages = vec![json!({"role": "user", "content": SCRIPT})];
    let chat = |messages: &[Value]| {
        let answer = post(&server, "/v1/chat/completions", &json!({"messages": messages})).json();
        answer["choices"][0]["message"].clone()
    };
    let answer = chat(&messages);
    messages.push(answer.clone());
    messages.push(json!({"role": "tool", "tool_call_id": answer["tool_calls"][0]["id"], "content": "42"}));
    assert_eq!(chat(&messages)["content"], "it was 42");

    let mut contents = vec![json!({"role": "user", "parts": [{"text": SCRIPT}]})];
    let gemini = |contents: &[Value]| {
        let answer = post(&server, "/v1beta/models/x:generateContent", &json!({"contents": contents})).json();
        answer["candidates"][0]["content"].clone()
    };
    contents.push(gemini(&contents));
    let response = json!({"functionResponse": {"name": "x", "response": {"output": "42"}}});
    contents.push(json!({"role": "user", "parts": [response]}));
    assert_eq!(gemini(&contents)["parts"][0]["text"], "it was 42");
}

#[test]
fn many_sessions_at_once_do_not_meet() {
    let server = ModelServer::start().unwrap();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let server = &server;
            scope.spawn(move || {
                let script = format!("fail: 500 x1\nslow: 1ms\nrepeat: 50 x 8\nsay: this is {number}");
                assert_eq!(post(server, MESSAGES, &message(&script)).status, 500);
                assert!(
                    said(&post(server, MESSAGES, &message(&script))).ends_with(&format!("this is {number}"))
                );
            });
        }
    });
}

#[test]
fn images_are_seen() {
    let server = ModelServer::start().unwrap();
    let mut body = message("");
    body["messages"][0]["content"] = json!([
        {"type": "text", "text": "say: ${IMAGES}"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}},
    ]);
    assert_eq!(said(&post(&server, MESSAGES, &body)), "1 image/png");
    let content = json!([
        {"type": "input_text", "text": "say: ${IMAGES}"},
        {"type": "input_image", "image_url": "data:image/webp;base64,AAAA"},
    ]);
    let body = json!({"input": [{"role": "user", "content": content}]});
    assert_eq!(
        post(&server, "/v1/responses", &body).json()["output"][0]["content"][0]["text"],
        "1 image/webp"
    );
}
