//! From universal events back to ACP: round trips show that nothing is lost, and the feature suite speaks ACP to universal sessions.
//!
//! Not a part of the product: only tests turn the feature on that this is behind.

mod choices;
mod contents;
mod projector;

pub use choices::to_opened;
pub use contents::parts_of;
#[cfg(test)]
pub(crate) use projector::agents;
pub use projector::{Projector, to_updates};

use crate::permission::{asked, tool_call};
use crate::reducer::Tool;
use crate::{Asked, Unparsed, json};
use serde_json::value::RawValue;

/// Takes the params of a `session/request_permission`, without knowing what was reported of the tool call before;
/// [`Reducer::permission`](crate::Reducer::permission) knows.
///
/// # Errors
///
/// When the request names no tool call or no option.
pub fn permission(params: &RawValue, id: &str, turn_id: Option<&str>) -> Result<Asked, Unparsed> {
    let params = json::read(params);
    let (call_id, call) = tool_call(&params)?;
    asked(&params, &Tool::new(&call_id, call), id, turn_id)
}
