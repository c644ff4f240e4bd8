//! What a client answered when it was asked something on behalf of a CLI.

use agent_client_protocol_schema::v1::{
    CreateElicitationResponse, ElicitationAction, Error, RequestPermissionOutcome, RequestPermissionResponse,
};
use serde_json::value::RawValue;

/// The reply of a client to a request.
pub type Reply = Result<Box<RawValue>, Error>;

/// Returns which option the client chose: `None` if it cancelled, an error in words if its answer makes no sense.
pub fn chosen(reply: Reply) -> Result<Option<String>, String> {
    let result = reply.map_err(|error| format!("the client could not ask: {}", error.message))?;
    let response: RequestPermissionResponse = serde_json::from_str(result.get())
        .map_err(|error| format!("the client's answer cannot be read: {error}"))?;
    Ok(match response.outcome {
        RequestPermissionOutcome::Selected(selected) => Some(selected.option_id.to_string()),
        _ => None,
    })
}

/// Returns what the user did with a form; an error in words if the answer makes no sense.
pub fn action(reply: Reply) -> Result<ElicitationAction, String> {
    let result = reply.map_err(|error| format!("the client could not ask: {}", error.message))?;
    serde_json::from_str::<CreateElicitationResponse>(result.get())
        .map(|response| response.action)
        .map_err(|error| format!("the client's answer cannot be read: {error}"))
}
