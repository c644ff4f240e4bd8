//! The messages of the server, wherever they come from.

use serde_json::{Value, json};

/// The only tool: it greets.
pub const TOOL: &str = "greet";

/// Returns the answer to a message; notifications have none.
pub(super) fn answer(message: &Value, greeting: &str) -> Option<Value> {
    let id = message.get("id")?;
    let params = &message["params"];
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "suite", "version": "1" },
        }),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": [{
            "name": TOOL,
            "description": "Greets somebody",
            "inputSchema": { "type": "object", "properties": { "who": { "type": "string" } } },
        }] }),
        "tools/call" => {
            let who = params["arguments"]["who"].as_str().unwrap_or("nobody");
            json!({ "content": [{ "type": "text", "text": format!("{greeting}, {who}") }] })
        }
        other => {
            let error = json!({ "code": -32601, "message": format!("no method {other}") });
            return Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        }
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}
