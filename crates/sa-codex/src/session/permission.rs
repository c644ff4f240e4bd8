//! Whether a command may run, a file be changed, a tool of a server be used, or more be allowed than the sandbox does.

use super::Session;
use super::ask::Ask;
use crate::core::{Core, PROFILE};
use crate::native::ask::{
    Answer, CommandApproval, Elicitation, FormAnswer, PatchApproval, PermissionApproval,
};
use crate::native::item::{Body, Command};
use crate::tools;
use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use sa_acp::{Session as _, Told, chosen, only_looks, paragraph};
use serde_json::{Map, Value, json};
use std::path::{Component, Path};

const ALLOW_ONCE: &str = "allow_once";
const ALLOW_ALWAYS: &str = "allow_always";
const ALLOW_FOREVER: &str = "allow_forever";
const REJECT_ONCE: &str = "reject_once";

/// Something that waits for permission.
#[derive(Debug)]
pub struct Permission {
    call: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Command,
    /// A change of files; whether all of them are the session's to change.
    Change {
        is_inside: bool,
    },
    /// A tool of an MCP server.
    Tool,
    /// More than the sandbox allows.
    Grant(Value),
}

/// What the user chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Once,
    Session,
    Forever,
    Rejected,
    Cancelled,
}

impl Permission {
    fn answer(self, choice: Choice) -> Answer {
        match self.kind {
            Kind::Command | Kind::Change { .. } => Answer::decision(match choice {
                Choice::Once => "accept",
                Choice::Session | Choice::Forever => "acceptForSession",
                Choice::Rejected => "decline",
                Choice::Cancelled => "cancel",
            }),
            Kind::Tool => {
                let persist = |scope: &str| Some(Map::from_iter([("persist".to_owned(), json!(scope))]));
                let (action, meta) = match choice {
                    Choice::Once => ("accept", None),
                    Choice::Session => ("accept", persist("session")),
                    Choice::Forever => ("accept", persist("always")),
                    Choice::Rejected => ("decline", None),
                    Choice::Cancelled => ("cancel", None),
                };
                let content = (action == "accept").then(|| json!({}));
                Answer::Form(FormAnswer { action, content, meta })
            }
            Kind::Grant(permissions) => match choice {
                Choice::Once => Answer::Permissions { permissions, scope: "turn" },
                Choice::Session | Choice::Forever => Answer::Permissions { permissions, scope: "session" },
                Choice::Rejected | Choice::Cancelled => {
                    Answer::Permissions { permissions: json!({}), scope: "turn" }
                }
            },
        }
    }

    /// The answer when nobody wants to know any more.
    pub(super) fn cancelled(self) -> Answer {
        self.answer(Choice::Cancelled)
    }
}

