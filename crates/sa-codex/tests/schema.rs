//! Recorded messages of the app-server, held against the schema of what is read of them. When a new version of the CLI says
//! something else than the adapter reads, this is where it shows: in the schema when it is derived again, in the messages when
//! they are recorded again.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Messages that are ignored.
const UNREAD: [&str; 17] = [
    "notification/account/updated",
    "notification/configWarning",
    "notification/deprecationNotice",
    "notification/item/commandExecution/terminalInteraction",
    "notification/item/fileChange/patchUpdated",
    "notification/model/rerouted",
    "notification/rawResponseItem/completed",
    "notification/skills/changed",
    "notification/thread/archived",
    "notification/thread/closed",
    "notification/thread/compacted",
    "notification/thread/deleted",
    "notification/thread/environment/connected",
    "notification/thread/goal/cleared",
    "notification/thread/settings/updated",
    "notification/turn/diff/updated",
    "notification/warning",
];

/// Of these there is no recording.
const UNRECORDED: [&str; 10] = [
    "answer/command/exec",
    "answer/review/start",
    "item/collabAgentToolCall",
    "item/enteredReviewMode",
    "item/exitedReviewMode",
    "item/hookPrompt",
    "item/subAgentActivity",
    "item/webSearch",
    "notification/item/mcpToolCall/progress",
    "notification/item/reasoning/textDelta",
];

/// Old versions repeat everything under such names.
const OLD_EVENTS: &str = "notification/codex/event/";

fn validators() -> HashMap<String, Validator> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/codex/app-server.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let validator = |(name, definition): (&String, &Value)| {
        (name.clone(), jsonschema::draft202012::new(definition).unwrap())
    };
    schema["$defs"].as_object().unwrap().iter().map(validator).collect()
}

fn captures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Everything that is wrong with messages, and the kinds that they showed.
struct Findings<'a> {
    validators: &'a HashMap<String, Validator>,
    wrong: Vec<String>,
    seen: BTreeSet<String>,
}

impl<'a> Findings<'a> {
    fn new(validators: &'a HashMap<String, Validator>) -> Self {
        Self { validators, wrong: Vec::new(), seen: BTreeSet::new() }
    }

    fn check(&mut self, name: &str, value: &Value) {
        self.seen.insert(name.to_owned());
        match self.validators.get(name) {
            Some(validator) => {
                self.wrong.extend(validator.iter_errors(value).map(|error| format!("{name}: {error}")));
                self.check_items(value);
            }
            None if UNREAD.contains(&name) || name.starts_with(OLD_EVENTS) => {}
            None => self.wrong.push(format!("{name}: no such kind of message is known")),
        }
    }

    /// Looks at the items in a message, wherever the protocol has some.
    fn check_items(&mut self, value: &Value) {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut items: Vec<Value> = value.get("item").cloned().into_iter().collect();
        items.extend(list(&value["turn"]["items"]));
        items.extend(list(&value["thread"]["turns"]).iter().flat_map(|turn| list(&turn["items"])));
        for item in items {
            let name = format!("item/{}", item["type"].as_str().unwrap_or_default());
            // Items of kinds that are not known are shown as they are.
            if let Some(validator) = self.validators.get(&name) {
                self.wrong.extend(validator.iter_errors(&item).map(|error| format!("{name}: {error}")));
                self.seen.insert(name);
            }
        }
    }

    /// Looks at a recorded run: all that the app-server wrote.
    fn replay(&mut self, text: &str) {
        let mut asked: HashMap<String, String> = HashMap::new();
        for row in text.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()) {
            let message = &row["msg"];
            let (method, id) = (message["method"].as_str(), message.get("id").map(Value::to_string));
            match (row["dir"].as_str(), method, id) {
                (Some("->"), Some(method), Some(id)) => drop(asked.insert(id, method.to_owned())),
                (Some("<-"), Some(method), None) => {
                    self.check(&format!("notification/{method}"), &message["params"]);
                }
                (Some("<-"), Some(method), Some(_)) => {
                    self.check(&format!("request/{method}"), &message["params"]);
                }
                (Some("<-"), None, Some(id)) => {
                    let name = asked.get(&id).map(|method| format!("answer/{method}")).unwrap_or_default();
                    if let (Some(result), true) = (message.get("result"), self.validators.contains_key(&name))
                    {
                        self.check(&name, result);
                    }
                }
                _ => {}
            }
        }
    }
}

#[test]
fn every_recorded_message_is_as_it_is_read() {
    let validators = validators();
    let mut findings = Findings::new(&validators);
    for path in captures() {
        let before = findings.wrong.len();
        findings.replay(&fs::read_to_string(&path).unwrap());
        let file = path.file_name().unwrap().display().to_string();
        findings.wrong.iter_mut().skip(before).for_each(|wrong| wrong.insert_str(0, &format!("{file}: ")));
    }
    assert!(findings.wrong.is_empty(), "{:#?}", findings.wrong);
    let read = validators.keys().filter(|name| !name.starts_with("call/"));
    let unseen: BTreeSet<_> =
        read.map(String::as_str).filter(|name| !findings.seen.contains(*name)).collect();
    assert_eq!(unseen, BTreeSet::from(UNRECORDED));
}

#[test]
fn a_message_that_says_something_else_is_noticed() {
    let validators = validators();
    let item = |item: Value| json!({ "method": "item/started", "params": { "threadId": "t", "item": item } });
    for (message, wrong) in [
        (item(json!({ "type": "agentMessage", "id": "m", "text": "x" })), 0),
        (item(json!({ "type": "agentMessage", "id": "m", "text": 7 })), 1),
        (item(json!({ "type": "agentMessage", "id": "m" })), 1),
        (item(json!({ "id": "m" })), 1),
        (item(json!({ "type": "fromTheFuture", "id": "m" })), 0),
        (json!({ "method": "from/theFuture", "params": {} }), 1),
        (json!({ "method": "item/tool/requestUserInput", "id": 0, "params": { "threadId": "t" } }), 1),
    ] {
        let mut findings = Findings::new(&validators);
        findings.replay(&json!({ "dir": "<-", "msg": message }).to_string());
        assert_eq!(findings.wrong.len(), wrong, "{message}: {:?}", findings.wrong);
    }
}
