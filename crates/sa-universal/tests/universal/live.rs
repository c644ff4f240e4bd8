//! The output of tools while they run: seen soon, and not stored many times.

use proptest::prelude::*;
use sa_api::sessions::{DeltaKind, EventData, MessagePart, ToolContent, UniversalMessage};
use sa_universal::Reducer;
use sa_universal::testing::Projector;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

/// A running command, as an agent reports it.
struct Command {
    reducer: Reducer,
    events: Vec<EventData>,
}

impl Command {
    fn start() -> Self {
        let mut command = Self { reducer: Reducer::new("run"), events: Vec::new() };
        command.reducer.begin_turn("turn");
        let call = json!({ "sessionUpdate": "tool_call", "title": "make", "kind": "execute", "status": "in_progress", "rawInput": { "command": "make" } });
        command.update(call);
        command
    }

    fn update(&mut self, mut update: Value) {
        update["toolCallId"] = json!("call_0123456789");
        let kind = update.get("sessionUpdate").cloned();
        update["sessionUpdate"] = kind.unwrap_or_else(|| json!("tool_call_update"));
        let params = to_raw_value(&json!({ "sessionId": "s", "update": update })).unwrap();
        self.events.extend(self.reducer.update(&params));
    }

    fn show(&mut self, text: &str) {
        self.update(json!({ "content": content(text) }));
    }

    /// Ends as our adapters end a command: with the text for people, for programs and for terminals.
    fn end(&mut self, printed: &str) {
        self.update(json!({
            "status": "completed",
            "content": content(&fenced(printed)),
            "rawOutput": { "output": printed, "exitCode": 0 },
            "_meta": { "terminal_output": { "terminal_id": "call_0123456789", "data": printed } },
        }));
    }

    /// Bytes that a log has of it.
    fn logged(&self) -> usize {
        let written = |event: &EventData| {
            let event = json!({
                "id": 123_456, "timestamp": "2026-01-01T12:00:00.000Z", "sessionId": "my-session", "agent": "opencode",
                "nativeSessionId": "0b6c9a51-6b7c-4b6e-9a55-3a6c1f1f8c1e", "data": event,
            });
            event.to_string().len()
        };
        self.events.iter().map(written).sum()
    }

    fn pieces(&self) -> Vec<&str> {
        let mut pieces = Vec::new();
        for event in &self.events {
            if let EventData::MessageDelta(delta) = event {
                let about = (delta.kind, delta.message_id.as_str());
                assert_eq!(about, (DeltaKind::Output, "tool:call_0123456789"));
                pieces.push(delta.text.as_str());
            }
        }
        pieces
    }

    /// The text of the newest whole message, and the message as JSON.
    fn whole(&self) -> (String, Value) {
        let message = self.events.iter().rev().find_map(|event| match event {
            EventData::Message(UniversalMessage::Parsed(message)) => Some(message),
            _ => None,
        });
        let message = message.unwrap();
        let text = message.parts.iter().find_map(|part| match part {
            MessagePart::ToolResult { content, .. } => content.iter().find_map(|content| match content {
                ToolContent::Text { text, .. } => Some(text.clone()),
                _ => None,
            }),
            _ => None,
        });
        (text.unwrap_or_default(), serde_json::to_value(message).unwrap())
    }
}

fn content(text: &str) -> Value {
    json!([{ "type": "content", "content": { "type": "text", "text": text } }])
}

fn fenced(text: &str) -> String {
    format!("```console\n{}\n```", text.trim_end())
}

fn last(text: &str, bytes: usize) -> &str {
    text.get(text.len().saturating_sub(bytes)..).unwrap()
}

