//! Inputs of neutral tool calls in the shape that a tool's schema asks for: names of fields, lists, patches. Inputs
//! under the tool's own field names are left alone, so both ways of writing work.

use crate::conversation::list_of;
use crate::tools::Input;
use serde_json::{Map, Value, json};

/// A neutral field and what tools call it.
const FIELDS: [(&str, &[&str]); 10] = [
    ("command", &["command", "cmd"]),
    ("path", &["file_path", "filePath", "path", "absolute_path", "dir_path"]),
    ("content", &["content", "contents", "file_text", "text"]),
    ("old", &["old_string", "oldString", "old_str"]),
    ("new", &["new_string", "newString", "new_str"]),
    ("prompt", &["prompt", "message"]),
    ("url", &["url", "urls"]),
    ("plan", &["plan"]),
    ("background", &["run_in_background", "is_background"]),
    ("agent", &["subagent_type", "subagentType", "agent_type"]),
];

/// The names of a todo in the lists of agents.
const TODO_FIELDS: [(&str, &[&str]); 1] =
    [("content", &["content", "step", "description", "title", "subject"])];

/// The names of a question's parts.
const QUESTION_FIELDS: [(&str, &[&str]); 2] =
    [("question", &["question", "title"]), ("multiple", &["multiSelect", "multiple", "multi_select"])];

/// The inputs of the calls that do what `neutral` means, for the tool `name` with this schema.
pub(crate) fn shape(neutral: &str, input: &Value, name: &str, schema: &Value) -> Vec<Input> {
    let Value::Object(fields) = input else {
        return vec![Input::Text(input.as_str().unwrap_or_default().to_owned())];
    };
    match (neutral, name) {
        ("write" | "edit", "apply_patch") => vec![patch(neutral, fields, schema)],
        ("edit", _) if property(schema, "edits").is_some() => vec![Input::Object(edit_list(fields, schema))],
        ("todo", "TaskCreate") => todos(fields).iter().map(|todo| Input::Object(task(todo))).collect(),
        ("todo", _) => vec![Input::Object(todo_list(fields, schema))],
        ("question", _) => vec![Input::Object(questions(fields, schema))],
        ("task", "spawn_agent") => vec![Input::Object(errand(fields))],
        _ => {
            let mut shaped = renamed(fields, schema, &FIELDS);
            if neutral == "task" {
                // Some agents would take leaving it out for a yes.
                complete(&mut shaped, schema, "run_in_background", json!(false));
            }
            if name == "exec_command" && shaped.remove("background") == Some(json!(true)) {
                // It runs on behind the call that is not waited for; this is as short as waiting can be.
                shaped.insert("yield_time_ms".to_owned(), json!(250));
            }
            as_arguments(&mut shaped, schema);
            filled(&mut shaped, schema, "scripted");
            vec![Input::Object(shaped)]
        }
    }
}

/// Returns an edit for a tool that takes a list of them.
fn edit_list(fields: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let mut shaped = renamed(fields, schema, &FIELDS);
    if let (Some(old), Some(new)) = (shaped.remove("old"), shaped.remove("new")) {
        shaped.insert("edits".to_owned(), json!([{ "oldText": old, "newText": new }]));
    }
    shaped
}

/// A sub-agent that has a name and knows nothing of the conversation: it would play the same script otherwise.
fn errand(fields: &Map<String, Value>) -> Map<String, Value> {
    let word = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = word("description").chars().map(letter).collect();
    let mut errand = Map::new();
    errand.insert("task_name".to_owned(), if name.is_empty() { json!("scripted") } else { json!(name) });
    errand.insert("message".to_owned(), json!(word("prompt")));
    errand.insert("fork_turns".to_owned(), json!("none"));
    let known = ["description", "prompt", "background", "agent"];
    errand.extend(
        fields
            .iter()
            .filter(|(name, _)| !known.contains(&name.as_str()))
            .map(|(n, v)| (n.clone(), v.clone())),
    );
    errand
}

