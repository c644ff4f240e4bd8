//! The tool calls of scripts, for the agents that offer these tools.

use super::*;
use serde_json::json;

fn function(name: &str, schema: Value) -> Offer {
    Offer { name: name.to_owned(), namespace: None, form: Form::Function, schema }
}

fn called(name: &str, input: Value, offers: &[Offer]) -> Vec<(String, Value)> {
    let value = |input| match input {
        Input::Object(fields) => Value::Object(fields),
        Input::Text(text) => Value::String(text),
    };
    translate(name, &input, offers).into_iter().map(|call| (call.name, value(call.input))).collect()
}

fn object(fields: &[&str], required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|&name| (name.to_owned(), json!({"type": "string"}))).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

#[test]
fn a_shell_command_fits_every_agents_shell() {
    let cases = [
        (function("Bash", object(&["command", "description"], &["command"])), json!({"command": "ls"})),
        (function("Bash", object(&["cmd", "cwd"], &["cmd"])), json!({"cmd": "ls"})),
        (function("exec_command", object(&["cmd"], &["cmd"])), json!({"cmd": "ls"})),
        (
            function("bash", object(&["command", "description"], &["command", "description"])),
            json!({"command": "ls", "description": "scripted"}),
        ),
        (
            function("shell", json!({"properties": {"command": {"type": "array"}}})),
            json!({"command": ["bash", "-lc", "ls"]}),
        ),
        (
            function("run_shell_command", json!({"properties": {"command": {"type": "STRING"}}})),
            json!({"command": "ls"}),
        ),
    ];
    for (offer, expected) in cases {
        let name = offer.name.clone();
        let offers = [function("other", Value::Null), offer];
        for neutral in ["shell", "bash"] {
            assert_eq!(
                called(neutral, json!({"command": "ls"}), &offers),
                [(name.clone(), expected.clone())]
            );
        }
    }
}

#[test]
fn fields_under_the_tools_own_names_are_left_alone() {
    let offers = [function("Write", object(&["file_path", "content"], &["file_path", "content"]))];
    let expected = [("Write".to_owned(), json!({"file_path": "/a", "content": "x"}))];
    assert_eq!(called("write", json!({"path": "/a", "content": "x"}), &offers), expected);
    assert_eq!(called("write", json!({"file_path": "/a", "content": "x"}), &offers), expected);
    assert_eq!(called("Write", json!({"file_path": "/a", "content": "x"}), &offers), expected);
}

#[test]
fn files_are_changed_by_patch_where_agents_patch() {
    let custom = Offer { form: Form::Custom, ..function("apply_patch", Value::Null) };
    let added = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch\n";
    assert_eq!(
        called("write", json!({"path": "a.txt", "content": "one\ntwo\n"}), std::slice::from_ref(&custom)),
        [("apply_patch".to_owned(), json!(added))]
    );
    let changed = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n";
    let edit = json!({"path": "a.txt", "old": "one", "new": "1"});
    assert_eq!(called("edit", edit.clone(), &[custom]), [("apply_patch".to_owned(), json!(changed))]);
    let function = function("apply_patch", object(&["patchText"], &["patchText"]));
    assert_eq!(
        called("edit", edit, &[function]),
        [("apply_patch".to_owned(), json!({"patchText": changed}))]
    );
}

#[test]
fn todos_take_the_shape_of_each_list() {
    let todos = json!({"items": ["a", {"content": "b", "status": "completed"}]});
    let claude = json!({"properties": {"todos": {"type": "array", "items":
        {"properties": {"content": {}, "status": {}, "activeForm": {}}, "required": ["content", "status", "activeForm"]}}}});
    let expected = json!({"todos": [
        {"content": "a", "status": "pending", "activeForm": "a"},
        {"content": "b", "status": "completed", "activeForm": "b"}]});
    assert_eq!(
        called("todo", todos.clone(), &[function("TodoWrite", claude)]),
        [("TodoWrite".to_owned(), expected)]
    );

    let expected =
        json!({"plan": [{"step": "a", "status": "pending"}, {"step": "b", "status": "completed"}]});
    let plan = [function("update_plan", Value::Null)];
    assert_eq!(called("todo", todos.clone(), &plan), [("update_plan".to_owned(), expected)]);

    let tasks = called("todo", todos, &[function("Bash", Value::Null)]);
    let task = |name: &str| {
        ("TaskCreate".to_owned(), json!({"subject": name, "description": name, "activeForm": name}))
    };
    assert_eq!(tasks, [task("a"), task("b")]);
}

