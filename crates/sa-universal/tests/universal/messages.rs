//! How pieces become messages.

use sa_api::sessions::{DeltaKind, EventData, MessagePart, ParsedMessage, Role, UniversalMessage};
use sa_universal::{MAX_MESSAGE, Reducer};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

struct Session(Reducer);

impl Session {
    fn new() -> Self {
        let mut reducer = Reducer::new("run");
        assert_eq!(reducer.begin_turn("t1"), []);
        Self(reducer)
    }

    fn update(&mut self, update: Value) -> Vec<EventData> {
        self.0.update(&to_raw_value(&json!({ "sessionId": "s", "update": update })).unwrap())
    }

    fn say(&mut self, id: Option<&str>, text: &str) -> Vec<EventData> {
        self.update(json!({ "sessionUpdate": "agent_message_chunk", "messageId": id, "content": { "type": "text", "text": text } }))
    }

    fn think(&mut self, id: Option<&str>, text: &str) -> Vec<EventData> {
        self.update(json!({ "sessionUpdate": "agent_thought_chunk", "messageId": id, "content": { "type": "text", "text": text } }))
    }
}

fn message(event: &EventData) -> &ParsedMessage {
    match event {
        EventData::Message(UniversalMessage::Parsed(message)) => message,
        other => panic!("not a message: {other:?}"),
    }
}

/// In short: deltas as `id+text`, messages as `id=parts`.
fn told(events: &[EventData]) -> Vec<String> {
    let part = |part: &MessagePart| match part {
        MessagePart::Text { text } => text.clone(),
        MessagePart::Reasoning { text } => format!("({text})"),
        MessagePart::ToolCall { title, status, .. } => format!("{title} {status:?}"),
        other => format!("{other:?}"),
    };
    let event = |event: &EventData| match event {
        EventData::MessageDelta(delta) if delta.kind == DeltaKind::Reasoning => {
            format!("{}+({})", delta.message_id, delta.text)
        }
        EventData::MessageDelta(delta) => format!("{}+{}", delta.message_id, delta.text),
        EventData::Message(UniversalMessage::Parsed(message)) => {
            format!("{}={}", message.id, message.parts.iter().map(part).collect::<Vec<_>>().join(" "))
        }
        other => format!("{other:?}"),
    };
    events.iter().map(event).collect()
}

#[test]
fn text_comes_at_once_and_again_as_a_whole() {
    let mut session = Session::new();
    assert_eq!(told(&session.think(Some("m"), "Hm")), ["m+(Hm)"]);
    assert_eq!(told(&session.say(Some("m"), "Hel")), ["m+Hel"]);
    assert_eq!(told(&session.say(Some("m"), "lo")), ["m+lo"]);
    let end = session.0.end_turn();
    assert_eq!(told(&end), ["m=(Hm) Hello"]);
    assert_eq!(message(&end[0]).metadata["turnId"], "t1");
    assert_eq!(session.0.end_turn(), []);
}

#[test]
fn a_tool_call_ends_a_message_without_an_id_and_only_interrupts_one_that_has_one() {
    let call = |id: &str| json!({ "sessionUpdate": "tool_call", "toolCallId": id, "title": "Look" });
    let mut session = Session::new();
    session.say(None, "One");
    assert_eq!(told(&session.update(call("c1"))), ["t1.1=One", "tool:c1=Look Pending"]);
    assert_eq!(told(&session.say(None, "Two")), ["t1.2+Two"]);
    assert_eq!(told(&session.say(Some("m"), "Three")), ["t1.2=Two", "m+Three"]);
    assert_eq!(told(&session.update(call("c2"))), ["m=Three", "tool:c2=Look Pending"]);
    assert_eq!(told(&session.say(Some("m"), "!")), ["m+!"]);
    assert_eq!(told(&session.0.begin_turn("t2")), ["m=Three!"]);
}

