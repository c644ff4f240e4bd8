//! Results of tool calls, from the CLI's report: a text that often holds JSON, or that JSON itself.

use super::is_edit;
use agent_client_protocol_schema::v1::{ToolCallContent, ToolCallStatus};
use sa_acp::{Outcome, fenced, paragraph, printed, terminal_meta};
use serde_json::Value;

/// Returns the result of a call as the client sees it.
pub(crate) fn outcome(id: &str, name: &str, reported: &Value, status: ToolCallStatus) -> Outcome {
    let value = match reported.as_str().map(serde_json::from_str::<Value>) {
        Some(Ok(parsed)) if parsed.is_object() || parsed.is_array() => parsed,
        _ => reported.clone(),
    };
    if let Some(output) = value["output"].as_str().filter(|_| value.get("exitCode").is_some()) {
        let code = value["exitCode"].as_i64();
        let status = if code == Some(0) { status } else { ToolCallStatus::Failed };
        let meta = terminal_meta(id, output, code);
        let content = printed(output);
        // The output itself is in the content.
        let mut rest = value.clone();
        if let Value::Object(fields) = &mut rest {
            fields.remove("output");
        }
        return Outcome { meta: Some(meta), ..Outcome::new(status, content, rest) };
    }
    // The change itself was shown before it was made.
    let content =
        if is_edit(name) && status == ToolCallStatus::Completed { Vec::new() } else { content(&value) };
    Outcome::new(status, content, value)
}

fn content(value: &Value) -> Vec<ToolCallContent> {
    match value {
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => vec![paragraph(text.clone())],
        // The answers of MCP servers.
        Value::Array(blocks) if blocks.iter().all(|block| block["type"].is_string()) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).map(paragraph).collect()
        }
        Value::Object(fields) => match fields.get("content").and_then(Value::as_str) {
            Some(text) => vec![paragraph(fenced("", text))],
            None => vec![paragraph(fenced("json", &value.to_string()))],
        },
        Value::Null => Vec::new(),
        other => vec![paragraph(fenced("json", &other.to_string()))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn results_are_read_whether_they_are_text_or_json_in_text() {
        let ran =
            outcome("c", "Bash", &json!(r#"{"output":"boom\n","exitCode":3}"#), ToolCallStatus::Completed);
        assert_eq!((ran.status, ran.output), (ToolCallStatus::Failed, json!({ "exitCode": 3 })));
        assert_eq!(ran.content, [paragraph("```console\nboom\n```")]);
        assert_eq!(ran.meta.unwrap_or_default()["terminal_exit"]["exit_code"], 3);
        let read = outcome(
            "c",
            "Read",
            &json!(r#"{"absolutePath":"/a","content":"1: x"}"#),
            ToolCallStatus::Completed,
        );
        assert_eq!(read.content, [paragraph("```\n1: x\n```")]);
        let served =
            outcome("c", "mcp__a__b", &json!(r#"[{"type":"text","text":"hi"}]"#), ToolCallStatus::Completed);
        assert_eq!(served.content, [paragraph("hi")]);
        let edited = outcome("c", "edit_file", &json!(r#"{"diff":"x"}"#), ToolCallStatus::Completed);
        assert_eq!((edited.content, edited.output), (vec![], json!({ "diff": "x" })));
        let refused = outcome("c", "edit_file", &json!("rejected"), ToolCallStatus::Failed);
        assert_eq!((refused.status, refused.content), (ToolCallStatus::Failed, vec![paragraph("rejected")]));
        let number = outcome("c", "other", &json!("12"), ToolCallStatus::Completed);
        assert_eq!(number.content, [paragraph("12")]);
    }
}
