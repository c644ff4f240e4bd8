//! Recorded conversations with the server, held against the schema of what is read of them and of what the server takes.
//! When a new version of the CLI says something else than the adapter reads, this is where it shows: in the schema when it is
//! derived again, in the conversations when they are recorded again.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code)]
#[path = "opencode/client.rs"]
mod client;

use client::{Client, SESSION, host, info, name, requests};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

const RECORDINGS: [(&str, &str); 3] = [
    ("asking", include_str!("fixtures/asking.jsonl")),
    ("talking", include_str!("fixtures/talking.jsonl")),
    ("tools", include_str!("fixtures/tools.jsonl")),
];

/// Messages that are ignored.
const UNREAD: [&str; 10] = [
    "event/file.edited",
    "event/file.watcher.updated",
    "event/integration.updated",
    "event/project.updated",
    "event/reference.updated",
    "event/server.connected",
    "event/session.diff",
    "event/session.idle",
    "part/step-finish",
    "part/step-start",
];

/// Of these there is no recording.
const UNRECORDED: [&str; 12] = [
    "answer/GET /experimental/session",
    "answer/GET /permission",
    "answer/GET /question",
    "answer/GET /session/{sessionID}",
    "answer/GET /session/{sessionID}/message",
    "answer/POST /mcp",
    "answer/POST /session/{sessionID}/command",
    "answer/POST /session/{sessionID}/fork",
    "event/mcp.tools.changed",
    "event/question.rejected",
    "part/file",
    "refusal",
];

/// A definition of the schema.
struct Kind {
    definition: Value,
    validator: Validator,
}

fn kinds() -> BTreeMap<String, Kind> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/opencode/server.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let kind = |(name, definition): (&String, &Value)| {
        let validator = jsonschema::draft202012::new(definition).unwrap();
        (name.clone(), Kind { definition: definition.clone(), validator })
    };
    schema["$defs"].as_object().unwrap().iter().map(kind).collect()
}

/// Everything that is wrong with conversations, and the kinds that they showed.
struct Findings<'a> {
    kinds: &'a BTreeMap<String, Kind>,
    wrong: Vec<String>,
    seen: BTreeSet<String>,
}

impl<'a> Findings<'a> {
    fn new(kinds: &'a BTreeMap<String, Kind>) -> Self {
        Self { kinds, wrong: Vec::new(), seen: BTreeSet::new() }
    }

    fn check(&mut self, name: &str, value: &Value) {
        self.seen.insert(name.to_owned());
        match self.kinds.get(name) {
            Some(kind) => {
                let wrong = kind.validator.iter_errors(value);
                self.wrong.extend(wrong.map(|error| format!("{name}: {error}")));
            }
            None if UNREAD.contains(&name) => {}
            None => self.wrong.push(format!("{name}: no such kind is known")),
        }
    }

    /// Looks at the parts in an event or an answer, wherever there are some.
    fn check_parts(&mut self, value: &Value) {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut parts: Vec<Value> = value.get("part").cloned().into_iter().collect();
        parts.extend(list(&value["parts"]));
        parts.extend(list(value).iter().flat_map(|whole| list(&whole["parts"])));
        for part in parts {
            self.check(&format!("part/{}", part["type"].as_str().unwrap_or_default()), &part);
        }
    }

    /// The name that a request has in the schema, where ids have names.
    fn request(&self, asked: &str) -> Option<String> {
        let fits = |known: &&str| {
            let (known, asked): (Vec<_>, Vec<_>) = (known.split('/').collect(), asked.split('/').collect());
            let same = |(known, asked): (&&str, &&str)| known == asked || known.starts_with('{');
            known.len() == asked.len() && known.iter().zip(&asked).all(same)
        };
        self.kinds.keys().filter_map(|name| name.strip_prefix("call/")).find(fits).map(str::to_owned)
    }

