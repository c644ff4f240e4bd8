//! Everything that is neither a command nor a change of files.

use super::status;
use crate::native::item::Body;
use agent_client_protocol_schema::v1::{
    ContentBlock, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind,
};
use sa_acp::{Described, Outcome, absolute, humanized, one_line, paragraph, shown};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn describe(body: &Body, cwd: &Path) -> Described {
    match body {
        Body::McpToolCall(call) => {
            let (server, tool) = (word(call, "server"), word(call, "tool"));
            let title = format!("{} ({})", one_line(tool), one_line(server));
            let input = call["arguments"].clone();
            Described::new(format!("mcp__{server}__{tool}"), ToolKind::Other, title, input)
        }
        Body::WebSearch(search) => web(search),
        Body::ImageView { path } => Described {
            locations: vec![ToolCallLocation::new(absolute(path, cwd))],
            ..Described::new(
                "view_image",
                ToolKind::Read,
                format!("View {}", shown(path, cwd)),
                json!({ "path": path }),
            )
        },
        Body::Collab(collab) => crew(collab),
        Body::SubAgent(agent) => {
            let title = one_line(&format!("Agent {}", agent.path.rsplit('/').next().unwrap_or_default()));
            Described::new("spawn_agent", ToolKind::Think, title, json!({ "thread": agent.thread }))
        }
        Body::Other(item) => other(item),
        _ => Described::new("unknown", ToolKind::Other, "Something else".to_owned(), Value::Null),
    }
}

fn word<'a>(item: &'a Value, name: &str) -> &'a str {
    item[name].as_str().unwrap_or_default()
}

fn web(search: &Value) -> Described {
    let (kind, title) = match (search["action"]["url"].as_str(), word(search, "query").trim()) {
        (Some(url), _) => (ToolKind::Fetch, format!("Open {}", one_line(url))),
        (None, "") => (ToolKind::Search, "Search the web".to_owned()),
        (None, query) => (ToolKind::Search, format!("Search the web for “{}”", one_line(query))),
    };
    let input = json!({ "query": word(search, "query"), "action": search["action"] });
    Described::new("web_search", kind, title, input)
}

fn crew(order: &Value) -> Described {
    let (tool, prompt) = (word(order, "tool"), order["prompt"].as_str());
    let words = humanized(tool);
    let title = match prompt.map(one_line).filter(|prompt| !prompt.is_empty()) {
        Some(prompt) => format!("{words}: {prompt}"),
        None => words,
    };
    Described {
        content: prompt.map(paragraph).into_iter().collect(),
        ..Described::new(tool, ToolKind::Think, title, json!({ "prompt": prompt }))
    }
}

/// A kind of item that is not known, shown as well as it can be.
fn other(item: &Value) -> Described {
    let name = match (word(item, "tool"), word(item, "name"), word(item, "type")) {
        ("", "", kind) => kind,
        ("", name, _) => name,
        (tool, ..) => tool,
    };
    let kind = if word(item, "type") == "sleep" { ToolKind::Think } else { ToolKind::Other };
    Described::new(name, kind, humanized(name), item.clone())
}

pub(super) fn outcome(body: &Body) -> Outcome {
    match body {
        Body::McpToolCall(call) => mcp(call),
        Body::Collab(order) => {
            Outcome::new(settled(order["status"].as_str()), Vec::new(), order["agentsStates"].clone())
        }
        Body::SubAgent(agent) => Outcome::new(settled(Some(agent.kind.as_str())), Vec::new(), Value::Null),
        Body::Other(item) => Outcome::new(settled(item["status"].as_str()), Vec::new(), item.clone()),
        _ => Outcome::new(ToolCallStatus::Completed, Vec::new(), Value::Null),
    }
}

/// Returns the status of a call that is over.
fn settled(word: Option<&str>) -> ToolCallStatus {
    match status(word) {
        ToolCallStatus::InProgress => ToolCallStatus::Completed,
        status => status,
    }
}

fn mcp(call: &Value) -> Outcome {
    let mut content = Vec::new();
    let mut output = Value::Null;
    let (result, error) = (&call["result"], &call["error"]);
    if result.is_object() {
        content.extend(result["content"].as_array().into_iter().flatten().map(block));
        output = json!({ "content": result["content"], "structuredContent": result["structuredContent"] });
    } else if !result.is_null() {
        output = result.clone();
    }
    if !error.is_null() {
        let words = error["message"].as_str().or(error.as_str());
        let words = words.map_or_else(|| error.to_string(), str::to_owned);
        output = json!({ "error": words });
        content.push(paragraph(words));
    }
    let status = if error.is_null() { settled(call["status"].as_str()) } else { ToolCallStatus::Failed };
    Outcome::new(status, content, output)
}

/// MCP's blocks are ACP's; what is none is shown as it is.
fn block(value: &Value) -> ToolCallContent {
    match ContentBlock::deserialize(value) {
        Ok(block) => block.into(),
        Err(_) => paragraph(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_any_shape_fails_the_call_and_is_shown() {
        for (error, shown) in [
            (json!({ "message": "boom" }), "boom"),
            (json!("boom"), "boom"),
            (json!({ "code": 7 }), r#"{"code":7}"#),
        ] {
            let outcome = mcp(&json!({ "status": "completed", "error": error }));
            assert_eq!(outcome.status, ToolCallStatus::Failed, "{shown}");
            assert_eq!(outcome.output, json!({ "error": shown }));
        }
        assert_eq!(mcp(&json!({ "status": "completed", "result": "text" })).output, "text");
    }
}
