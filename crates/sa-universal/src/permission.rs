//! Permissions: what is asked, and the answer.

use crate::contents;
use crate::form::Form;
use crate::json::{self, Object};
use crate::question;
use crate::reducer::Tool;
use sa_api::sessions::{
    PermissionOption, PermissionReply, PermissionReplyKind, PermissionRequest, Question, QuestionKind,
    QuestionOption, QuestionRequest, ToolContent, ToolKind,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use thiserror::Error;

/// A request of `session/request_permission`.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// A request to use a tool.
    Permission(PermissionRequest),
    /// A request to approve a plan, as a question whose options are those of the permission.
    PlanApproval(QuestionRequest, Form),
}

/// A request that is not understood.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{error}")]
pub struct Unparsed {
    pub error: String,
    /// The agent's own message.
    pub raw: Value,
}

impl Unparsed {
    pub(crate) fn new(error: &str, raw: &Value) -> Self {
        Self { error: error.to_owned(), raw: raw.clone() }
    }
}

/// The agent takes no such reply.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoSuchOption {
    /// No option stands for the reply.
    #[error("the agent offers no option that stands for '{0}'")]
    Reply(&'static str),
    /// No option has the id.
    #[error("the agent offers no option '{0}'")]
    Id(String),
    /// The option with the id stands for another reply.
    #[error("the option '{id}' stands for '{stands_for}', not for '{reply}'")]
    OtherReply { id: String, stands_for: &'static str, reply: &'static str },
}

/// A decision, as the agent gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The result of `session/request_permission`.
    pub result: Value,
    /// The option that was chosen; none if a rejection had to be sent as a cancellation.
    pub option_id: Option<String>,
    /// Decision: `once` where the agent has no `always`.
    pub reply: PermissionReplyKind,
}

pub(crate) fn tool_call(params: &Value) -> Result<(String, &Object), Unparsed> {
    let call = params.get("toolCall").and_then(Value::as_object);
    let call = call.ok_or_else(|| Unparsed::new("a permission request without a tool call", params))?;
    let id = json::owned(call, "toolCallId");
    let id = id.ok_or_else(|| Unparsed::new("a permission request without the tool call's id", params))?;
    Ok((id, call))
}

pub(crate) fn asked(params: &Value, tool: &Tool, id: &str, turn_id: Option<&str>) -> Result<Asked, Unparsed> {
    let list = params.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let options = options(list);
    if options.is_empty() {
        return Err(Unparsed::new("a permission request without options", params));
    }
    let turn_id = turn_id.map(str::to_owned);
    if tool.kind == ToolKind::SwitchMode {
        return Ok(plan_approval(tool, &options, id, turn_id));
    }
    Ok(Asked::Permission(PermissionRequest {
        id: id.to_owned(),
        turn_id,
        tool_call_id: tool.id.clone(),
        tool: tool.name.clone(),
        title: tool.title(),
        kind: tool.kind,
        input: tool.input.clone(),
        parts: contents::parts(&tool.content),
        options,
        expires_at: None,
    }))
}

/// The options. Of those that say no, the ones that say it for this time come first: the first is meant by `reject`.
fn options(list: &[Value]) -> Vec<PermissionOption> {
    let option = |value: &Value| {
        let object = value.as_object()?;
        let id = json::owned(object, "optionId")?;
        let name = json::owned(object, "name").unwrap_or_else(|| id.clone());
        let kind = json::text(object, "kind").unwrap_or_default();
        let reply = match kind {
            "allow_once" => PermissionReplyKind::Once,
            "allow_always" => PermissionReplyKind::Always,
            "reject_once" | "reject_always" => PermissionReplyKind::Reject,
            // Whatever is not known to mean yes is a no.
            other => guessed(&[other, &id, &name]),
        };
        Some((kind == "reject_always", PermissionOption { id, name, reply }))
    };
    let mut found: Vec<_> = list.iter().filter_map(option).collect();
    let no = |entry: &&(bool, PermissionOption)| entry.1.reply == PermissionReplyKind::Reject;
    let mut refusals: Vec<_> = found.iter().filter(no).cloned().collect();
    refusals.sort_by_key(|(always, _)| *always);
    let places = found.iter_mut().filter(|entry| entry.1.reply == PermissionReplyKind::Reject);
    for (place, refusal) in places.zip(refusals) {
        *place = refusal;
    }
    found.into_iter().map(|(_, option)| option).collect()
}

