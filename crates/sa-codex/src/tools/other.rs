//! Everything that is neither a command nor a change of files.

use super::status;
use crate::native::item::{Body, Collab, McpToolCall, WebSearch};
use agent_client_protocol_schema::v1::{
    ContentBlock, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind,
};
use sa_acp::{Described, Outcome, absolute, humanised, one_line, paragraph, shown};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn describe(body: &Body, cwd: &Path) -> Described {
    match body {
        Body::McpToolCall(call) => {
            let name = format!("mcp__{}__{}", call.server, call.tool);
            let title = format!("{} ({})", one_line(&call.tool), one_line(&call.server));
            Described::new(name, ToolKind::Other, title, call.arguments.clone())
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
            let title =
                one_line(&format!("Agent {}", agent.agent_path.rsplit('/').next().unwrap_or_default()));
            Described::new("spawn_agent", ToolKind::Think, title, json!({ "thread": agent.agent_thread_id }))
        }
        Body::Other(item) => other(item),
        _ => Described::new("unknown", ToolKind::Other, "Something else".to_owned(), Value::Null),
    }
}

fn web(search: &WebSearch) -> Described {
    let action = search.action.as_ref();
    let page = action.and_then(|action| action["url"].as_str());
    let (kind, title) = match (page, search.query.trim()) {
        (Some(url), _) => (ToolKind::Fetch, format!("Open {}", one_line(url))),
        (None, "") => (ToolKind::Search, "Search the web".to_owned()),
        (None, query) => (ToolKind::Search, format!("Search the web for “{}”", one_line(query))),
    };
    Described::new("web_search", kind, title, json!({ "query": search.query, "action": search.action }))
}

fn crew(collab: &Collab) -> Described {
    let words = humanised(&collab.tool);
    let title = match collab.prompt.as_deref().map(one_line).filter(|prompt| !prompt.is_empty()) {
        Some(prompt) => format!("{words}: {prompt}"),
        None => words,
    };
    Described {
        content: collab.prompt.iter().map(|prompt| paragraph(prompt.clone())).collect(),
        ..Described::new(collab.tool.clone(), ToolKind::Think, title, json!({ "prompt": collab.prompt }))
    }
}

/// A kind of item that is not known, shown as well as it can be.
fn other(item: &Value) -> Described {
    let word = |name: &str| item[name].as_str().unwrap_or_default();
    let name = match (word("tool"), word("name"), word("type")) {
        ("", "", kind) => kind,
        ("", name, _) => name,
        (tool, ..) => tool,
    };
    let kind = if word("type") == "sleep" { ToolKind::Think } else { ToolKind::Other };
    Described::new(name, kind, humanised(name), item.clone())
}

pub(super) fn outcome(body: &Body) -> Outcome {
    match body {
        Body::McpToolCall(call) => mcp(call),
        Body::Collab(collab) => {
            Outcome::new(settled(collab.status.as_deref()), Vec::new(), collab.agents_states.clone())
        }
        Body::SubAgent(agent) => Outcome::new(settled(Some(agent.kind.as_str())), Vec::new(), Value::Null),
        Body::Other(item) => Outcome::new(settled(item["status"].as_str()), Vec::new(), item.clone()),
        _ => Outcome::new(ToolCallStatus::Completed, Vec::new(), Value::Null),
    }
}

/// Whatever is told last is over.
fn settled(word: Option<&str>) -> ToolCallStatus {
    match status(word) {
        ToolCallStatus::InProgress => ToolCallStatus::Completed,
        status => status,
    }
}

fn mcp(call: &McpToolCall) -> Outcome {
    let mut content = Vec::new();
    let mut output = Value::Null;
    if let Some(result) = &call.result {
        content.extend(result.content.iter().map(block));
        output = json!({ "content": result.content, "structuredContent": result.structured_content });
    }
    if let Some(error) = &call.error {
        content.push(paragraph(error.message.clone()));
        output = json!({ "error": error.message });
    }
    let status = if call.error.is_some() { ToolCallStatus::Failed } else { settled(call.status.as_deref()) };
    Outcome::new(status, content, output)
}

/// MCP's blocks are ACP's; what is none is shown as it is.
fn block(value: &Value) -> ToolCallContent {
    match ContentBlock::deserialize(value) {
        Ok(block) => block.into(),
        Err(_) => paragraph(value.to_string()),
    }
}
