//! Permissions: for changes of files, commands and tools of servers.

use super::Session;
use super::ask::Ask;
use crate::core::{Core, PROFILE};
use crate::gate::without_mark;
use crate::native::ask::{Permission, fits};
use crate::tools;
use agent_client_protocol_schema::v1::{
    PermissionOption, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use sa_acp::BasicMode as Mode;
use sa_acp::{AskReason, Asking, Decision, PermissionRequest, Session as _, humanized, permission_options};
use sa_shell::{Line, Word, only_reads, starts_others};
use serde_json::{Value, json};

/// The message to the model when it wants to change something while it should not.
const READ_ONLY: &str = "Plan mode is on: nothing may be changed. Only look around, and make a plan.";

/// The refusal of a tool that another session brought.
const FOREIGN: &str = "This tool belongs to another session.";

#[derive(Debug)]
pub struct Waiting {
    call: String,
    permission: String,
    patterns: Vec<String>,
    /// The command line, if it is about one.
    command: Option<String>,
    always: Vec<String>,
}

/// Something that was allowed for the rest of the session. The server itself would allow it for all sessions.
#[derive(Debug)]
pub(super) struct Allowed {
    permission: String,
    pattern: String,
}

/// The decision on a request for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Allow,
    /// Refused, for this reason.
    Refuse(&'static str),
    Ask(AskReason),
}

fn options(always: &[String]) -> Vec<PermissionOption> {
    let what = match always {
        [] => None,
        [all] if all == "*" => Some("Always allow this in this session".to_owned()),
        some => Some(format!("Always allow {} in this session", some.join(", "))),
    };
    permission_options(what, None)
}

/// Returns whether a call may be the one that a question describes.
fn agrees(input: &Value, asked: &Value) -> bool {
    let same = |own: &str, other: &str| match (&input[own], &asked[other]) {
        (Value::String(own), Value::String(other)) => own == other,
        _ => true,
    };
    same("command", "command") && same("url", "url")
}

impl Session {
    /// The session, or a sub-agent of it, asks for permission.
    pub(super) fn ask_permission(&mut self, core: &mut Core, asked: Permission) {
        if self.conversation.asks.contains_key(&asked.id) {
            return;
        }
        let asked = without_mark(asked);
        let call = match &asked.tool {
            Some(tool) if !tool.call.is_empty() => tool.call.clone(),
            _ => asked.id.clone(),
        };
        self.describe_change(core, &call, &asked);
        let command = asked.metadata["command"].as_str().map(str::to_owned);
        let reason = match self.verdict(core, &asked.permission, &asked.patterns, command.as_deref()) {
            Verdict::Allow => return self.answer_permission(core, &asked.id, "once", None),
            Verdict::Refuse(why) => return self.answer_permission(core, &asked.id, "reject", Some(why)),
            Verdict::Ask(reason) => reason,
        };
        let update = self.waiting(&call, &asked);
        let options = options(&asked.always);
        let Permission { id, permission, patterns, always, .. } = asked;
        let waiting = Waiting { call, permission, patterns, command, always };
        let ask = Ask::Permission(Box::new(waiting));
        self.conversation.ask_permission(
            &mut core.io.client,
            &id,
            ask,
            PermissionRequest { call: update, options, reason },
        );
    }

    fn verdict(&self, core: &Core, permission: &str, patterns: &[String], command: Option<&str>) -> Verdict {
        if core.registry.is_foreign(&self.workspace.cwd, &self.conversation.id.0, permission) {
            return Verdict::Refuse(FOREIGN);
        }
        let harmless = permission == "bash" && command.is_some_and(only_reads);
        match self.settings.mode() {
            Mode::Bypass => Verdict::Allow,
            _ if harmless || self.is_allowed(permission, patterns, command) => match self.workspace.asking {
                Asking::Needed => Verdict::Allow,
                Asking::All => Verdict::Ask(AskReason::ClientRules),
            },
            Mode::Default => Verdict::Ask(AskReason::Needed),
            // The user decides on calls that do not change the project.
            Mode::Plan => match permission {
                "read" | "external_directory" | "doom_loop" | "webfetch" | "websearch" | "codesearch"
                | "task" | "skill" => Verdict::Ask(AskReason::Needed),
                _ => Verdict::Refuse(READ_ONLY),
            },
        }
    }

    /// Returns whether the user allowed it before. In plan mode that does not count for changes, of which nothing is
    /// allowed.
    fn is_allowed(&self, permission: &str, patterns: &[String], command: Option<&str>) -> bool {
        let is_change = !matches!(permission, "read" | "external_directory" | "doom_loop" | "webfetch");
        if self.settings.mode() == Mode::Plan && is_change {
            return false;
        }
        let covers = |allowed: &Allowed, pattern: &str| {
            allowed.permission == permission && fits(&allowed.pattern, pattern)
        };
        !patterns.is_empty()
            && patterns.iter().all(|pattern| self.allowed.iter().any(|allowed| covers(allowed, pattern)))
            && (permission != "bash" || command.is_some_and(|line| self.is_line_allowed(line)))
    }

    /// Returns whether every command of a line is one that was allowed before. The server's patterns also fit what redirects
    /// its output, and what has another command in it.
    fn is_line_allowed(&self, line: &str) -> bool {
        let line = Line::read(line);
        let is_command = |words: &Vec<Word>| {
            let texts: Option<Vec<&str>> = words.iter().map(Word::text).collect();
            let Some(texts) = texts else { return false };
            let program = texts.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
            let text = texts.join(" ");
            let is_fit = |allowed: &Allowed| allowed.permission == "bash" && fits(&allowed.pattern, &text);
            !starts_others(program) && self.allowed.iter().any(is_fit)
        };
        line.is_certain() && line.commands().iter().all(is_command)
    }

    /// The change that is asked about, while the file is as it was.
    fn describe_change(&mut self, core: &mut Core, call: &str, asked: &Permission) {
        let diffs = tools::diffs(&asked.metadata, &self.workspace.cwd, core.host.disk.as_ref());
        if !diffs.is_empty() {
            self.tool_changes(core, call, diffs);
        }
    }

    /// Returns the call that is asked about, as the client knows it.
    fn waiting(&self, call: &str, asked: &Permission) -> ToolCallUpdate {
        let about = json!({ "permission": asked.permission, "patterns": asked.patterns });
        let known = self.tools.running.get(call);
        let (fields, parent) = match known {
            // Ids of calls are the provider's, and not always different.
            Some(tool) if agrees(&tool.described.input, &asked.metadata) => {
                (tool.described.clone().into_fields(), tool.parent.as_deref())
            }
            _ => {
                let what = asked.patterns.join(", ");
                let title = format!("{}: {what}", humanized(&asked.permission));
                let kind = match asked.permission.as_str() {
                    "bash" => ToolKind::Execute,
                    "edit" => ToolKind::Edit,
                    _ => ToolKind::Other,
                };
                let fields =
                    ToolCallUpdateFields::new().title(title).kind(kind).name(asked.permission.clone());
                (fields.raw_input(asked.metadata.clone()), known.and_then(|tool| tool.parent.as_deref()))
            }
        };
        let mut about = json!({ "asked": about });
        if let Some(parent) = parent {
            about["parentToolUseId"] = json!(parent);
        }
        ToolCallUpdate::new(call.to_owned(), fields.status(ToolCallStatus::Pending)).meta(PROFILE.meta(about))
    }

    pub(super) fn on_decision(&mut self, core: &mut Core, id: &str, waiting: Waiting, decision: Decision) {
        if decision.is_allowed() {
            self.allow(core, id, &waiting.call);
        } else {
            self.answer_permission(core, id, "reject", None);
        }
        match decision {
            Decision::Session | Decision::Forever => {
                let permission = waiting.permission;
                let allowed = |pattern| Allowed { permission: permission.clone(), pattern };
                self.allowed.extend(waiting.always.into_iter().map(allowed));
                self.reconsider(core);
            }
            Decision::Cancelled => self.interrupt(core),
            Decision::Failed(reason) => {
                tracing::warn!(session = %self.conversation.id, reason, "no permission");
            }
            Decision::Once | Decision::Rejected => {}
        }
    }

    fn allow(&self, core: &mut Core, id: &str, call: &str) {
        self.tools.running.runs(&mut core.io.client, &self.conversation.id, call);
        self.answer_permission(core, id, "once", None);
    }

    /// Answers questions that the user need not decide any more.
    pub(super) fn reconsider(&mut self, core: &mut Core) {
        let verdicts: Vec<_> = self
            .conversation
            .asks
            .iter()
            .filter_map(|(id, ask)| {
                let Ask::Permission(waiting) = ask else { return None };
                let Waiting { call, permission, patterns, command, .. } = &**waiting;
                let verdict = self.verdict(core, permission, patterns, command.as_deref());
                Some((id.clone(), call.clone(), verdict))
            })
            .collect();
        for (id, call, verdict) in verdicts {
            if matches!(verdict, Verdict::Ask(_)) {
                continue;
            }
            self.conversation.withdraw(&mut core.io.client, &id);
            match verdict {
                Verdict::Refuse(why) => self.answer_permission(core, &id, "reject", Some(why)),
                _ => self.allow(core, &id, &call),
            }
        }
    }
}
