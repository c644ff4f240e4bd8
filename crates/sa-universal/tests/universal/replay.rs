//! Messages of the built-in agents in recorded sessions, as events.

use crate::schema::errors;
use sa_api::sessions::{DeltaKind, EventData, UniversalMessage};
use sa_universal::testing::Projector;
use sa_universal::{Asked, Reducer, stop_reason};
use serde_json::value::to_raw_value;
use serde_json::{Deserializer, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A session that is replayed from the log of another crate's test.
#[derive(Default)]
struct Replay {
    events: Vec<EventData>,
    text: String,
    turns: usize,
    asked: usize,
}

impl Replay {
    fn line(&mut self, reducer: &mut Reducer, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        let first = values.next().and_then(Result::ok).unwrap_or_default();
        match word {
            "#" if rest == "session/prompt" => {
                self.turns += 1;
                let events = reducer.begin_turn(&format!("turn-{}", self.turns));
                self.note(events);
            }
            // The log has the pieces side by side: "id" "one"|"two".
            "agent_message_chunk" | "agent_thought_chunk" if first.is_string() => {
                let (_, pieces) = rest.split_once(' ').unwrap();
                // One that is cut off says how much is missing, and is of no use here.
                let Some(pieces) = pieces.strip_suffix('"') else { return };
                let pieces = pieces.trim_start_matches('"');
                for piece in pieces.split("\"|\"") {
                    let text: String = serde_json::from_str(&format!("\"{piece}\"")).unwrap();
                    let content = json!({ "type": "text", "text": text });
                    self.update(
                        reducer,
                        json!({ "sessionUpdate": word, "messageId": first, "content": content }),
                    );
                }
            }
            "session/request_permission" => {
                self.asked += 1;
                let id = format!("ask-{}", self.asked);
                let (events, asked) = reducer.permission(&to_raw_value(&first).unwrap(), &id).unwrap();
                self.note(events);
                self.note(vec![match asked {
                    Asked::Permission(request) => EventData::PermissionAsked(request),
                    Asked::PlanApproval(request, _) => EventData::QuestionAsked(request),
                }]);
            }
            "elicitation/create" => {
                let (events, asked) = reducer.question(&to_raw_value(&first).unwrap(), "question");
                self.note(events);
                self.note(vec![EventData::QuestionAsked(asked.unwrap().0)]);
            }
            "result" if first["stopReason"].is_string() => {
                let events = reducer.end_turn();
                self.note(events);
                let (reason, usage) = stop_reason(&to_raw_value(&first).unwrap());
                writeln!(self.text, "ended {reason:?} {}", json!(usage)).unwrap();
            }
            // A part that the log only summarizes has nothing to read.
            _ if first.is_object() && word.contains('_') && !word.contains('/') => {
                let mut update = first;
                update["sessionUpdate"] = word.into();
                self.update(reducer, update);
            }
            _ => {}
        }
    }

    fn update(&mut self, reducer: &mut Reducer, update: Value) {
        let events = reducer.update(&to_raw_value(&json!({ "sessionId": "s", "update": update })).unwrap());
        self.note(events);
    }

    fn note(&mut self, events: Vec<EventData>) {
        for event in events {
            match &event {
                EventData::MessageDelta(delta) => {
                    writeln!(self.text, "+ {} {:?} {:?}", delta.message_id, delta.kind, delta.text).unwrap();
                }
                other => writeln!(self.text, "{}", serde_json::to_string(other).unwrap()).unwrap(),
            }
            self.events.push(event);
        }
    }
}

fn replayed(path: &Path) -> Replay {
    let mut replay = Replay::default();
    let mut reducer = Reducer::new("run");
    for line in fs::read_to_string(path).unwrap().lines() {
        replay.line(&mut reducer, line);
    }
    let events = reducer.end_turn();
    replay.note(events);
    replay
}

fn logs(agent: &str) -> std::path::PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.join(format!("sa-{agent}/tests/{agent}/snapshots/replay"))
}

#[test]
fn representative_sessions() {
    let sessions = [
        ("claude", "text_thinking"),
        ("claude", "subagent"),
        ("claude", "plan_approve"),
        ("claude", "ask"),
        ("claude", "edit"),
        ("codex", "01_text_reasoning_multiturn"),
        ("codex", "05_plan_mode"),
        ("codex", "04_patch_ro_accept"),
    ];
    for (agent, name) in sessions {
        let replay = replayed(&logs(agent).join(format!("{name}.snap")));
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "snapshots/replay" }, {
            insta::assert_snapshot!(format!("{agent}-{name}"), replay.text);
        });
    }
}

#[test]
fn every_recorded_session_is_understood_and_can_be_told_again() {
    let mut count = 0;
    for agent in ["claude", "codex"] {
        for entry in fs::read_dir(logs(agent)).unwrap() {
            let path = entry.unwrap().path();
            let replay = replayed(&path);
            count += replay.events.len();
            let mut projector = Projector::default();
            for event in &replay.events {
                if let EventData::Unknown(unknown) = event {
                    let kind = unknown.raw["sessionUpdate"].as_str();
                    assert_eq!(
                        kind,
                        Some("session_info_update"),
                        "{path:?}: only what agents add is not understood"
                    );
                }
                for update in projector.updates(event) {
                    assert_eq!(errors("SessionUpdate", &update), [""; 0], "{path:?}: {update:#}");
                }
            }
        }
    }
    assert!(count > 1000, "only {count} events were found");
}

/// Lines of a log that has whole messages: those that the adapter wrote.
fn written(path: &Path) -> Replay {
    let mut replay = Replay::default();
    let mut reducer = Reducer::new("run");
    for line in fs::read_to_string(path).unwrap().lines() {
        let Some((_, message)) = line.split_once("→ ") else { continue };
        let Ok(message) = serde_json::from_str::<Value>(message) else { continue };
        match message["method"].as_str() {
            Some("session/update") => replay.update(&mut reducer, message["params"]["update"].clone()),
            Some(method @ ("session/request_permission" | "elicitation/create")) => {
                replay.line(&mut reducer, &format!("{method} {}", message["params"]));
            }
            _ => {}
        }
    }
    replay
}

#[test]
fn text_is_whole_before_a_question_or_permission() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let whole = |agent: &str| crates.join(format!("sa-{agent}/tests/{agent}/snapshots"));
    let logs = [
        ("claude", logs("claude"), replayed as fn(&Path) -> Replay),
        ("codex", logs("codex"), replayed),
        ("opencode", whole("opencode"), written),
        ("amp", whole("amp"), written),
    ];
    for (agent, directory, replay) in logs {
        let (mut asked, mut led) = (0, 0);
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let mut unfinished = BTreeSet::new();
            let mut spoke = false;
            for event in replay(&path).events {
                match event {
                    EventData::MessageDelta(delta) if delta.kind != DeltaKind::Output => {
                        unfinished.insert(delta.message_id);
                        spoke = true;
                    }
                    EventData::Message(UniversalMessage::Parsed(message)) => {
                        unfinished.remove(&message.id);
                    }
                    EventData::QuestionAsked(_) | EventData::PermissionAsked(_) => {
                        assert!(unfinished.is_empty(), "{path:?}: {unfinished:?}");
                        (asked, led) = (asked + 1, led + usize::from(spoke));
                    }
                    _ => {}
                }
            }
        }
        // Amp asks at its permission socket, which its recordings do not have.
        assert!(asked > 0 || agent == "amp", "{agent} asks nothing");
        // Claude's and Codex's recordings also have text before what they ask.
        assert!(led > 0 || !["claude", "codex"].contains(&agent), "{agent} says nothing before it asks");
    }
}
