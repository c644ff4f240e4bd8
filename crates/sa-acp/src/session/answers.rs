//! The replies of a client to questions of a CLI.

use agent_client_protocol_schema::v1::{
    CreateElicitationResponse, ElicitationAction, Error, RequestPermissionOutcome, RequestPermissionResponse,
};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The reply of a client to a request.
pub type Reply = Result<Box<RawValue>, Error>;

/// Returns the option that the client chose: `None` if it cancelled, an error in words if its answer makes no sense.
pub fn chosen(reply: Reply) -> Result<Option<String>, String> {
    let result = reply.map_err(|error| format!("the client could not ask: {}", error.message))?;
    let response: RequestPermissionResponse = serde_json::from_str(result.get())
        .map_err(|error| format!("the client's answer cannot be read: {error}"))?;
    Ok(match response.outcome {
        RequestPermissionOutcome::Selected(selected) => Some(selected.option_id.to_string()),
        _ => None,
    })
}

/// Returns the user's action on a form; an error in words if the answer makes no sense.
pub fn action(reply: Reply) -> Result<ElicitationAction, String> {
    let result = reply.map_err(|error| format!("the client could not ask: {}", error.message))?;
    serde_json::from_str::<CreateElicitationResponse>(result.get())
        .map(|response| response.action)
        .map_err(|error| format!("the client's answer cannot be read: {error}"))
}

/// The reply to a form of an MCP server, as MCP has it.
#[derive(Debug, Serialize)]
pub struct FormReply {
    /// `accept`, `decline` or `cancel`.
    pub action: &'static str,
    /// The values of an accepted form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
}

impl FormReply {
    /// Returns a reply without values.
    pub fn without_content(action: &'static str) -> Self {
        Self { action, content: None }
    }

    /// Reads the client's reply. A form that could not be shown is declined.
    pub fn read(reply: Reply) -> Self {
        match action(reply) {
            Ok(ElicitationAction::Accept(accepted)) => {
                let content = accepted.content.and_then(|content| serde_json::to_value(content).ok());
                Self { action: "accept", content }
            }
            Ok(ElicitationAction::Cancel) => Self::without_content("cancel"),
            _ => Self::without_content("decline"),
        }
    }
}
