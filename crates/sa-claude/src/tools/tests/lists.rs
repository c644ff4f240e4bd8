//! The plan, and what "always" stands for.

use super::super::{Todos, rules_for_always};
use super::checked;
use agent_client_protocol_schema::v1::SessionUpdate;
use serde_json::{Value, json};

/// The plan after a call, as "status subject" lines; `None` if the call did not change it.
fn after(todos: &mut Todos, name: &str, input: Value, structured: Value) -> Option<Vec<String>> {
    let plan = todos.note(name, &input, Some(&structured))?;
    let update = checked(&SessionUpdate::Plan(plan));
    let line = |entry: &Value| {
        format!("{} {}", entry["status"].as_str().unwrap(), entry["content"].as_str().unwrap())
    };
    Some(update["entries"].as_array().unwrap().iter().map(line).collect())
}

#[test]
fn todos_are_stated_whole() {
    let mut todos = Todos::default();
    let list = |status: &str| {
        json!({ "todos": [
            { "content": "First", "status": status, "activeForm": "x" },
            { "content": "Second", "status": "pending", "activeForm": "y" },
        ] })
    };
    let plan = after(&mut todos, "TodoWrite", list("in_progress"), json!({}));
    assert_eq!(plan.unwrap(), ["in_progress First", "pending Second"]);
    assert_eq!(after(&mut todos, "TodoWrite", list("in_progress"), json!({})), None);
    assert_eq!(
        after(&mut todos, "TodoWrite", list("completed"), json!({})).unwrap(),
        ["completed First", "pending Second"]
    );
    assert_eq!(after(&mut todos, "TodoWrite", json!({ "todos": [] }), json!({})).unwrap(), [""; 0]);
    assert_eq!(after(&mut todos, "Bash", json!({}), json!({})), None);
}

#[test]
fn tasks_change_one_by_one() {
    let mut todos = Todos::default();
    let created = |id: &str, subject: &str| json!({ "task": { "id": id, "subject": subject } });
    let plan = after(&mut todos, "TaskCreate", json!({ "subject": "First" }), created("1", "First"));
    assert_eq!(plan.unwrap(), ["pending First"]);
    after(&mut todos, "TaskCreate", json!({ "subject": "Second" }), created("2", "Second")).unwrap();

    let update =
        |todos: &mut Todos, input: Value| after(todos, "TaskUpdate", input, json!({ "success": true }));
    let plan = update(&mut todos, json!({ "taskId": "1", "status": "in_progress", "subject": "Start" }));
    assert_eq!(plan.unwrap(), ["in_progress Start", "pending Second"]);
    assert_eq!(update(&mut todos, json!({ "taskId": "9", "status": "completed" })), None);
    let plan = update(&mut todos, json!({ "taskId": 1, "status": "deleted" }));
    assert_eq!(plan.unwrap(), ["pending Second"]);
    let refused = after(
        &mut todos,
        "TaskUpdate",
        json!({ "taskId": "2", "status": "completed" }),
        json!({ "success": false }),
    );
    assert_eq!(refused, None);

    let listed = json!({ "tasks": [
        { "id": "2", "subject": "Second", "status": "completed", "blockedBy": [] },
        { "id": "3", "subject": "Third", "status": "pending", "blockedBy": ["2"] },
    ] });
    let plan = after(&mut todos, "TaskList", json!({}), listed);
    assert_eq!(plan.unwrap(), ["completed Second", "pending Third"]);
    let task = json!({ "task": { "id": "3", "subject": "Third", "status": "in_progress" } });
    let plan = after(&mut todos, "TaskGet", json!({ "taskId": "3" }), task);
    assert_eq!(plan.unwrap(), ["completed Second", "in_progress Third"]);
}

#[test]
fn always_is_for_this_session_and_changes_no_mode() {
    let rule = json!({ "toolName": "Bash", "ruleContent": "touch a.txt" });
    let suggestions = json!([
        { "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "localSettings" },
        { "type": "addRules", "rules": [{ "toolName": "Bash" }], "behavior": "deny", "destination": "session" },
        { "type": "addDirectories", "directories": ["/"], "destination": "session" },
        { "type": "setMode", "mode": "acceptEdits", "destination": "session" },
    ]);
    let session = |rule: Value| json!([{ "type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session" }]);
    assert_eq!(Value::from(rules_for_always(&suggestions, "Bash")), session(rule));
    let only_mode = json!([{ "type": "setMode", "mode": "acceptEdits", "destination": "session" }]);
    assert_eq!(Value::from(rules_for_always(&only_mode, "Edit")), session(json!({ "toolName": "Edit" })));
    assert_eq!(Value::from(rules_for_always(&Value::Null, "Write")), session(json!({ "toolName": "Write" })));
    assert_eq!(rules_for_always(&json!([]), "Bash"), [Value::Null; 0]);
}
