//! Asking the client for permission, and remembering what it decided for good.

use super::action::{Action, Then};
use super::config::{self, Select};
use super::core::Call;
use super::session::Session;
use super::tools::{completed, failed, new_call, update};
use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionRequest, SessionUpdate, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use sa_acp::{Reply, chosen, paragraph};
use serde_json::json;

const ALLOW_ONCE: &str = "allow_once";
const ALLOW_ALWAYS: &str = "allow_always";
const REJECT_ONCE: &str = "reject_once";
const REJECT_ALWAYS: &str = "reject_always";

/// The continuation after a decision.
#[derive(Debug)]
pub(super) struct Permission {
    /// The subject of a lasting decision.
    subject: String,
    allowed: Vec<Action>,
    rejected: Vec<Action>,
    remark: Remark,
}

/// Says if a message repeats the decision.
#[derive(Debug, PartialEq, Eq)]
enum Remark {
    Spoken,
    Silent,
}

impl Permission {
    pub(super) fn new(subject: &str, allowed: Vec<Action>, rejected: Vec<Action>) -> Self {
        Self { subject: subject.to_owned(), allowed, rejected, remark: Remark::Spoken }
    }

    /// Returns a permission whose decision no message repeats.
    pub(super) fn silent(subject: &str, allowed: Vec<Action>, rejected: Vec<Action>) -> Self {
        Self { remark: Remark::Silent, ..Self::new(subject, allowed, rejected) }
    }

    fn allow(self, how: &str) -> Vec<Action> {
        self.remark(how).into_iter().chain(self.allowed).collect()
    }

    fn reject(self, how: &str) -> Vec<Action> {
        self.remark(how).into_iter().chain(self.rejected).collect()
    }

    fn remark(&self, how: &str) -> Option<Action> {
        let is_spoken = self.remark == Remark::Spoken;
        is_spoken.then(|| Action::Say(format!("Permission for \"{}\": {how}.", self.subject)))
    }
}

/// Asks for permission, unless it was decided for good before.
pub(super) fn ask(session: &Session, details: ToolCallUpdate, permission: Permission) -> Vec<Action> {
    match session.about.remembered.get(&permission.subject) {
        Some(true) => return permission.allow("allowed, as decided before"),
        Some(false) => return permission.reject("rejected, as decided before"),
        None => {}
    }
    let options = vec![
        PermissionOption::new(ALLOW_ONCE, "Allow once", PermissionOptionKind::AllowOnce),
        PermissionOption::new(ALLOW_ALWAYS, "Always allow", PermissionOptionKind::AllowAlways),
        PermissionOption::new(REJECT_ONCE, "Reject", PermissionOptionKind::RejectOnce),
        PermissionOption::new(REJECT_ALWAYS, "Always reject", PermissionOptionKind::RejectAlways),
    ];
    vec![request(session, details, options, Then::Permission(Box::new(permission)))]
}

/// A request for permission with any options.
pub(super) fn request(
    session: &Session,
    details: ToolCallUpdate,
    options: Vec<PermissionOption>,
    then: Then,
) -> Action {
    let request = RequestPermissionRequest::new(session.about.id.clone(), details, options);
    Action::Call(Box::new(Call::new("session/request_permission", &request, then)))
}

/// Continues when the client has decided.
pub(super) fn answered(session: &mut Session, permission: Permission, answer: Reply) -> Vec<Action> {
    let choice = match chosen(answer) {
        Ok(choice) => choice,
        Err(reason) => return permission.reject(&reason),
    };
    let granted = match choice.as_deref() {
        None => return permission.reject("cancelled"),
        Some(ALLOW_ONCE | ALLOW_ALWAYS) => true,
        Some(REJECT_ONCE | REJECT_ALWAYS) => false,
        Some(other) => return permission.reject(&format!("there is no option {other}")),
    };
    let choice = choice.unwrap_or_default();
    if choice == ALLOW_ALWAYS || choice == REJECT_ALWAYS {
        session.about.remembered.insert(permission.subject.clone(), granted);
    }
    if granted { permission.allow(&choice) } else { permission.reject(&choice) }
}

pub(super) fn permission(session: &mut Session, title: &str) -> Vec<Action> {
    let input = json!({ "title": title });
    let (tool, call) = new_call(session, "permission", ToolKind::Other, title, input);
    let mut actions = vec![update(SessionUpdate::ToolCall(call))];
    let details = ToolCallUpdateFields::new().title(title.to_owned()).kind(ToolKind::Other);
    let granted = vec![completed(tool.clone(), vec![paragraph("Allowed.")], json!({ "allowed": true }))];
    let refused = vec![update(failed(tool.clone(), "Rejected."))];
    let permission = Permission::new(title, granted, refused);
    actions.extend(ask(session, ToolCallUpdate::new(tool, details), permission));
    actions
}

/// The command `leave-plan`: the mode changes if the client agrees to the plan.
pub(super) fn leave_plan(session: &mut Session) -> Vec<Action> {
    if session.about.settings.get(Select::Mode) != config::PLAN {
        return vec![Action::Say("I am not in plan mode.".to_owned())];
    }
    let decided = |agreed, refused| Permission::new("leave-plan", agreed, refused);
    propose(session, "1. Look around\n2. Make the change\n3. Check it\n", decided)
}

/// Shows a plan and asks for leave to carry it out. `decided` receives what an agreement and a refusal start with.
pub(super) fn propose(
    session: &mut Session,
    plan: &str,
    decided: impl FnOnce(Vec<Action>, Vec<Action>) -> Permission,
) -> Vec<Action> {
    let next = session.about.settings.after_plan().to_owned();
    let title = "Leave plan mode and start to build";
    let plan = paragraph(plan);
    let input = json!({ "mode": next });
    let (tool, call) = new_call(session, "leave_plan", ToolKind::SwitchMode, title, input);
    let call = call.content(vec![plan.clone()]);
    let details =
        ToolCallUpdateFields::new().title(title.to_owned()).kind(ToolKind::SwitchMode).content(vec![plan]);
    let agreed = vec![
        Action::Choose(Select::Mode, next.clone()),
        completed(tool.clone(), vec![paragraph("Agreed.")], json!({ "mode": next })),
    ];
    let refused = vec![update(failed(tool.clone(), "The plan was not agreed to."))];
    let options = vec![
        PermissionOption::new(ALLOW_ONCE, "Yes, start to build", PermissionOptionKind::AllowOnce),
        PermissionOption::new(REJECT_ONCE, "No, keep planning", PermissionOptionKind::RejectOnce),
    ];
    let then = Then::Permission(Box::new(decided(agreed, refused)));
    vec![
        update(SessionUpdate::ToolCall(call)),
        request(session, ToolCallUpdate::new(tool, details), options, then),
    ]
}