    /// Looks at all that the server says in a recorded conversation.
    fn replay(&mut self, text: &str) {
        for row in text.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()) {
            let event = &row["event"]["payload"];
            if let Some(kind) = event["type"].as_str() {
                self.check(&format!("event/{kind}"), &event["properties"]);
                self.check_parts(&event["properties"]);
            }
            if let Some(asked) = row["answer"].as_str() {
                self.check_answer(asked, row["status"].as_u64(), &row["body"]);
            }
        }
    }

    fn check_answer(&mut self, asked: &str, status: Option<u64>, body: &Value) {
        let Some(request) = self.request(asked) else {
            return self.wrong.push(format!("{asked}: no such request is known"));
        };
        if status.is_none_or(|status| status >= 300) {
            return self.check("refusal", body);
        }
        // Of other answers is only read that they do not refuse.
        let name = format!("answer/{request}");
        if self.kinds.contains_key(&name) {
            self.check(&name, body);
            self.check_parts(body);
        }
    }

    /// Looks at a request of the adapter: whether the server would understand it, and all of it.
    fn check_call(&mut self, call: &Value) {
        let asked = name(call);
        let Some(request) = self.request(&asked) else {
            return self.wrong.push(format!("{asked}: no such request is known"));
        };
        let key = format!("call/{request}");
        let definition = self.kinds[&key].definition.clone();
        let query = call["path"].as_str().unwrap().split_once('?').map_or("", |(_, query)| query);
        // In an address all is text; which names there are is what can be held against the schema.
        let names = query.split('&').filter_map(|pair| pair.split_once('='));
        let names = names.map(|(name, _)| (name.to_owned(), Value::Null)).collect();
        let mut strangers = strange(&definition["properties"]["query"], &Value::Object(names));
        let body = call.get("body").filter(|body| **body != json!({}) || takes_body(&definition));
        if let Some(body) = body {
            strangers.extend(strange(&definition["properties"]["body"], body));
        }
        self.wrong.extend(strangers.iter().map(|name| format!("{key}: {name} is not known")));
        self.check(&key, &body.map_or(json!({}), |body| json!({ "body": body })));
    }
}

fn takes_body(definition: &Value) -> bool {
    definition["properties"].get("body").is_some()
}

/// The members of a value that its schema does not have; the server refuses some of them.
fn strange(schema: &Value, value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => {
            let inner = |(name, value): (&String, &Value)| match schema["properties"].get(name) {
                Some(schema) => strange(schema, value),
                None if schema["additionalProperties"].is_object() => Vec::new(),
                None => vec![name.clone()],
            };
            members.iter().flat_map(inner).collect()
        }
        Value::Array(items) => items.iter().flat_map(|item| strange(&schema["items"], item)).collect(),
        _ => Vec::new(),
    }
}

/// A client that remembers everything that the server was asked.
struct Asking {
    client: Client,
    asked: BTreeMap<u64, Value>,
}

impl Asking {
    fn new(client: Client) -> Self {
        let mut asking = Self { client, asked: BTreeMap::new() };
        asking.then(|_| {});
        asking
    }

    fn then<T>(&mut self, act: impl FnOnce(&mut Client) -> T) {
        act(&mut self.client);
        self.asked
            .extend(self.client.peer.calls.iter().map(|call| (call["id"].as_u64().unwrap(), call.clone())));
    }
}

/// Returns the adapter's requests in a recorded conversation.
fn asked_in(recording: &str) -> Vec<Value> {
    let mut asking = Asking::new(Client::new(host()));
    for row in recording.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()) {
        let at = Duration::from_secs_f64(row["at"].as_f64().unwrap());
        asking.then(|client| client.pass_until(at));
        asking.then(|client| match (row["answer"].as_str(), row["event"].is_object()) {
            (Some(to), _) => client.respond(to, row["body"].clone()),
            (None, true) => client.native(&json!({ "event": row["event"] })),
            (None, false) if row["up"] == true => client.native(&json!({ "up": true })),
            (None, false) => client.line(&row["client"]),
        });
    }
    asking.asked.into_values().collect()
}

/// Returns its requests for actions that no recording has.
fn asked_besides() -> Vec<Value> {
    let mut asking = Asking::new(Client::open());
    let place = |id: &str| json!({ "sessionId": id, "cwd": "/project", "mcpServers": [] });
    asking.then(|it| it.call("session/list", json!({ "cwd": "/project", "cursor": "951" })));
    asking.then(|it| it.call("session/delete", json!({ "sessionId": "ses_gone" })));
    asking.then(|it| it.respond("GET /session/ses_gone", info("ses_gone")));
    asking.then(|it| it.call("session/load", place("ses_old")));
    asking.then(Client::answer_facts);
    asking.then(|it| it.respond("GET /session/ses_old", info("ses_old")));
    asking.then(|it| it.call("session/fork", place(SESSION)));
    asking.then(Client::answer_facts);
    let variable = json!({ "name": "A", "value": "b" });
    let local = json!({ "name": "files", "command": "/bin/files", "args": ["-x"], "env": [variable] });
    let remote = json!({ "type": "http", "name": "web", "url": "http://localhost/", "headers": [variable] });
    asking.then(|it| it.call("session/new", json!({ "cwd": "/other", "mcpServers": [local, remote] })));
    asking.then(Client::answer_facts);
    asking.then(|it| it.respond("POST /session", info("ses_two")));
    asking.then(|it| it.call("session/close", json!({ "sessionId": "ses_two" })));
    let effort = json!({ "sessionId": SESSION, "configId": "effort", "value": "max" });
    asking.then(|it| it.call("session/set_config_option", effort));
    let image = json!({ "type": "image", "mimeType": "image/png", "data": "AAAA" });
    let prompt = json!([{ "type": "text", "text": "/init now" }, image]);
    asking.then(|it| it.call("session/prompt", json!({ "sessionId": SESSION, "prompt": prompt })));
    asking.then(|it| it.status(SESSION, "busy"));
    asking.then(|it| it.native(&json!({ "down": "closed" })));
    asking.then(|it| it.native(&json!({ "up": true })));
    let choice = json!({ "question": "Which?", "options": [{ "label": "A" }] });
    asking.then(|it| {
        let told = it.event(SESSION, "question.asked", json!({ "id": "que_1", "questions": [choice] }));
        it.answer(requests(&told)[0], json!({ "action": "decline" }))
    });
    asking.asked.into_values().collect()
}