#[test]
fn each_line_is_seen_at_once_while_there_are_few() {
    let mut command = Command::start();
    let mut printed = String::new();
    for line in ["one\n", "two\n", "three\n"] {
        printed.push_str(line);
        command.show(&fenced(&printed));
    }
    assert_eq!(command.pieces(), ["one", "\ntwo", "\nthree"]);
    command.end(&printed);
    let (text, whole) = command.whole();
    assert_eq!(text, fenced(&printed));
    assert_eq!(whole["parts"][0]["status"], "completed");
    assert_eq!(whole.to_string().matches("three").count(), 1, "the text is there once: {whole}");
    assert_eq!(whole["parts"][1]["output"], json!({ "exitCode": 0 }));
}

#[test]
fn an_empty_text_in_place_of_an_output_is_in_the_whole_message() {
    let mut command = Command { reducer: Reducer::new("run"), events: Vec::new() };
    command.reducer.begin_turn("turn");
    command.update(json!({ "sessionUpdate": "tool_call", "title": "make", "rawOutput": "a" }));
    command.update(json!({ "content": content("") }));
    command.events.extend(command.reducer.end_turn());
    assert_eq!(command.whole().1["parts"][1]["content"], json!([{ "type": "text", "text": "" }]));
}

#[test]
fn what_was_left_out_is_put_back_for_acp() {
    let mut command = Command::start();
    command.end("hello");
    let mut projector = Projector::default();
    let updates: Vec<Value> = command.events.iter().flat_map(|event| projector.updates(event)).collect();
    let last = updates.last().unwrap();
    assert_eq!(
        last["_meta"]["terminal_output"],
        json!({ "terminal_id": "call_0123456789", "data": "hello" })
    );
    assert_eq!(last["content"], content("```console\nhello\n```"));
}

#[test]
fn an_output_that_became_a_copy_replaces_the_older_one_for_acp() {
    let mut command = Command::start();
    command.update(json!({ "status": "completed", "rawOutput": "old" }));
    command.update(json!({ "content": content("new"), "rawOutput": "new" }));
    let mut projector = Projector::default();
    let updates: Vec<Value> = command.events.iter().flat_map(|event| projector.updates(event)).collect();
    assert_eq!(updates.last().unwrap()["rawOutput"], "new");
}

#[test]
fn other_things_that_a_result_says_stay() {
    let mut command = Command::start();
    command.update(json!({ "status": "completed", "content": content("ok"), "rawOutput": { "status": "ok", "output": "okay" } }));
    assert_eq!(command.whole().1["parts"][1]["output"], json!({ "status": "ok", "output": "okay" }));
}

#[test]
fn a_question_comes_after_what_led_to_it() {
    let mut reducer = Reducer::new("run");
    reducer.begin_turn("turn");
    let say = |text: &str| {
        let update =
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
        to_raw_value(&json!({ "update": update })).unwrap()
    };
    let names = |events: &[EventData]| {
        let name = |event: &EventData| {
            serde_json::to_value(event).unwrap().as_object().unwrap().keys().next().cloned()
        };
        events.iter().filter_map(name).collect::<Vec<_>>()
    };
    let call = json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "Write" });
    reducer.update(&to_raw_value(&json!({ "update": call })).unwrap());
    reducer.update(&say("I found"));
    let request = json!({ "toolCall": { "toolCallId": "t" }, "options": [{ "optionId": "a", "name": "A", "kind": "allow_once" }] });
    let (events, _) = reducer.permission(&to_raw_value(&request).unwrap(), "ask").unwrap();
    assert_eq!(names(&events), ["message"], "a permission for a call that is known");
    let question = json!({ "mode": "form", "message": "Go?", "requestedSchema": { "properties": {} } });
    let question = to_raw_value(&question).unwrap();
    assert!(reducer.question(&question, "ask").0.is_empty(), "nothing is told twice");
    reducer.update(&say(" two problems"));
    let plan = json!({ "sessionUpdate": "plan", "entries": [{ "content": "Mend them" }] });
    let plan = to_raw_value(&json!({ "update": plan })).unwrap();
    assert_eq!(names(&reducer.update(&plan)), ["message", "plan"]);
    assert!(reducer.update(&plan).is_empty());
    reducer.update(&say("."));
    let (events, asked) = reducer.question(&question, "ask");
    assert_eq!(asked.unwrap().0.turn_id.as_deref(), Some("turn"));
    let [EventData::Message(UniversalMessage::Parsed(message))] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(message.parts, [MessagePart::Text { text: "I found two problems.".to_owned() }]);
}

