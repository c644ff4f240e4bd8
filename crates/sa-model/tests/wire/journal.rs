//! Requests as tests see them, and other answers of the server.

use crate::client::{MESSAGES, message, open, post, read};
use sa_model::{Auth, ModelServer};
use serde_json::{Value, json};

fn get(server: &ModelServer, method: &str, path: &str, headers: &str) -> crate::client::Answer {
    read(open(server, method, path, headers, ""))
}

#[test]
fn requests_can_be_looked_at_and_forgotten() {
    let server = ModelServer::start().unwrap();
    let body = message("say: hi");
    read(open(&server, "POST", MESSAGES, "X-Api-Key: sk-1\r\nx-app: cli\r\n", &body.to_string()));
    read(open(&server, "POST", "/v1beta/models/gem:generateContent?key=g-1", "", "{}"));
    read(open(&server, "POST", "/v1/responses", "authorization: Bearer t\r\n", "no json"));
    post(&server, "/elsewhere", &json!({}));

    let requests = server.requests();
    let auth = |name: &str, value: &str| Some(Auth { name: name.to_owned(), value: value.to_owned() });
    assert_eq!(
        requests.iter().map(|r| r.api).collect::<Vec<_>>(),
        ["messages", "gemini", "responses", "other"]
    );
    assert_eq!(requests[0].auth, auth("x-api-key", "sk-1"));
    assert_eq!(requests[0].path, MESSAGES);
    assert_eq!(requests[0].model.as_deref(), Some("m"));
    assert_eq!(requests[0].headers["x-app"], "cli");
    assert_eq!(requests[0].body, body);
    assert_eq!(requests[1].auth, auth("key", "g-1"));
    assert_eq!(requests[1].model.as_deref(), Some("gem"));
    assert_eq!((&requests[2].auth, &requests[2].body), (&auth("authorization", "Bearer t"), &Value::Null));

    let listed = get(&server, "GET", "/_model/requests", "").json();
    assert_eq!(listed.as_array().unwrap().len(), 4);
    assert_eq!(listed[0]["auth"], json!({"name": "x-api-key", "value": "sk-1"}));
    assert_eq!(get(&server, "DELETE", "/_model/requests", "").status, 204);
    assert!(server.requests().is_empty());
    post(&server, MESSAGES, &body);
    assert_eq!(server.requests()[0].number, 5);
    server.clear();
    assert!(server.requests().is_empty());
}

#[test]
fn agents_find_what_they_look_for_besides_answers() {
    let server = ModelServer::start().unwrap();
    assert_eq!(get(&server, "HEAD", "/", "").status, 200);
    let upgrade = "upgrade: websocket\r\nsec-websocket-key: x\r\nsec-websocket-version: 13\r\n";
    assert_eq!(get(&server, "GET", "/v1/responses", upgrade).status, 426);
    let models = get(&server, "GET", "/v1/models", "").json();
    assert!(models["data"].as_array().unwrap().iter().any(|model| model["id"] == "scripted-1"));
    let models = get(&server, "GET", "/v1beta/models", "").json();
    assert!(models["models"].as_array().unwrap().iter().any(|model| model["name"] == "models/scripted-1"));
    let count = post(&server, "/v1/messages/count_tokens?beta=true", &message("12345678")).json();
    assert_eq!(count, json!({"input_tokens": 2}));
    let missing = get(&server, "GET", "/v1/other", "");
    assert_eq!(missing.status, 404);
    assert_eq!(
        post(&server, MESSAGES, &json!({})).status,
        200,
        "a conversation without a prompt has an answer"
    );
    assert_eq!(read(open(&server, "POST", MESSAGES, "", "{")).status, 400);
}

#[test]
fn a_port_is_free_again_after_its_server() {
    let server = ModelServer::start().unwrap();
    let port = server.port();
    assert_eq!(server.url(), format!("http://127.0.0.1:{port}"));
    ModelServer::start_on(port).expect_err("the port is taken");
    post(&server, MESSAGES, &message("say: hi"));
    drop(server);
    assert_eq!(ModelServer::start_on(port).unwrap().port(), port);
}