fn guessed(words: &[&str]) -> PermissionReplyKind {
    let says = |wanted: &[&str]| {
        words.iter().any(|word| {
            let word = word.to_lowercase();
            wanted.iter().any(|wanted| word.contains(wanted))
        })
    };
    if says(&["reject", "deny", "disallow", "cancel", "abort", "never", "decline", "don't", "not "]) {
        PermissionReplyKind::Reject
    } else if says(&["allow", "approve", "accept", "proceed", "yes"]) {
        if says(&["always", "session", "forever"]) {
            PermissionReplyKind::Always
        } else {
            PermissionReplyKind::Once
        }
    } else {
        PermissionReplyKind::Reject
    }
}

fn plan_approval(tool: &Tool, options: &[PermissionOption], id: &str, turn_id: Option<String>) -> Asked {
    let text = tool.content.iter().filter_map(|content| match content {
        ToolContent::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let message = text.collect::<Vec<_>>().join("\n\n");
    let form = Form::of_options(options);
    let choices = form.labels().map(|label| QuestionOption { label: label.to_owned(), description: None });
    let question = Question {
        options: choices.collect(),
        required: true,
        ..question::blank(&tool.title(), QuestionKind::Choice)
    };
    let request = QuestionRequest {
        id: id.to_owned(),
        turn_id,
        tool_call_id: Some(tool.id.clone()),
        message: Some(message).filter(|message| !message.is_empty()),
        questions: vec![question],
        plan_approval: true,
        ..QuestionRequest::default()
    };
    Asked::PlanApproval(request, form)
}

/// The params of a `session/request_permission` without options that must not be chosen. Those are left if nothing else says
/// yes. `None` if nothing is withheld.
pub fn withhold(params: &RawValue, must_not: impl Fn(&str) -> bool) -> Option<Box<RawValue>> {
    let mut params = json::read(params);
    let list = params.get_mut("options")?.as_array_mut()?;
    let says_yes = |option: &Value| option["kind"].as_str().is_some_and(|kind| kind.starts_with("allow"));
    let is_kept = |option: &Value| !option["optionId"].as_str().is_some_and(&must_not);
    if list.iter().all(is_kept) || !list.iter().any(|option| is_kept(option) && says_yes(option)) {
        return None;
    }
    list.retain(is_kept);
    serde_json::value::to_raw_value(&params).ok()
}

/// The answer to a permission request.
///
/// `always` falls back to an option for this time, `reject` to one that rejects for good or else to a cancellation; `once`
/// never stands for more than once.
///
/// # Errors
///
/// When the agent offers no option that stands for the reply, or not the one that is named.
pub fn permission_answer(
    request: &PermissionRequest,
    reply: &PermissionReply,
) -> Result<Decided, NoSuchOption> {
    let first = |wanted| request.options.iter().find(|option| option.reply == wanted);
    let option = match (&reply.option_id, reply.reply) {
        (Some(id), wanted) => {
            let named = request.options.iter().find(|option| option.id == *id);
            let named = named.ok_or_else(|| NoSuchOption::Id(id.clone()))?;
            if named.reply != wanted {
                let (stands_for, reply) = (named.reply.name(), wanted.name());
                return Err(NoSuchOption::OtherReply { id: id.clone(), stands_for, reply });
            }
            Some(named)
        }
        (None, PermissionReplyKind::Always) => {
            first(PermissionReplyKind::Always).or_else(|| first(PermissionReplyKind::Once))
        }
        (None, wanted) => first(wanted),
    };
    let option_id = option.map(|option| option.id.clone());
    let result = match (&option_id, reply.reply) {
        (Some(id), _) => selected(id),
        (None, PermissionReplyKind::Reject) => permission_cancelled(),
        (None, wanted) => return Err(NoSuchOption::Reply(wanted.name())),
    };
    Ok(Decided { result, option_id, reply: option.map_or(reply.reply, |option| option.reply) })
}

/// The answer to a permission request whose turn was cancelled.
pub fn permission_cancelled() -> Value {
    json!({ "outcome": { "outcome": "cancelled" } })
}

pub(crate) fn selected(option_id: &str) -> Value {
    json!({ "outcome": { "outcome": "selected", "optionId": option_id } })
}
