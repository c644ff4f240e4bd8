//! Faults on purpose, and their end as the script says.

use crate::client::{Answer, MESSAGES, leave, message, open, post, read, said};
use sa_model::ModelServer;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

fn start() -> ModelServer {
    ModelServer::start().unwrap()
}

fn ask(server: &ModelServer, script: &str) -> Answer {
    post(server, MESSAGES, &message(script))
}

#[test]
fn http_errors_come_as_often_as_the_script_says() {
    let server = start();
    let script = "fail: 529 x2\nfail: 429 x1 retry-after=7 Slow down\nsay: at last";
    let answers: Vec<Answer> = (0..4).map(|_| ask(&server, script)).collect();
    assert_eq!(answers.iter().map(|answer| answer.status).collect::<Vec<_>>(), [529, 529, 429, 200]);
    assert_eq!(answers[0].json()["error"]["type"], "overloaded_error");
    assert!(answers[2].head.contains("retry-after: 7\r\n"), "{}", answers[2].head);
    assert_eq!(answers[2].json()["error"], json!({"type": "rate_limit_error", "message": "Slow down"}));
    assert_eq!(said(&answers[3]), "at last");
}

#[test]
fn sessions_fail_on_their_own() {
    let server = start();
    let body = message("fail: 500 x1\nsay: ok").to_string();
    let status = |session: &str| {
        let header = format!("x-claude-code-session-id: {session}\r\n");
        read(open(&server, "POST", MESSAGES, &header, &body)).status
    };
    assert_eq!([status("a"), status("b"), status("a"), status("b")], [500, 500, 200, 200]);
}

#[test]
fn errors_look_like_each_vendors() {
    let server = start();
    let script = "fail: 401 Wrong key";
    let user = json!([{"role": "user", "content": script}]);
    let body = json!({"messages": user, "input": user, "contents": [{"parts": [{"text": script}]}]});
    let error = |path: &str| {
        let answer = post(&server, path, &body);
        assert_eq!(answer.status, 401);
        answer.json()["error"].clone()
    };
    assert_eq!(error("/v1/messages"), json!({"type": "authentication_error", "message": "Wrong key"}));
    let openai = json!({"type": "invalid_request_error", "code": "invalid_api_key", "message": "Wrong key", "param": null});
    assert_eq!(error("/v1/responses"), openai);
    assert_eq!(error("/v1/chat/completions"), openai);
    let gemini = json!({"code": 401, "status": "UNAUTHENTICATED", "message": "Wrong key"});
    assert_eq!(error("/v1beta/models/x:generateContent"), gemini);
}

#[test]
fn a_cut_stream_ends_in_the_midst_and_then_goes_through() {
    let server = start();
    let script = "say: half of\ncut: x1\nsay: it";
    let cut = ask(&server, script);
    assert_eq!((cut.status, cut.whole, said(&cut).as_str()), (200, false, "half of"));
    assert!(!cut.body.contains("content_block_stop"), "{}", cut.body);
    let whole = ask(&server, script);
    assert_eq!((whole.whole, said(&whole).as_str()), (true, "half of\nit"));
    let mut document = message("cut");
    document["stream"] = json!(false);
    let mut stream = open(&server, "POST", MESSAGES, "", &document.to_string());
    let mut bytes = Vec::new();
    // Closed or reset: there is no answer.
    let _ = stream.read_to_end(&mut bytes);
    assert!(bytes.is_empty(), "{}", String::from_utf8_lossy(&bytes));
}

#[test]
fn an_error_in_the_midst_takes_the_place_of_the_end() {
    let server = start();
    let answer = ask(&server, "say: well\nerror: type=api_error Oh no");
    let last = answer.events().pop().unwrap();
    assert_eq!(last["error"], json!({"type": "api_error", "message": "Oh no"}));
    assert!(
        answer.body.contains("event: error\n") && !answer.body.contains("message_stop"),
        "{}",
        answer.body
    );

    let user =
        json!([{"role": "user", "content": "say: well\nerror: type=context_length_exceeded Too long"}]);
    let body = json!({"stream": true, "messages": user, "input": user});
    let failed = post(&server, "/v1/responses", &body).events().pop().unwrap();
    assert_eq!(failed["type"], "response.failed");
    assert_eq!(failed["response"]["error"]["code"], "context_length_exceeded");
    let answer = post(&server, "/v1/chat/completions", &body);
    assert_eq!(answer.events().pop().unwrap()["error"]["message"], "Too long");
    assert!(!answer.body.contains("[DONE]"));
}

#[test]
fn malformed_events_are_no_json_and_the_stream_goes_on() {
    let server = start();
    for path in [
        "/v1/messages",
        "/v1/responses",
        "/v1/chat/completions",
        "/v1beta/models/x:streamGenerateContent?alt=sse",
    ] {
        let script = "say: a\nmalformed\nsay: b";
        let user = json!([{"role": "user", "content": script}]);
        let body = json!({"stream": true, "messages": user, "input": user, "contents": [{"parts": [{"text": script}]}]});
        let answer = post(&server, path, &body);
        let broken = |data: &&str| serde_json::from_str::<Value>(data).is_err() && *data != "[DONE]";
        let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
        assert_eq!(data.filter(broken).count(), 1, "{path}: {}", answer.body);
        assert!(
            answer.whole && answer.body.contains("\\nb") || answer.body.contains("\"b\""),
            "{path}: {}",
            answer.body
        );
    }
}

#[test]
fn a_hang_lasts_until_the_client_leaves_or_the_server_ends() {
    let server = start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let silent = open(&server, "POST", MESSAGES, "", &message("hang").to_string());
    let deadline = Duration::from_secs(20);
    runtime.block_on(async { tokio::time::timeout(deadline, server.received(1)).await }).unwrap();
    silent.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    (&silent).read(&mut [0]).expect_err("not even a status line");
    leave(silent);

    let midway = open(&server, "POST", MESSAGES, "", &message("say: so far\nhang").to_string());
    let mut lines = BufReader::new(midway).lines();
    assert!(lines.any(|line| line.unwrap().contains("far")));
    // The other end is gone with the server, which does not wait for what hangs.
    drop(server);
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(!rest.concat().contains("message_stop"), "{rest:?}");
}

#[test]
fn slow_streams_and_pauses_take_their_time() {
    let server = start();
    let start = Instant::now();
    assert_eq!(said(&ask(&server, "slow: 20ms\nsay: a b c d\npause: 60ms")), "a b c d");
    assert!(start.elapsed() >= Duration::from_millis(140));
}
