//! Requests of the OpenAI Responses API: a flat list of items, some of which bring tools.

use crate::conversation::{Conversation, Form, Offer, Said, list_of, media_type, text_of, texts_of};
use crate::tools;
use serde_json::Value;

/// Reads a request of `POST /v1/responses`.
pub(crate) fn read(body: &Value) -> Conversation {
    let schema = body.pointer("/text/format").filter(|format| text_of(format, "type") == Some("json_schema"));
    let mut conversation = Conversation {
        model: text_of(body, "model").unwrap_or_default().to_owned(),
        effort: body.pointer("/reasoning/effort").and_then(Value::as_str).map(str::to_owned),
        thinking: body.get("reasoning").filter(|reasoning| !reasoning.is_null()).map(Value::to_string),
        schema: schema.and_then(|format| format.get("schema")).cloned(),
        max_tokens: body.get("max_output_tokens").and_then(Value::as_u64),
        stream: body.get("stream").and_then(Value::as_bool).unwrap_or(false),
        ..Conversation::default()
    };
    if let Some(text) = text_of(body, "instructions") {
        conversation.instruct(text);
    }
    offers(list_of(body, "tools"), None, &mut conversation.tools);
    if let Some(text) = text_of(body, "input") {
        conversation.user(Said::prompt(vec![text]));
    }
    for item in list_of(body, "input") {
        read_item(item, &mut conversation);
    }
    conversation
}

fn read_item(item: &Value, conversation: &mut Conversation) {
    match (text_of(item, "type").unwrap_or("message"), text_of(item, "role")) {
        ("message", Some("developer" | "system")) => {
            texts_of(item.get("content")).into_iter().for_each(|text| conversation.instruct(text));
        }
        ("message", Some("assistant")) | ("reasoning", _) => conversation.assistant(None),
        ("message", _) => {
            let prompt = Said::prompt(texts_of(item.get("content")));
            conversation.user(Said { images: images(item, "content"), ..prompt });
        }
        ("agent_message", _) => agent_message(item, conversation),
        ("compaction_trigger", _) => conversation.compaction = true,
        ("additional_tools", _) => offers(list_of(item, "tools"), None, &mut conversation.tools),
        (kind, _) if kind.ends_with("_output") => conversation.user(Said {
            texts: Vec::new(),
            images: images(item, "output"),
            results: vec![texts_of(item.get("output")).join("\n")],
        }),
        (kind, _) if kind.ends_with("_call") => conversation.assistant(text_of(item, "call_id")),
        _ => {}
    }
}

/// Reads a message from one agent to another: a task, which is a prompt, or the result of one. It is not really
/// encrypted here: the server sent it as it is.
fn agent_message(item: &Value, conversation: &mut Conversation) {
    let parts = list_of(item, "content").iter();
    let words = parts.filter_map(|part| text_of(part, "encrypted_content").or(text_of(part, "text")));
    let words: Vec<_> = words.map(str::to_owned).collect();
    let is_answer = words.first().is_some_and(|first| first.starts_with("Message Type: FINAL_ANSWER"));
    let said = if is_answer {
        Said { results: vec![words.join("\n")], ..Said::default() }
    } else {
        Said { texts: words, ..Said::default() }
    };
    conversation.user(said);
}

fn images(item: &Value, field: &str) -> Vec<String> {
    list_of(item, field).iter().filter_map(|part| text_of(part, "image_url")).map(media_type).collect()
}

fn offers(list: &[Value], namespace: Option<&str>, out: &mut Vec<Offer>) {
    for tool in list {
        let Some(name) = text_of(tool, "name") else { continue };
        let form = match text_of(tool, "type") {
            Some("namespace") => {
                offers(list_of(tool, "tools"), Some(name), out);
                continue;
            }
            Some("custom") => Form::Custom,
            _ => Form::Function,
        };
        if form == Form::Custom {
            out.extend(tools::nested(text_of(tool, "description").unwrap_or_default()));
        }
        let namespace = namespace.map(str::to_owned);
        out.push(Offer { namespace, ..Offer::new(name, form, tool.get("parameters")) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt;
    use serde_json::json;

    #[test]
    fn items_are_turns_however_calls_and_outputs_are_ordered() {
        let call =
            |step: usize, id: &str| json!({"type": "function_call", "call_id": format!("call_s{step}_{id}")});
        let output = |text: &str| json!({"type": "function_call_output", "output": text});
        let user =
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "say: a"}]});
        let reasoning = json!({"type": "reasoning", "summary": []});
        for input in [
            vec![user.clone(), reasoning.clone(), call(0, "a"), call(0, "b"), output("x"), output("y")],
            vec![user.clone(), call(0, "a"), output("x"), call(0, "b"), output("y")],
        ] {
            let conversation = read(&json!({"input": input}));
            let prompt = prompt::find(&conversation).unwrap();
            assert_eq!(prompt.step, 1);
            assert_eq!(prompt.since.last().unwrap().results, ["y"]);
        }
    }

    #[test]
    fn tools_come_in_namespaces_and_in_descriptions() {
        let body = json!({
            "tools": [{"type": "web_search"}, {"type": "function", "name": "a", "parameters": {"x": 1}}],
            "input": [{"type": "additional_tools", "tools": [{"type": "namespace", "name": "functions", "tools": [
                {"type": "custom", "name": "exec", "description": "Runs.\n### `exec_command`\n### `apply_patch`\n"},
                {"type": "function", "name": "wait"},
            ]}]}],
        });
        let tools = read(&body).tools;
        let told: Vec<_> = tools.iter().map(|o| (o.name.as_str(), o.namespace.as_deref(), o.form)).collect();
        let expected = [
            ("a", None, Form::Function),
            ("exec_command", None, Form::Nested),
            ("apply_patch", None, Form::Nested),
            ("exec", Some("functions"), Form::Custom),
            ("wait", Some("functions"), Form::Function),
        ];
        assert_eq!(told, expected);
    }
}
