//! Lines to the CLI. Its own lines are read as they are (`schemas/amp/stream.schema.json`), so that an unknown part of one does not
//! affect others.

use sa_acp::PromptPart;
use serde_json::json;

pub(crate) fn prompt_line(parts: Vec<PromptPart>) -> Vec<u8> {
    let content: Vec<_> = parts.into_iter().map(PromptPart::into_block).collect();
    let message = json!({ "role": "user", "content": content });
    format!("{}\n", json!({ "type": "user", "message": message })).into_bytes()
}