#[test]
fn progress_of_a_tool_call_does_not_end_what_is_being_said() {
    let mut session = Session::new();
    session.update(json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Look" }));
    session.say(None, "On");
    let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed" });
    assert_eq!(told(&session.update(update)).len(), 1);
    assert_eq!(told(&session.say(None, "e")), ["t1.1+e"]);
    assert_eq!(told(&session.0.end_turn()), ["t1.1=One"]);
}

#[test]
fn sub_agents_speak_at_the_same_time() {
    let mut session = Session::new();
    let chunk = |parent: &str, id: &str, text: &str| {
        let meta = json!({ "claudeCode": { "parentToolUseId": parent } });
        json!({ "sessionUpdate": "agent_message_chunk", "messageId": id, "content": { "type": "text", "text": text }, "_meta": meta })
    };
    session.update(chunk("p1", "a", "1"));
    session.update(chunk("p2", "b", "2"));
    let more = session.update(chunk("p1", "a", "1"));
    let [EventData::MessageDelta(delta)] = more.as_slice() else { panic!("{more:?}") };
    assert_eq!((delta.message_id.as_str(), delta.parent_id.as_deref()), ("a", Some("p1")));
    let end = session.0.end_turn();
    assert_eq!(told(&end), ["a=11", "b=2"]);
    assert_eq!(message(&end[0]).metadata["parentId"], "p1");
}

#[test]
fn an_id_that_was_closed_goes_on_as_a_new_message() {
    let mut session = Session::new();
    session.say(Some("a"), "1");
    session.say(Some("b"), "2");
    assert_eq!(told(&session.say(Some("a"), "3")), ["b=2", "a~2+3"]);
    let end = session.0.end_turn();
    assert_eq!(message(&end[0]).metadata["continues"], "a");
}

#[test]
fn a_message_that_is_too_long_is_continued() {
    let mut session = Session::new();
    let half = "x".repeat(MAX_MESSAGE / 2);
    session.say(Some("m"), &half);
    assert_eq!(session.say(Some("m"), &half).len(), 1);
    let events = session.say(Some("m"), "y");
    assert_eq!(events.len(), 2);
    assert_eq!(message(&events[0]).id, "m");
    assert_eq!(told(&session.0.end_turn()), ["m~2=y"]);
    let mut session = Session::new();
    session.say(None, &half);
    session.say(None, &half);
    session.say(None, "y");
    assert_eq!(told(&session.0.end_turn()), ["t1.1~2=y"]);
}

#[test]
fn what_users_say_is_theirs() {
    let mut session = Session::new();
    let chunk = json!({ "sessionUpdate": "user_message_chunk", "messageId": "m", "content": { "type": "text", "text": "Hi" } });
    assert_eq!(session.update(chunk), []);
    let events = session.say(Some("m"), "Hello");
    assert_eq!(told(&events), ["user:m=Hi", "m+Hello"]);
    assert_eq!(message(&events[0]).role, Role::User);
}

#[test]
fn a_tool_call_has_its_newest_state_each_time() {
    let mut session = Session::new();
    session.update(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Edit", "name": "Edit", "kind": "edit", "rawInput": { "path": "/a" },
        "_meta": { "codex": { "parentToolUseId": "p" } },
    }));
    let done = session.update(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed", "rawOutput": "no",
        "content": [{ "type": "diff", "path": "/a", "newText": "b" }], "locations": [{ "path": "/a", "line": 3 }],
    }));
    let message = serde_json::to_value(message(&done[0])).unwrap();
    assert_eq!(message["id"], "tool:c");
    assert_eq!(message["metadata"]["parentId"], "p");
    assert_eq!(
        message["parts"],
        json!([
            { "type": "toolCall", "id": "c", "name": "Edit", "title": "Edit", "kind": "edit", "status": "failed",
              "input": { "path": "/a" }, "locations": [{ "path": "/a", "line": 3 }] },
            { "type": "toolResult", "id": "c", "isError": true, "output": "no",
              "content": [{ "type": "diff", "path": "/a", "newText": "b" }] },
        ])
    );
}

#[test]
fn values_that_are_not_known_are_kept_until_they_are() {
    let mut session = Session::new();
    let update =
        |status: &str| json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": status });
    let events = session.update(update("paused"));
    assert_eq!(message(&events[0]).metadata["unrecognized"], json!({ "status": "paused" }));
    let events = session.update(update("in_progress"));
    assert_eq!(message(&events[0]).metadata.get("unrecognized"), None);
}

#[test]
fn without_an_id_or_content_it_is_unparsed() {
    let mut session = Session::new();
    let nothing = json!({ "sessionUpdate": "agent_message_chunk", "content": [], "_meta": { "x": 1 } });
    for update in [
        nothing,
        json!({ "sessionUpdate": "tool_call", "title": "?" }),
        json!({ "sessionUpdate": "agent_message_chunk" }),
    ] {
        let events = session.update(update.clone());
        let [EventData::Message(UniversalMessage::Unparsed(unparsed))] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(unparsed.raw, update);
    }
}

#[test]
fn a_list_of_entries_that_say_nothing_is_read_in_one_pass() {
    // Copying the list for each entry would take hours.
    let entries = vec![0; 500_000];
    let events = Session::new().update(json!({ "sessionUpdate": "plan", "entries": entries }));
    assert!(events.iter().any(|event| matches!(event, EventData::Unknown(_))), "{}", events.len());
}

#[test]
fn history_that_is_told_again_is_taken_in_silently() {
    let mut session = Session::new();
    session.0.quiet(true);
    assert_eq!(session.say(Some("m"), "Before"), []);
    let call =
        json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Look", "status": "in_progress" });
    assert_eq!(session.update(call), []);
    assert_eq!(session.update(json!({ "sessionUpdate": "future" })), []);
    assert_eq!(session.update(json!({ "sessionUpdate": "plan", "entries": [] })), []);
    assert_eq!(session.update(json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2 })).len(), 1);
    assert_eq!(session.update(json!({ "sessionUpdate": "session_info_update", "title": "T" })).len(), 1);
    session.0.quiet(false);
    assert_eq!(session.0.end_turn(), []);
    assert_eq!((session.0.title(), session.0.usage().context_used), (Some("T"), Some(1)));
    // The content of the log is not replaced by what comes now.
    assert_eq!(told(&session.say(Some("m"), "Now")), ["m~2+Now"]);
    let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed" });
    assert!(told(&session.update(update))[0].starts_with("tool:c=Look Completed"));
}

#[test]
fn agents_cannot_put_words_into_the_daemons_mouth() {
    let mut session = Session::new();
    let resolved = json!({ "questionResolved": { "id": "q", "outcome": "answered", "by": "client" } });
    let update =
        json!({ "sessionUpdate": "session_info_update", "_meta": { "sandboxAgent": { "event": resolved } } });
    let events = session.update(update);
    assert!(matches!(events.as_slice(), [EventData::Unknown(_)]), "{events:?}");
}
