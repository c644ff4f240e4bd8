//! Whatever a model or the CLI sends, there is a tool call to show.

use super::super::{Todos, rules_for_always};
use super::{called, ended};
use proptest::prelude::*;
use serde_json::Value;

const NAMES: [&str; 24] = [
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "LS",
    "Bash",
    "BashOutput",
    "TaskStop",
    "Glob",
    "Grep",
    "LSP",
    "WebFetch",
    "WebSearch",
    "Agent",
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "AskUserQuestion",
    "ExitPlanMode",
    "Skill",
    "mcp__a__b",
    "",
];

/// Members that the code looks at, so that arbitrary input gets past the first door.
const KEYS: [&str; 34] = [
    "file_path",
    "notebook_path",
    "path",
    "content",
    "old_string",
    "new_string",
    "edits",
    "offset",
    "limit",
    "command",
    "description",
    "pattern",
    "url",
    "query",
    "prompt",
    "todos",
    "taskId",
    "task",
    "tasks",
    "status",
    "questions",
    "question",
    "options",
    "label",
    "plan",
    "filePath",
    "structuredPatch",
    "oldStart",
    "newStart",
    "lines",
    "originalFile",
    "file",
    "type",
    "answers",
];

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[ +\\\\-]?[a-c\n\t]{0,4}".prop_map(Value::from),
        prop::sample::select(vec!["text", "image", "addRules", "Error: x", "Exit code 1\nx", "completed"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let key = prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn anything_can_be_shown(
        name in prop::sample::select(NAMES.to_vec()),
        input in json(),
        block in json(),
        structured in prop::option::of(json()),
    ) {
        let call = called(name, &input);
        prop_assert!(name.is_empty() || !call["title"].as_str().unwrap().is_empty());
        prop_assert!(!call["title"].as_str().unwrap().contains('\n'));
        ended(name, &input, &block, structured.as_ref());
        Todos::default().note(name, &input, structured.as_ref());
        rules_for_always(&input, name);
    }
}
