//! Permissions: for commands, changes of files, tools of servers, and for more than the sandbox allows.

use super::Session;
use super::ask::Ask;
use crate::core::Core;
use crate::native::ask::{
    CommandApproval, Elicitation, PatchApproval, PermissionApproval, decision as decided, form, permissions,
};
use crate::native::item::{Body, Command};
use crate::tools;
use agent_client_protocol_schema::v1::{
    PermissionOption, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use sa_acp::{
    AskReason, Asking, Decision, Described, FormReply, Outcome, PermissionRequest, one_line, paragraph,
    permission_options,
};
use sa_shell::only_reads;
use serde_json::{Map, Value, json};
use std::path::{Component, Path};

#[derive(Debug)]
pub struct Permission {
    call: String,
    kind: Kind,
    /// The call was announced for the question alone, so that no item ends it.
    is_own: bool,
}

#[derive(Debug)]
enum Kind {
    /// A command; whether it only reads.
    Command { is_harmless: bool },
    /// A change of files; whether all of them are the session's to change.
    Change { is_inside: bool },
    /// A tool of an MCP server.
    Tool,
    /// More than the sandbox allows.
    Grant(Value),
}

impl Permission {
    fn answer(&self, decision: &Decision) -> Value {
        match &self.kind {
            Kind::Command { .. } | Kind::Change { .. } => decided(match decision {
                Decision::Once => "accept",
                Decision::Session | Decision::Forever => "acceptForSession",
                Decision::Rejected | Decision::Failed(_) => "decline",
                Decision::Cancelled => "cancel",
            }),
            Kind::Tool => {
                let (action, lasts) = match decision {
                    Decision::Once => ("accept", None),
                    Decision::Session => ("accept", Some("session")),
                    Decision::Forever => ("accept", Some("always")),
                    Decision::Rejected | Decision::Failed(_) => ("decline", None),
                    Decision::Cancelled => ("cancel", None),
                };
                let content = (action == "accept").then(|| json!({}));
                let mut answer = form(FormReply { action, content });
                if let Some(scope) = lasts {
                    answer["_meta"] = json!({ "persist": scope });
                }
                answer
            }
            Kind::Grant(wanted) => match decision {
                Decision::Once => permissions(wanted, "turn"),
                Decision::Session | Decision::Forever => permissions(wanted, "session"),
                Decision::Rejected | Decision::Failed(_) | Decision::Cancelled => {
                    permissions(&json!({}), "turn")
                }
            },
        }
    }

    /// The answer when nobody wants to know any more.
    pub(super) fn cancelled(&self) -> Value {
        self.answer(&Decision::Cancelled)
    }
}

/// Returns whether a command only reads: the CLI takes it for that, and so does a second look.
fn is_harmless(approval: &CommandApproval) -> bool {
    let actions = approval.command_actions.as_deref().unwrap_or_default();
    let looks = |kind: &str| matches!(kind, "read" | "listFiles" | "search");
    let command = tools::script(approval.command.as_deref().unwrap_or_default());
    let is_plain = approval.network_approval_context.is_none()
        && approval.reason.is_none()
        && approval.additional_permissions.is_none();
    is_plain
        && !actions.is_empty()
        && actions.iter().all(|action| looks(&action.r#type))
        && only_reads(&command)
}

/// Describes a connection that a command wants to make as a call of its own: allowing the command does not allow it.
fn connection(network: &Value) -> Described {
    let host = network["host"].as_str().unwrap_or_default();
    let protocol = network["protocol"].as_str().unwrap_or_default();
    let mut input = json!({ "network": network });
    if !host.is_empty() && !protocol.is_empty() {
        let port = network["port"].as_u64().map(|port| format!(":{port}")).unwrap_or_default();
        input["url"] = json!(format!("{protocol}://{host}{port}"));
    }
    Described::new("network", ToolKind::Fetch, format!("Connect to {}", one_line(host)), input)
}

fn options(always: &str) -> Vec<PermissionOption> {
    permission_options(Some(always.to_owned()), None)
}

impl Session {
    pub(super) fn ask_command(&mut self, core: &mut Core, id: &str, approval: CommandApproval) {
        let is_harmless = is_harmless(&approval);
        let is_allowed = is_harmless && self.settings.lets_look();
        if is_allowed && self.workspace.asking == Asking::Needed {
            return self.respond(core, id, &decided("accept"));
        }
        if self.settings.refuses() && !is_allowed {
            return self.respond(core, id, &decided("decline"));
        }
        let reason = approval.reason.clone();
        // The question says what is asked about; the item may be about more.
        let is_own = approval.network_approval_context.is_some()
            || approval.approval_id.is_some()
            || approval.item_id.is_empty();
        let call = if is_own { format!("approval-{id}") } else { approval.item_id.clone() };
        let described = match &approval.network_approval_context {
            Some(network) => Some(connection(network)),
            None => self.command_of(core, approval),
        };
        let update = self.about(core, &call, described, reason.as_deref());
        let permission = Permission { call, kind: Kind::Command { is_harmless }, is_own };
        let options = options("Always allow this command in this session");
        let reason = if is_allowed { AskReason::ClientRules } else { AskReason::Needed };
        self.ask_permission(core, id, permission, PermissionRequest { call: update, options, reason });
    }

    fn command_of(&self, core: &Core, approval: CommandApproval) -> Option<Described> {
        let command = Command {
            command: approval.command?,
            cwd: approval.cwd.unwrap_or_else(|| self.workspace.cwd.clone()),
            command_actions: approval.command_actions.unwrap_or_default(),
            ..Command::default()
        };
        let mut described =
            tools::describe(&Body::Command(command), &self.workspace.cwd, core.host.disk.as_ref());
        if let Some(more) = approval.additional_permissions {
            described.input["additionalPermissions"] = more;
        }
        Some(described)
    }

    pub(super) fn ask_patch(&mut self, core: &mut Core, id: &str, approval: PatchApproval) {
        if self.settings.refuses() {
            return self.respond(core, id, &decided("decline"));
        }
        let is_inside = approval.grant_root.is_none() && self.is_inside(&approval.item_id);
        let is_allowed = is_inside && self.edits_allowed;
        if is_allowed && self.workspace.asking == Asking::Needed {
            return self.respond(core, id, &decided("accept"));
        }
        let mut update = self.about(core, &approval.item_id, None, approval.reason.as_deref());
        if let Some(root) = approval.grant_root {
            let mut input = match update.fields.raw_input.take() {
                Some(Value::Object(input)) => input,
                // A call of an MCP server's tool may have any input.
                _ => Map::new(),
            };
            input.insert("grantRoot".to_owned(), json!(root));
            update.fields = update.fields.raw_input(Value::Object(input));
        }
        let call = approval.item_id;
        let permission = Permission { call, kind: Kind::Change { is_inside }, is_own: false };
        let options = options(match is_inside {
            true => "Always allow changes of files in the project in this session",
            false => "Always allow changes of these files in this session",
        });
        let reason = if is_allowed { AskReason::ClientRules } else { AskReason::Needed };
        self.ask_permission(core, id, permission, PermissionRequest { call: update, options, reason });
    }

    /// Asks about a tool of an MCP server. The question names the tool and its input, and not the call.
    pub(super) fn ask_server_tool(&mut self, core: &mut Core, id: &str, asked: &Elicitation) {
        if self.settings.refuses() {
            return self.respond(core, id, &form(FormReply::without_content("decline")));
        }
        let input = asked.input().cloned();
        let name = asked.tool().map(|tool| format!("mcp__{}__{tool}", asked.server_name));
        let known =
            name.as_deref().and_then(|name| self.tools.call_of(&asked.server_name, name, input.as_ref()));
        let (call, is_own) = match known {
            Some(call) => (call.to_owned(), false),
            None => (format!("approval-{id}"), true),
        };
        let described = is_own.then(|| {
            let input = input.unwrap_or(Value::Null);
            Described::new(name.unwrap_or_default(), ToolKind::Other, one_line(&asked.message), input)
        });
        let update = self.about(core, &call, described, None);
        let session = "Always allow this tool in this session".to_owned();
        let options = permission_options(
            Some(session).filter(|_| asked.may_persist("session")),
            Some("Always allow this tool").filter(|_| asked.may_persist("always")),
        );
        let request = PermissionRequest { call: update, options, reason: AskReason::Needed };
        self.ask_permission(core, id, Permission { call, kind: Kind::Tool, is_own }, request);
    }

    pub(super) fn ask_permissions(&mut self, core: &mut Core, id: &str, approval: PermissionApproval) {
        let kind = Kind::Grant(approval.permissions.clone());
        let permission = Permission { call: approval.item_id, kind, is_own: false };
        if self.settings.refuses() {
            return self.respond(core, id, &permission.answer(&Decision::Rejected));
        }
        let mut fields = ToolCallUpdateFields::new()
            .title("Allow more than the sandbox does".to_owned())
            .kind(ToolKind::Other)
            .status(ToolCallStatus::Pending)
            .raw_input(approval.permissions);
        if let Some(reason) = approval.reason {
            fields = fields.content(vec![paragraph(reason)]);
        }
        let call = ToolCallUpdate::new(permission.call.clone(), fields);
        let options = options("Always allow this in this session");
        let request = PermissionRequest { call, options, reason: AskReason::Needed };
        self.ask_permission(core, id, permission, request);
    }

    /// Returns the call that is asked about, as the question describes it, else as the client knows it. The client is notified of a call that it
    /// does not know.
    pub(super) fn about(
        &mut self,
        core: &mut Core,
        call: &str,
        described: Option<Described>,
        reason: Option<&str>,
    ) -> ToolCallUpdate {
        let (client, tools) = (&mut core.io.client, &mut self.tools.running);
        if let Some(described) = described.clone().filter(|_| tools.get(call).is_none()) {
            tools.start(client, &self.conversation.id, call, described, None);
        }
        let fields = match described.or_else(|| tools.get(call).map(|tool| tool.described.clone())) {
            Some(mut described) => {
                // The reason comes first.
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
        request: PermissionRequest,
    ) {
        let ask = Ask::Permission(Box::new(permission));
        self.conversation.ask_permission(&mut core.io.client, id, ask, request);
    }

    pub(super) fn on_decision(
        &mut self,
        core: &mut Core,
        id: &str,
        permission: Permission,
        decision: &Decision,
    ) {
        if let Decision::Failed(reason) = decision {
            tracing::warn!(session = %self.conversation.id, reason, "no permission");
        }
        let is_allowed = decision.is_allowed();
        if permission.is_own {
            let status = if is_allowed { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
            let outcome = Outcome::new(status, Vec::new(), Value::Null);
            self.tools.running.done(&mut core.io.client, &self.conversation.id, &permission.call, outcome);
        } else if is_allowed {
            self.tools.running.runs(&mut core.io.client, &self.conversation.id, &permission.call);
        }
        // For the CLI, always means the very same files.
        self.edits_allowed |=
            *decision == Decision::Session && matches!(permission.kind, Kind::Change { is_inside: true });
        self.respond(core, id, &permission.answer(decision));
    }

    /// Refuses open questions about calls that the mode refuses now.
    pub(super) fn reconsider(&mut self, core: &mut Core) {
        if !self.settings.refuses() {
            return;
        }
        let lets_look = self.settings.lets_look();
        let is_refused = |ask: &Ask| match ask {
            Ask::Permission(permission) => {
                !(lets_look && matches!(permission.kind, Kind::Command { is_harmless: true }))
            }
            _ => false,
        };
        for (id, ask) in self.conversation.withdraw_where(&mut core.io.client, is_refused) {
            if let Ask::Permission(permission) = ask {
                self.on_decision(core, &id, *permission, &Decision::Rejected);
            }
        }
    }

    /// Returns whether a change is known to concern only files of the session's directories.
    fn is_inside(&self, call: &str) -> bool {
        let roots = || std::iter::once(&self.workspace.cwd).chain(&self.workspace.directories);
        let climbs = |path: &Path| path.components().any(|part| part == Component::ParentDir);
        let is_ours = |path: &Path| !climbs(path) && roots().any(|root| path.starts_with(root));
        let changed = self.tools.running.get(call).map(|tool| tool.described.locations.as_slice());
        changed.is_some_and(|places| !places.is_empty() && places.iter().all(|place| is_ours(&place.path)))
    }
}