#[test]
fn everything_recorded_is_as_it_is_read() {
    let kinds = kinds();
    let mut findings = Findings::new(&kinds);
    for (file, text) in RECORDINGS {
        let before = findings.wrong.len();
        findings.replay(text);
        findings.wrong.iter_mut().skip(before).for_each(|wrong| wrong.insert_str(0, &format!("{file}: ")));
    }
    assert!(findings.wrong.is_empty(), "{:#?}", findings.wrong);
    let read = kinds.keys().map(String::as_str).filter(|name| !name.starts_with("call/"));
    let unseen: BTreeSet<_> = read.filter(|name| !findings.seen.contains(*name)).collect();
    assert_eq!(unseen, BTreeSet::from(UNRECORDED));
}

#[test]
fn everything_asked_is_something_that_the_server_takes() {
    let kinds = kinds();
    let mut findings = Findings::new(&kinds);
    for call in RECORDINGS.iter().flat_map(|(_, text)| asked_in(text)).chain(asked_besides()) {
        findings.check_call(&call);
    }
    assert!(findings.wrong.is_empty(), "{:#?}", findings.wrong);
    let calls = kinds.keys().map(String::as_str).filter(|name| name.starts_with("call/"));
    let unasked: Vec<_> = calls.filter(|name| !findings.seen.contains(*name)).collect();
    // Events are asked for by the wire.
    assert_eq!(unasked, ["call/GET /global/event"]);
}

#[test]
fn what_says_something_else_is_noticed() {
    let kinds = kinds();
    let event = |kind: &str, properties: Value| json!({ "event": { "payload": { "type": kind, "properties": properties } } });
    let part = |part: Value| event("message.part.updated", json!({ "sessionID": "s", "part": part }));
    for (row, wrong) in [
        (part(json!({ "id": "p", "messageID": "m", "type": "text", "text": "x" })), 0),
        (part(json!({ "id": "p", "messageID": "m", "type": "text", "text": 7 })), 1),
        (part(json!({ "id": "p", "messageID": "m", "type": "text" })), 1),
        (part(json!({ "id": "p", "messageID": "m", "type": "from-the-future" })), 1),
        (event("from.the.future", json!({})), 1),
        (event("question.replied", json!({ "sessionID": "s" })), 1),
        (json!({ "answer": "GET /global/health", "status": 200, "body": { "version": 1 } }), 1),
        (json!({ "answer": "GET /session/s", "status": 404, "body": { "data": { "message": "no" } } }), 0),
        (json!({ "answer": "GET /session/s", "status": 404, "body": { "data": "no" } }), 1),
        (json!({ "answer": "GET /from/the/future", "status": 200, "body": {} }), 1),
    ] {
        let mut findings = Findings::new(&kinds);
        findings.replay(&row.to_string());
        assert_eq!(findings.wrong.len(), wrong, "{row}: {:?}", findings.wrong);
    }
    let reply = |query: &str, body: Value| {
        let path = format!("/permission/p/reply?{query}=x");
        json!({ "method": "POST", "path": path, "body": body })
    };
    for (call, wrong) in [
        (reply("directory", json!({ "reply": "once" })), 0),
        (reply("place", json!({ "reply": "once" })), 1),
        (reply("directory", json!({ "reply": "once", "why": "so" })), 1),
        (reply("directory", json!({})), 1),
    ] {
        let mut findings = Findings::new(&kinds);
        findings.check_call(&call);
        assert_eq!(findings.wrong.len(), wrong, "{call}: {:?}", findings.wrong);
    }
}