#[test]
fn the_turns_end_leaves_nothing_untold() {
    let mut command = Command::start();
    let mut printed = String::new();
    for n in 0..600 {
        printed.push_str(&format!("{n}\n"));
        command.show(&printed);
    }
    assert!(command.reducer.is_behind());
    let caught_up = command.reducer.catch_up();
    assert!(
        matches!(caught_up.as_slice(), [EventData::MessageDelta(delta)] if delta.text.ends_with("599\n")),
        "{caught_up:?}"
    );
    assert!(!command.reducer.is_behind() && command.reducer.catch_up().is_empty());
    command.show(&format!("{printed}and more"));
    let events = command.reducer.end_turn();
    command.events.extend(events);
    assert_eq!(command.whole().0, format!("{printed}and more"));
}

/// The way in which an agent shows what a command has printed.
#[derive(Debug, Clone)]
enum Shows {
    All,
    Fenced,
    Tail(usize),
    TailAfterDots(usize),
    TailAfterNote(usize),
    LastPiece,
    Pieces,
    Raw,
}

fn shows() -> impl Strategy<Value = Shows> {
    prop_oneof![
        Just(Shows::All),
        Just(Shows::Fenced),
        (200..20_000_usize).prop_map(Shows::Tail),
        (200..20_000_usize).prop_map(Shows::TailAfterDots),
        (200..20_000_usize).prop_map(Shows::TailAfterNote),
        Just(Shows::LastPiece),
        Just(Shows::Pieces),
        Just(Shows::Raw),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_is_not_much_longer_than_what_was_printed(
        shows in shows(),
        pieces in prop::collection::vec(prop_oneof![4 => 1..120_usize, 1 => 1..3000_usize], 1..120),
        word in "[a-z ]{1,9}",
    ) {
        let mut command = Command::start();
        let mut printed = String::new();
        for (number, size) in pieces.into_iter().enumerate() {
            let mut piece: String = format!("{number} {word}").repeat(size / word.len() + 1);
            piece.truncate(size);
            piece.push('\n');
            printed.push_str(&piece);
            match shows {
                Shows::All => command.show(&printed),
                Shows::Fenced => command.show(&fenced(&printed)),
                Shows::Tail(bytes) => command.show(&fenced(last(&printed, bytes))),
                Shows::TailAfterDots(bytes) => command.show(&format!("...{}", last(&printed, bytes))),
                Shows::TailAfterNote(bytes) => command.show(&format!("({} bytes)\n{}", printed.len(), last(&printed, bytes))),
                Shows::LastPiece => command.show(&piece),
                Shows::Pieces => command.update(json!({ "_meta": { "terminal_output": { "terminal_id": "t", "data": piece } } })),
                Shows::Raw => command.update(json!({ "rawOutput": printed })),
            }
        }
        command.end(&printed);
        let written = json!(printed).to_string().len();
        let most = 3 * written + (12 << 10);
        prop_assert!(command.logged() <= most, "{} bytes for {}", command.logged(), written);
        prop_assert!(!command.pieces().is_empty(), "something is seen while it runs");
        let (text, whole) = command.whole();
        prop_assert_eq!(text, fenced(&printed));
        prop_assert!(whole.to_string().len() <= written + 1000, "the text is there once");
    }
}

#[test]
fn the_same_drawn_again_and_again_is_not_stored_each_time() {
    let mut command = Command::start();
    let page = "a line of a page that is drawn again\n".repeat(400);
    for n in 0..200 {
        command.show(&format!("{n} s\n{page}{n} %"));
    }
    command.end(&page);
    assert!(command.logged() < 12 * page.len(), "{} bytes", command.logged());
}