/// For agents that read files with their shell.
pub(crate) fn read_by_shell(input: &Value) -> Value {
    let path = input.get("path").and_then(Value::as_str).unwrap_or_default();
    json!({ "command": format!("cat '{}'", path.replace('\'', "'\\''")) })
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

/// Each neutral field under the name that the schema has for it; others as they are.
fn renamed(fields: &Map<String, Value>, schema: &Value, names: &[(&str, &[&str])]) -> Map<String, Value> {
    let native = |field: &str| {
        let known = names.iter().find(|row| row.0 == field).map(|row| row.1).unwrap_or_default();
        if property(schema, field).is_some() {
            return field.to_owned();
        }
        let wanted = known.iter().find(|name| property(schema, name).is_some());
        wanted.map_or_else(|| field.to_owned(), |name| (*name).to_owned())
    };
    fields.iter().map(|(field, value)| (native(field), value.clone())).collect()
}

/// A command line for tools that take a list of arguments.
fn as_arguments(fields: &mut Map<String, Value>, schema: &Value) {
    let list = property(schema, "command").is_some_and(|command| is_type(command, "array"));
    if let Some(command) = fields.get_mut("command")
        && list
        && command.is_string()
    {
        *command = json!(["bash", "-lc", command.clone()]);
    }
}

/// Gives every required field that is missing a value of its type, the text for texts.
fn filled(fields: &mut Map<String, Value>, schema: &Value, text: &str) {
    for name in list_of(schema, "required").iter().filter_map(Value::as_str) {
        let property = property(schema, name).unwrap_or(&Value::Null);
        fields.entry(name).or_insert_with(|| instance(property, text));
    }
}

/// Sets a field that the schema knows and the script leaves out.
fn complete(fields: &mut Map<String, Value>, schema: &Value, name: &str, value: Value) {
    if property(schema, name).is_some() {
        fields.entry(name).or_insert(value);
    }
}

/// A small value that fits a schema, as far as such schemas go in practice.
pub(crate) fn instance(schema: &Value, text: &str) -> Value {
    let first = |name: &str| schema.get(name).and_then(Value::as_array).and_then(|list| list.first());
    if let Some(value) = schema.get("const").or_else(|| first("enum")) {
        return value.clone();
    }
    if let Some(variant) = first("anyOf").or_else(|| first("oneOf")) {
        return instance(variant, text);
    }
    if is_type(schema, "boolean") {
        json!(false)
    } else if is_type(schema, "integer") || is_type(schema, "number") {
        schema.get("minimum").cloned().unwrap_or_else(|| json!(1))
    } else if is_type(schema, "array") {
        json!([])
    } else if is_type(schema, "object") {
        let mut fields = Map::new();
        filled(&mut fields, schema, text);
        Value::Object(fields)
    } else {
        json!(text)
    }
}

/// Types are one name or a list of names, in lower or upper case.
fn is_type(schema: &Value, wanted: &str) -> bool {
    let is = |value: &Value| value.as_str().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(is),
        Some(name) => is(name),
        None => false,
    }
}

