//! Each API's stream and document, whole.

use crate::client::{Answer, post};
use sa_model::ModelServer;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SCRIPT: &str = "think: why I\nsay: hello there\ntool: shell {\"command\":\"ls -la /tmp/some/where\"}\n\
    tool: shell {\"command\":\"id\"}\nusage: input=100 output=20 cache_read=7 cache_write=3 reasoning=4";

/// Asserts the whole body, with generated values replaced by their kind.
macro_rules! assert_body {
    ($name:literal, $answer:expr) => {
        let filters = vec![
            (r"(msg|toolu|call|req|resp|rs|fc|ctc)_(s\d_)?[0-9a-f]{20}", "[$1]"),
            (r"chatcmpl-[0-9a-f]{20}", "[chatcmpl]"),
            (r#""responseId":"[0-9a-f]{20}""#, r#""responseId":"[id]""#),
            (r"c2NyaXB0ZWQ[0-9a-f]{20}", "[signature]"),
            (r#""created(_at)?":\d+"#, r#""created$1":0"#),
            (r"\r", "<CR>"),
        ];
        insta::with_settings!({ filters => filters, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!($name, in_order(&$answer.body));
        });
    };
}

/// The body with the fields of its JSON in alphabetical order: which one they come in says nothing.
fn in_order(body: &str) -> String {
    let line = |line: &str| {
        let (data, json) = line.strip_prefix("data: ").map_or(("", line), |json| ("data: ", json));
        let (json, end) = json.strip_suffix('\r').map_or((json, ""), |json| (json, "\r"));
        match serde_json::from_str::<Value>(json) {
            Ok(value) => format!("{data}{}{end}", sorted(value)),
            Err(_) => line.to_owned(),
        }
    };
    body.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(fields) => {
            let ordered: BTreeMap<String, Value> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            ordered.into_iter().collect()
        }
        other => other,
    }
}

fn streamed(path: &str, body: &Value) -> Answer {
    let server = ModelServer::start().unwrap();
    let answer = post(&server, path, body);
    assert_eq!((answer.status, answer.whole), (200, true));
    assert!(answer.head.contains("content-type: text/event-stream"), "{}", answer.head);
    answer
}

fn document(path: &str, body: &Value) -> Answer {
    let server = ModelServer::start().unwrap();
    let answer = post(&server, path, body);
    assert_eq!((answer.status, answer.whole), (200, true));
    assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
    answer
}

fn anthropic(stream: bool) -> Value {
    let bash = json!({"name": "Bash", "input_schema": {"properties": {"command": {"type": "string"}}}});
    let content = json!([{"type": "text", "text": "<system-reminder>say: no</system-reminder>"}, {"type": "text", "text": SCRIPT}]);
    json!({"model": "claude", "stream": stream, "max_tokens": 9, "tools": [bash],
        "messages": [{"role": "user", "content": content}]})
}

#[test]
fn anthropic_messages() {
    assert_body!("anthropic_stream", streamed("/v1/messages?beta=true", &anthropic(true)));
    assert_body!("anthropic_document", document("/v1/messages", &anthropic(false)));
}

fn responses(stream: bool) -> Value {
    let tools = json!([
        {"type": "function", "name": "exec_command", "parameters": {"properties": {"cmd": {"type": "string"}}}},
        {"type": "custom", "name": "apply_patch"},
    ]);
    let script = format!("{SCRIPT}\ntool: write {{\"path\":\"a\",\"content\":\"b\"}}");
    let input =
        json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": script}]}]);
    json!({"model": "gpt", "stream": stream, "tools": tools, "input": input})
}

#[test]
fn openai_responses() {
    assert_body!("responses_stream", streamed("/v1/responses", &responses(true)));
    assert_body!("responses_document", document("/v1/responses", &responses(false)));
}

fn chat(stream: bool) -> Value {
    let tools = json!([{"type": "function", "function":
        {"name": "bash", "parameters": {"properties": {"command": {}, "description": {}}, "required": ["description"]}}}]);
    json!({"model": "gpt", "stream": stream, "stream_options": {"include_usage": true}, "tools": tools,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": SCRIPT}]})
}

#[test]
fn openai_chat_completions() {
    assert_body!("chat_stream", streamed("/v1/chat/completions", &chat(true)));
    assert_body!("chat_document", document("/v1/chat/completions", &chat(false)));
    let mut silent = chat(true);
    silent["stream_options"] = Value::Null;
    assert!(
        !streamed("/v1/chat/completions", &silent).body.contains("usage"),
        "usage is told only if wanted"
    );
}

#[test]
fn gemini() {
    let body = json!({
        "tools": [{"functionDeclarations": [{"name": "run_shell_command", "parameters": {"properties": {"command": {"type": "STRING"}}}}]}],
        "contents": [{"role": "user", "parts": [{"text": SCRIPT}]}],
    });
    assert_body!("gemini_stream", streamed("/v1beta/models/gemini-x:streamGenerateContent?alt=sse", &body));
    assert_body!("gemini_document", document("/v1beta/models/gemini-x:generateContent", &body));
}

#[test]
fn reasons_to_stop_are_told_in_each_apis_words() {
    let server = ModelServer::start().unwrap();
    let user = |prompt: &str| json!([{"role": "user", "content": prompt}]);
    for (reason, anthropic, responses, chat, gemini) in [
        ("end_turn", "end_turn", "completed", "stop", "STOP"),
        ("max_tokens", "max_tokens", "max_output_tokens", "length", "MAX_TOKENS"),
        ("refusal", "refusal", "content_filter", "content_filter", "SAFETY"),
    ] {
        let script = format!("say: x\nstop: {reason}");
        let body = json!({"messages": user(&script), "input": user(&script), "contents": [{"parts": [{"text": script}]}]});
        let told = |path: &str| post(&server, path, &body).json();
        assert_eq!(told("/v1/messages")["stop_reason"], anthropic);
        let response = told("/v1/responses");
        let incomplete = &response["incomplete_details"]["reason"];
        assert_eq!(incomplete.as_str().or(response["status"].as_str()), Some(responses));
        assert_eq!(told("/v1/chat/completions")["choices"][0]["finish_reason"], chat);
        assert_eq!(told("/v1beta/models/x:generateContent")["candidates"][0]["finishReason"], gemini);
    }
}

#[test]
fn chunks_have_the_size_and_number_that_the_script_says() {
    let server = ModelServer::start().unwrap();
    let texts = |script: &str| -> Vec<String> {
        let events = post(&server, "/v1/messages", &crate::client::message(script)).events();
        events.iter().filter_map(|event| Some(event["delta"]["text"].as_str()?.to_owned())).collect()
    };
    assert_eq!(texts("say: one two\nsay: three"), ["one ", "two", "\n", "three"]);
    assert_eq!(texts("chunk: 4\nsay: äöüäöü"), ["äöüä", "öü"]);
    assert_eq!(texts("repeat: 3 x 8"), ["1 xxxxxx", "2 xxxxxx", "3 xxxxxx"]);
    let many = texts("repeat: 20000 x 64");
    assert_eq!(many.len(), 20000);
    assert!(many.iter().all(|text| text.len() == 64));
}
