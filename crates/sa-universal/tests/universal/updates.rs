//! Random updates of an agent that keeps to the protocol, and some that do not.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Something that happens to a session.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Update(Value),
    TurnEnds,
}

/// A session's life.
pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![12 => update().prop_map(Step::Update), 1 => Just(Step::TurnEnds)];
    vec(step, 0..24)
}

/// An update that ACP knows, or one of a kind that it does not know.
pub(crate) fn update() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => chunk(),
        5 => tool(),
        1 => plan(),
        1 => commands(),
        1 => select(vec!["ask", "plan", "yolo"]).prop_map(|mode| json!({ "sessionUpdate": "current_mode_update", "currentModeId": mode })),
        1 => options(),
        1 => option::of(words()).prop_map(|title| json!({ "sessionUpdate": "session_info_update", "title": title })),
        1 => usage(),
        1 => notice(),
        1 => compaction(),
        1 => words().prop_map(|words| json!({ "sessionUpdate": "hologram_update", "words": words })),
    ]
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-c ]{1,4}", "[äß🦀%~:]{1,3}"]
}

/// An object of what is there.
fn object(members: Vec<(&'static str, Option<Value>)>) -> Value {
    let there = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(there.collect::<Map<_, _>>())
}

fn meta() -> impl Strategy<Value = Option<Value>> {
    let parent =
        select(vec!["t1", "t2"]).prop_map(|parent| json!({ "vendor": { "parentToolUseId": parent } }));
    prop_oneof![6 => Just(None), 2 => parent.prop_map(Some), 1 => words().prop_map(|note| Some(json!({ "note": note })))]
}

fn chunk() -> impl Strategy<Value = Value> {
    let kind = select(vec![
        "user_message_chunk",
        "agent_message_chunk",
        "agent_message_chunk",
        "agent_thought_chunk",
    ]);
    let id = option::of(select(vec!["a", "b", "a~2", "tool:t1", "user:a", "100%"]));
    (kind, id, block(), meta()).prop_map(|(kind, id, block, meta)| {
        object(vec![
            ("sessionUpdate", Some(kind.into())),
            ("messageId", id.map(Value::from)),
            ("content", Some(block)),
            ("_meta", meta),
        ])
    })
}

fn annotations() -> impl Strategy<Value = Option<Value>> {
    option::weighted(0.2, select(vec![json!({ "audience": ["user"] }), json!({ "priority": 0.5 })]))
}

/// A block that ACP knows, or one that it does not know.
pub(crate) fn block() -> impl Strategy<Value = Value> {
    let text = (words(), annotations()).prop_map(|(text, annotations)| {
        object(vec![("type", Some("text".into())), ("text", Some(text.into())), ("annotations", annotations)])
    });
    let image = (option::of(words()), annotations()).prop_map(|(uri, annotations)| {
        object(vec![
            ("type", Some("image".into())),
            ("data", Some("aGk=".into())),
            ("mimeType", Some("image/png".into())),
            ("uri", uri.map(Value::from)),
            ("annotations", annotations),
        ])
    });
    let link = (words(), select(vec!["file:///a%20b", "https://example.org/x", "odd"]), option::of(0..99i64))
        .prop_map(|(name, uri, size)| {
            object(vec![
                ("type", Some("resource_link".into())),
                ("name", Some(name.into())),
                ("uri", Some(uri.into())),
                ("size", size.map(Value::from)),
            ])
        });
    let resource = (select(vec!["text", "blob"]), select(vec!["file:///a.rs", "x:y", "file:///%61"])).prop_map(
        |(kind, uri)| json!({ "type": "resource", "resource": { "uri": uri, kind: "aGk=", "mimeType": "text/x" } }),
    );
    prop_oneof![
        8 => text,
        1 => image,
        1 => link,
        1 => resource,
        1 => Just(json!({ "type": "audio", "data": "aGk=", "mimeType": "audio/wav" })),
        1 => words().prop_map(|words| json!({ "type": "hologram", "words": words })),
    ]
}

fn content() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => block().prop_map(|block| json!({ "type": "content", "content": block })),
        1 => (option::of(words()), words()).prop_map(|(old, new)| object(vec![
            ("type", Some("diff".into())),
            ("path", Some("/a".into())),
            ("oldText", old.map(Value::from)),
            ("newText", Some(new.into())),
        ])),
        1 => Just(json!({ "type": "terminal", "terminalId": "term" })),
        1 => Just(json!({ "type": "sculpture", "weight": 3 })),
    ]
}