/// The items of a todo list: under `items` or any name, as objects or as bare texts.
fn todos(fields: &Map<String, Value>) -> Vec<Map<String, Value>> {
    let list = fields.values().find_map(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let todo = |item: &Value| match item {
        Value::Object(fields) => fields.clone(),
        other => Map::from_iter([("content".to_owned(), other.clone())]),
    };
    let mut todos: Vec<_> = list.iter().map(todo).collect();
    for todo in &mut todos {
        todo.entry("status").or_insert_with(|| json!("pending"));
    }
    todos
}

fn task(todo: &Map<String, Value>) -> Map<String, Value> {
    let subject = todo.get("content").or_else(|| todo.get("subject")).cloned().unwrap_or_default();
    let description = todo.get("description").unwrap_or(&subject).clone();
    let active = todo.get("activeForm").unwrap_or(&subject).clone();
    Map::from_iter([
        ("subject".to_owned(), subject),
        ("description".to_owned(), description),
        ("activeForm".to_owned(), active),
    ])
}

/// The property that is a list, and the schema of its items.
fn list_property(schema: &Value) -> Option<(&String, &Value)> {
    let properties = schema.get("properties")?.as_object()?;
    let (name, property) = properties.iter().find(|(_, property)| is_type(property, "array"))?;
    Some((name, property.get("items").unwrap_or(&Value::Null)))
}

fn todo_list(fields: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let unknown = "todos".to_owned();
    let (name, items) = list_property(schema).unwrap_or((&unknown, &Value::Null));
    let mut list = Vec::new();
    for (at, todo) in todos(fields).iter().enumerate() {
        let mut item = renamed(todo, items, &TODO_FIELDS);
        complete(&mut item, items, "id", json!((at + 1).to_string()));
        complete(&mut item, items, "priority", json!("medium"));
        let content = todo.get("content").and_then(Value::as_str).unwrap_or("scripted");
        filled(&mut item, items, content);
        list.push(Value::Object(item));
    }
    let mut shaped = Map::from_iter([(name.clone(), Value::Array(list))]);
    filled(&mut shaped, schema, "scripted");
    shaped
}

fn questions(fields: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let alone = [Value::Object(fields.clone())];
    let given = fields.get("questions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or(&alone);
    let unknown = "questions".to_owned();
    let (name, items) = list_property(schema).unwrap_or((&unknown, &Value::Null));
    let mut list = Vec::new();
    for (at, question) in given.iter().filter_map(Value::as_object).enumerate() {
        let mut item = renamed(question, items, &QUESTION_FIELDS);
        if let Some(options) = item.get_mut("options") {
            *options = choices(options, property(items, "options").and_then(|p| p.get("items")));
        }
        complete(&mut item, items, "id", json!(format!("question_{}", at + 1)));
        complete(&mut item, items, "header", json!("Question"));
        filled(&mut item, items, "scripted");
        list.push(Value::Object(item));
    }
    Map::from_iter([(name.clone(), Value::Array(list))])
}

/// Choices as texts or as objects, whichever the schema asks for.
fn choices(given: &Value, items: Option<&Value>) -> Value {
    let texts = items.is_some_and(|items| is_type(items, "string"));
    let choice = |option: &Value| match (option, texts) {
        (Value::String(_), true) => option.clone(),
        (Value::String(label), false) => json!({ "label": label, "description": label }),
        (other, true) => other.get("label").cloned().unwrap_or_default(),
        (other, false) => {
            let mut fields = other.as_object().cloned().unwrap_or_default();
            let label = fields.get("label").cloned().unwrap_or_default();
            fields.entry("description").or_insert(label);
            Value::Object(fields)
        }
    };
    given.as_array().map(|options| options.iter().map(choice).collect()).unwrap_or_default()
}

/// A patch that writes or edits one file.
fn patch(neutral: &str, fields: &Map<String, Value>, schema: &Value) -> Input {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let lines =
        |mark: char, text: &str| text.lines().map(|line| format!("{mark}{line}\n")).collect::<String>();
    let path = text("path");
    let change = if neutral == "write" {
        format!("*** Add File: {path}\n{}", lines('+', text("content")))
    } else {
        format!("*** Update File: {path}\n@@\n{}{}", lines('-', text("old")), lines('+', text("new")))
    };
    let patch = format!("*** Begin Patch\n{change}*** End Patch\n");
    let field = ["input", "patch", "patchText"].into_iter().find(|name| property(schema, name).is_some());
    match field {
        Some(name) => Input::Object(Map::from_iter([(name.to_owned(), Value::String(patch))])),
        None => Input::Text(patch),
    }
}
