//! How the user behind the client answers what the agent asks.

use serde_json::{Value, json};

/// An answer to requests of the agent. Only the body knows whether anything may be asked at all.
#[derive(Debug, Clone)]
pub(crate) enum Policy {
    /// No request must come.
    Silence,
    /// Chooses the first option of this kind: `allow_once`, `allow_always`, `reject_once`.
    Choose(&'static str),
    /// Chooses the option with this name, or whose name begins with it.
    Pick(&'static str),
    /// Says that the turn is cancelled.
    Cancel,
    Fill(Value),
    /// Declines to fill in the form.
    Decline,
    /// Lets the question stand.
    Leave,
}

/// The reaction to a request.
pub(crate) enum Reply {
    Result(Value),
    /// The question must not come; why.
    Fault(String),
    None,
}

impl Policy {
    /// Returns the reaction to this request of the agent.
    pub(crate) fn reply(&self, request: &Value) -> Reply {
        let is_form = request["method"] == "elicitation/create";
        let selected = |id: &Value| json!({ "outcome": { "outcome": "selected", "optionId": id } });
        let result = match self {
            Self::Leave => return Reply::None,
            Self::Fill(content) if is_form => Some(json!({ "action": "accept", "content": content })),
            Self::Decline if is_form => Some(json!({ "action": "decline" })),
            Self::Cancel if is_form => Some(json!({ "action": "cancel" })),
            Self::Cancel => Some(json!({ "outcome": { "outcome": "cancelled" } })),
            Self::Choose(kind) if !is_form => option(request, |option| option["kind"] == *kind).map(selected),
            Self::Pick(name) if !is_form => {
                let named = |option: &Value| option["name"].as_str().is_some_and(|it| it.starts_with(name));
                option(request, named).map(selected)
            }
            _ => None,
        };
        match result {
            Some(result) => Reply::Result(result),
            None => Reply::Fault(format!("a question that {self:?} does not answer: {request}")),
        }
    }
}

fn option(request: &Value, fits: impl Fn(&Value) -> bool) -> Option<&Value> {
    let option = request["params"]["options"].as_array()?.iter().find(|option| fits(option))?;
    option.get("optionId")
}