fn tool() -> impl Strategy<Value = Value> {
    let kinds = vec!["read", "edit", "execute", "switch_mode", "other"];
    let states = vec!["pending", "in_progress", "completed", "failed"];
    let place = option::of(0..9u32)
        .prop_map(|line| object(vec![("path", Some("/a".into())), ("line", line.map(Value::from))]));
    (
        (any::<bool>(), select(vec!["t1", "t2", "t~3"]), words(), any::<bool>()),
        (option::of(words()), option::of(select(kinds)), option::of(select(states))),
        (option::of(vec(content(), 0..3)), option::of(vec(place, 0..2))),
        (option::of(words()), option::of(words()), meta()),
    )
        .prop_map(
            |(
                (begins, id, title, titled),
                (name, kind, status),
                (content, places),
                (input, output, meta),
            )| {
                object(vec![
                    ("sessionUpdate", Some(if begins { "tool_call" } else { "tool_call_update" }.into())),
                    ("toolCallId", Some(id.into())),
                    ("title", (begins || titled).then(|| title.into())),
                    ("name", name.map(Value::from)),
                    ("kind", kind.map(Value::from)),
                    ("status", status.map(Value::from)),
                    ("content", content.map(Value::from)),
                    ("locations", places.map(Value::from)),
                    ("rawInput", input.map(|input| json!({ "command": input }))),
                    ("rawOutput", output.map(Value::from)),
                    ("_meta", meta),
                ])
            },
        )
}

fn plan() -> impl Strategy<Value = Value> {
    let entry =
        (words(), select(vec!["pending", "in_progress", "completed"]), select(vec!["high", "medium", "low"]));
    let entry = entry.prop_map(
        |(content, status, priority)| json!({ "content": content, "status": status, "priority": priority }),
    );
    vec(entry, 0..3).prop_map(|entries| json!({ "sessionUpdate": "plan", "entries": entries }))
}

fn commands() -> impl Strategy<Value = Value> {
    let command = (words(), words(), option::of(words())).prop_map(|(name, description, hint)| {
        object(vec![
            ("name", Some(name.into())),
            ("description", Some(description.into())),
            ("input", hint.map(|hint| json!({ "hint": hint }))),
        ])
    });
    vec(command, 0..3).prop_map(
        |commands| json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands }),
    )
}

fn options() -> impl Strategy<Value = Value> {
    let mode = select(vec!["ask", "plan"]).prop_map(|mode| {
        let options = json!([{ "value": "ask", "name": "Ask" }, { "value": "plan", "name": "Plan", "description": "Only" }]);
        json!({ "id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": mode, "options": options })
    });
    let model = select(vec!["m1", "m2"]).prop_map(|model| {
        let groups = json!([
            { "group": "g", "name": "G", "options": [{ "value": "m1", "name": "M1" }] },
            { "group": "h", "name": "H", "options": [{ "value": "m2", "name": "M2" }] },
        ]);
        json!({ "id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": model, "options": groups })
    });
    let fast = any::<bool>()
        .prop_map(|on| json!({ "id": "fast", "name": "Fast", "type": "boolean", "currentValue": on }));
    (option::of(mode), option::of(model), option::of(fast)).prop_map(|(mode, model, fast)| {
        let options: Vec<_> = [mode, model, fast].into_iter().flatten().collect();
        json!({ "sessionUpdate": "config_option_update", "configOptions": options })
    })
}

/// One cost: those that fall mean something else to a session than to its agent.
fn usage() -> impl Strategy<Value = Value> {
    (0..9u64, 0..9u64, option::of(Just(3_u32))).prop_map(|(used, size, cost)| {
        object(vec![
            ("sessionUpdate", Some("usage_update".into())),
            ("used", Some(used.into())),
            ("size", Some(size.into())),
            ("cost", cost.map(|cost| json!({ "amount": f64::from(cost) / 4.0, "currency": "EUR" }))),
        ])
    })
}

fn notice() -> impl Strategy<Value = Value> {
    (select(vec!["info", "warning", "error"]), "[a-c]{1,3}", option::of("[a-c]{1,3}")).prop_map(
        |(severity, title, description)| {
            object(vec![
                ("sessionUpdate", Some("notice".into())),
                ("severity", Some(severity.into())),
                ("title", Some(title.into())),
                ("description", description.map(Value::from)),
            ])
        },
    )
}

fn compaction() -> impl Strategy<Value = Value> {
    prop_oneof![
        block().prop_map(|block| json!({ "sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": block })),
        vec(block(), 0..2).prop_map(
            |summary| json!({ "sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed", "summary": summary })
        ),
    ]
}