#[test]
fn questions_take_the_shape_of_each_form() {
    let question = json!({"question": "Which?", "header": "Color", "options": ["Red", {"label": "Blue"}], "multiple": true});
    let options = json!([{"label": "Red", "description": "Red"}, {"label": "Blue", "description": "Blue"}]);
    let claude = called("question", question.clone(), &[function("Bash", Value::Null)]);
    let expected = json!({"questions": [{"question": "Which?", "header": "Color", "multiSelect": true, "options": options}]});
    assert_eq!(claude, [("AskUserQuestion".to_owned(), expected)]);

    let schema = json!({"properties": {"questions": {"type": "array", "items": {
        "properties": {"id": {}, "header": {}, "question": {}, "options": {"items": {"type": "object"}}},
        "required": ["id", "header", "question", "options"]}}}});
    let codex = called(
        "question",
        json!({"question": "Which?", "options": ["Red"]}),
        &[function("request_user_input", schema)],
    );
    let expected = json!({"questions": [{"id": "question_1", "header": "Question", "question": "Which?",
        "options": [{"label": "Red", "description": "Red"}]}]});
    assert_eq!(codex, [("request_user_input".to_owned(), expected)]);
}

#[test]
fn tools_of_mcp_servers_are_found_by_server_and_name() {
    let offers = [
        function("mcp__files__list", Value::Null),
        function("files_read", Value::Null),
        Offer { namespace: Some("mcp__web".to_owned()), ..function("get", Value::Null) },
    ];
    let name = |wanted: &str| called(wanted, json!({}), &offers).remove(0).0;
    assert_eq!(name("files/list"), "mcp__files__list");
    assert_eq!(name("files/read"), "files_read");
    assert_eq!(name("mcp__files__list"), "mcp__files__list");
    assert_eq!(name("gone/x"), "mcp__gone__x");
    let call = exact("web/get", &json!({}), &offers);
    assert_eq!((call.name.as_str(), call.namespace.as_deref()), ("get", Some("mcp__web")));
    let call = exact("gone/x", &json!({}), &[function("exec_command", Value::Null)]);
    assert_eq!((call.name.as_str(), call.namespace.as_deref()), ("x", Some("mcp__gone")));
}

#[test]
fn programs_of_one_answer_become_one() {
    let offers: Vec<Offer> = nested("### `exec_command`").collect();
    let call = |command: &str| translate("shell", &json!({ "command": command }), &offers).remove(0);
    let mut all = call("one");
    assert!(join(&mut all, &call("two")) && join(&mut all, &call("three")));
    let Input::Text(program) = &all.input else { panic!("not a text") };
    assert!(program.starts_with("await Promise.all([\n(async () => {\nconst r = await tools.exec_command({"));
    assert_eq!((program.matches("Promise.all").count(), program.matches("(async () =>").count()), (1, 3));
    assert!(program.ends_with(".catch((e) => text(String(e))),\n]);\n"), "{program}");
    let plain = translate("shell", &json!({ "command": "x" }), &[function("exec_command", Value::Null)]);
    assert!(!join(&mut all, &plain[0]), "another tool");
}

#[test]
fn commands_in_the_background_are_not_waited_for() {
    let offers = [function("exec_command", Value::Null)];
    let calls = translate("shell", &json!({ "command": "x", "background": true }), &offers);
    let Input::Object(fields) = &calls[0].input else { panic!("not an object") };
    assert_eq!(json!(fields), json!({ "cmd": "x", "yield_time_ms": 250 }));
}

#[test]
fn nested_tools_are_called_from_javascript() {
    let description = "Runs JavaScript.\n### `exec_command`\nRuns.\n### `apply_patch`\nPatches.";
    let mut offers: Vec<Offer> = nested(description).collect();
    offers.push(Offer {
        form: Form::Custom,
        namespace: Some("functions".to_owned()),
        ..function("exec", Value::Null)
    });
    let source = |name: &str, input| {
        let calls = translate(name, &input, &offers);
        assert_eq!((calls[0].name.as_str(), calls[0].namespace.as_deref()), ("exec", Some("functions")));
        let Input::Text(source) = calls[0].input.clone() else { panic!("not a text") };
        source
    };
    assert!(
        source("shell", json!({"command": "echo \"hi\""}))
            .contains("tools.exec_command({\"cmd\":\"echo \\\"hi\\\"\"})")
    );
    assert!(source("read", json!({"path": "a'b"})).contains("cat 'a'\\\\''b'"));
    assert!(
        source("write", json!({"path": "a", "content": "x"}))
            .contains("tools.apply_patch(\"*** Begin Patch\\n")
    );
    assert!(
        source("todo", json!({"items": ["a"]})).contains("tools.update_plan("),
        "what is not listed is tried"
    );
}