/// Whether a command only looks: the CLI takes it for that, and so does a second look.
fn is_harmless(approval: &CommandApproval) -> bool {
    let actions = approval.command_actions.as_deref().unwrap_or_default();
    let looks = |kind: &str| matches!(kind, "read" | "listFiles" | "search");
    let command = tools::script(approval.command.as_deref().unwrap_or_default());
    let is_plain = approval.network_approval_context.is_none() && approval.reason.is_none();
    is_plain
        && !actions.is_empty()
        && actions.iter().all(|action| looks(&action.r#type))
        && only_looks(&command)
}

fn options(always: &str) -> Vec<PermissionOption> {
    vec![
        PermissionOption::new(ALLOW_ONCE, "Allow", PermissionOptionKind::AllowOnce),
        PermissionOption::new(ALLOW_ALWAYS, always, PermissionOptionKind::AllowAlways),
        PermissionOption::new(REJECT_ONCE, "Reject", PermissionOptionKind::RejectOnce),
    ]
}

impl Session {
    pub(super) fn ask_command(&mut self, core: &mut Core, id: &str, approval: CommandApproval) {
        let harmless = is_harmless(&approval);
        if harmless && self.settings.lets_look() {
            return self.respond(core, id, Answer::decision("accept"));
        }
        if self.settings.refuses() {
            return self.respond(core, id, Answer::decision("decline"));
        }
        let call = if approval.item_id.is_empty() { format!("approval-{id}") } else { approval.item_id };
        if let Some(command) = approval.command {
            let command = Command {
                command,
                cwd: approval.cwd.unwrap_or_else(|| self.place.cwd.clone()),
                command_actions: approval.command_actions.unwrap_or_default(),
                ..Command::default()
            };
            self.tool_started(core, &call, &Body::Command(command), None);
        }
        let always = "Always allow this command in this session";
        let mut update = self.waiting(&call, approval.reason.as_deref());
        if let Some(network) = approval.network_approval_context {
            update = update.meta(PROFILE.meta(json!({ "network": network })));
        }
        self.ask_permission(core, id, Permission { call, kind: Kind::Command }, update, options(always));
    }

    pub(super) fn ask_patch(&mut self, core: &mut Core, id: &str, approval: PatchApproval) {
        if self.settings.refuses() {
            return self.respond(core, id, Answer::decision("decline"));
        }
        let is_inside = self.is_inside(&approval.item_id);
        if is_inside && self.edits_allowed {
            return self.respond(core, id, Answer::decision("accept"));
        }
        let update = self.waiting(&approval.item_id, approval.reason.as_deref());
        let permission = Permission { call: approval.item_id, kind: Kind::Change { is_inside } };
        let options = options(match is_inside {
            true => "Always allow changes of files in the project in this session",
            false => "Always allow changes of these files in this session",
        });
        self.ask_permission(core, id, permission, update, options);
    }

    /// The question does not tell the call, which is the latest of that server.
    pub(super) fn ask_server_tool(&mut self, core: &mut Core, id: &str, form: &Elicitation) {
        if self.settings.refuses() {
            return self.respond(core, id, Answer::form("decline"));
        }
        let call = self.tools.latest_of(&form.server_name).map(str::to_owned);
        let call = call.unwrap_or_else(|| format!("approval-{id}"));
        let mut update = self.waiting(&call, None);
        if update.fields.title.is_none() {
            update.fields = update.fields.title(form.message.clone()).kind(ToolKind::Other);
        }
        let mut options = options("Always allow this tool in this session");
        if !form.may_persist("session") {
            options.retain(|option| option.option_id.0.as_ref() != ALLOW_ALWAYS);
        }
        if form.may_persist("always") {
            let name = "Always allow this tool";
            let forever = PermissionOption::new(ALLOW_FOREVER, name, PermissionOptionKind::AllowAlways);
            options.insert(options.len() - 1, forever);
        }
        self.ask_permission(core, id, Permission { call, kind: Kind::Tool }, update, options);
    }

    pub(super) fn ask_permissions(&mut self, core: &mut Core, id: &str, approval: PermissionApproval) {
        let permission =
            Permission { call: approval.item_id, kind: Kind::Grant(approval.permissions.clone()) };
        if self.settings.refuses() {
            let answer = permission.answer(Choice::Rejected);
            return self.respond(core, id, answer);
        }
        let mut fields = ToolCallUpdateFields::new()
            .title("Allow more than the sandbox does".to_owned())
            .kind(ToolKind::Other)
            .status(ToolCallStatus::Pending)
            .raw_input(approval.permissions);
        if let Some(reason) = approval.reason {
            fields = fields.content(vec![paragraph(reason)]);
        }
        let update = ToolCallUpdate::new(permission.call.clone(), fields);
        self.ask_permission(core, id, permission, update, options("Always allow this in this session"));
    }

    /// What is asked about, as the client knows it.
    fn waiting(&self, call: &str, reason: Option<&str>) -> ToolCallUpdate {
        let fields = match self.tools.running.get(call) {
            Some(tool) => {
                let mut described = tool.described.clone();
                // Why is asked stands before what is asked about.
                described.content.splice(0..0, reason.map(paragraph));
                described.into_fields()
            }
            None => ToolCallUpdateFields::new().content(reason.map(|reason| vec![paragraph(reason)])),
        };
        ToolCallUpdate::new(call.to_owned(), fields.status(ToolCallStatus::Pending))
    }

    fn ask_permission(
        &mut self,
        core: &mut Core,
        id: &str,
        permission: Permission,
        update: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) {
        self.pass_on_choice(core, id, Ask::Permission(Box::new(permission)), update, options);
    }

    pub(super) fn permission_answered(
        &mut self,
        core: &mut Core,
        id: &str,
        permission: Permission,
        told: Told,
    ) {
        let choice = match chosen(told).as_ref().map(Option::as_deref) {
            Ok(Some(ALLOW_ONCE)) => Choice::Once,
            Ok(Some(ALLOW_ALWAYS)) => Choice::Session,
            Ok(Some(ALLOW_FOREVER)) => Choice::Forever,
            Ok(None) => Choice::Cancelled,
            Ok(Some(_)) => Choice::Rejected,
            Err(reason) => {
                tracing::warn!(session = %self.id, reason, "no permission");
                Choice::Rejected
            }
        };
        if matches!(choice, Choice::Once | Choice::Session | Choice::Forever) {
            self.tools.running.runs(core, &self.id, &permission.call);
        }
        // For the CLI, always means the very same files.
        self.edits_allowed |=
            choice == Choice::Session && matches!(permission.kind, Kind::Change { is_inside: true });
        let answer = permission.answer(choice);
        self.respond(core, id, answer);
    }

    /// Whether a change is known to concern only files of the session's directories.
    fn is_inside(&self, call: &str) -> bool {
        let roots = || std::iter::once(&self.place.cwd).chain(&self.place.directories);
        let climbs = |path: &Path| path.components().any(|part| part == Component::ParentDir);
        let is_ours = |path: &Path| !climbs(path) && roots().any(|root| path.starts_with(root));
        let changed = self.tools.running.get(call).map(|tool| tool.described.locations.as_slice());
        changed.is_some_and(|places| !places.is_empty() && places.iter().all(|place| is_ours(&place.path)))
    }
}
