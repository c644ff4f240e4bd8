//! Decides whether a tool may run: the CLI's helper asks, and waits at the permission socket for the answer.

use super::Session;
use crate::core::Core;
use crate::delegate::{Answered, Asked};
use crate::tools;
use agent_client_protocol_schema::v1::{PermissionOption, PermissionOptionKind, ToolCallUpdate};
use sa_acp::{Asking, Reply, VisitorId, absolute, chosen};
use serde_json::Value;

const ALLOW_ONCE: &str = "allow_once";
const ALLOW_ALWAYS: &str = "allow_always";
const REJECT_ONCE: &str = "reject_once";

/// What the model is told in plan mode.
const READ_ONLY: &str = "rejected: plan mode is read-only, and this may change something. Finish the plan; the user leaves plan mode.";

/// A tool that waits for permission.
#[derive(Debug)]
pub struct Ask {
    visitor: VisitorId,
    call: String,
    tool: String,
    input: Value,
}

/// What is allowed for the rest of the session.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Every change to files.
    Edits,
    /// Plain commands of one program.
    Program(String),
    /// One command line.
    Command(String),
    /// Every use of one tool.
    Tool(String),
}

impl Rule {
    fn of(tool: &str, input: &Value) -> Self {
        if tools::is_edit(tool) {
            return Self::Edits;
        }
        let Some(command) = tools::command_line(tool, input) else { return Self::Tool(tool.to_owned()) };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " ./_-=:@,+".contains(c);
        match command.split_whitespace().next() {
            Some(program) if command.chars().all(is_plain) && !program.contains('=') => {
                Self::Program(program.to_owned())
            }
            _ => Self::Command(command.to_owned()),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Edits => "edits".to_owned(),
            Self::Program(program) => format!("`{program}`"),
            Self::Command(_) => "this command".to_owned(),
            Self::Tool(tool) => tool.clone(),
        }
    }
}

impl Session {
    /// Takes a question of the helper: answers it, or passes it on.
    pub(crate) fn asked(&mut self, core: &mut Core, visitor: VisitorId, asked: Asked) {
        let Asked { tool, call, input, .. } = asked;
        let changes = tools::changes_something(&tool, &input);
        let works = self.turn.as_ref().is_some_and(|turn| !turn.is_cancelled());
        if !works {
            return answer(core, visitor, Err("The turn is over.".to_owned()));
        }
        let asks_all = self.conversation.workspace.asking == Asking::All;
        if self.settings.is_bypass() || (!changes && !asks_all) {
            return answer(core, visitor, Ok(()));
        }
        let call = call.unwrap_or_else(|| format!("visitor-{}", visitor.0));
        self.tool_asked(core, &call, &tool, &input);
        if changes && self.settings.is_plan() {
            self.tool_refused(core, &call, READ_ONLY);
            return answer(core, visitor, Err(READ_ONLY.to_owned()));
        }
        let rule = Rule::of(&tool, &input);
        let is_allowed = !changes || self.allowed.contains(&rule);
        if is_allowed && !asks_all {
            self.tools.runs(&mut core.client, &self.conversation.id, &call);
            return answer(core, visitor, Ok(()));
        }
        let path = tools::changed_file(&tool, &input);
        let before =
            path.and_then(|path| core.host.disk.read(&absolute(path, &self.conversation.workspace.cwd)));
        let described = tools::call(&tool, &input, &self.conversation.workspace.cwd, before.as_deref());
        let update = ToolCallUpdate::new(call.clone(), described.into_fields());
        let always = format!("Always allow {} in this session", rule.words());
        let options = vec![
            PermissionOption::new(ALLOW_ONCE, "Allow", PermissionOptionKind::AllowOnce),
            PermissionOption::new(ALLOW_ALWAYS, always, PermissionOptionKind::AllowAlways),
            PermissionOption::new(REJECT_ONCE, "Reject", PermissionOptionKind::RejectOnce),
        ];
        let id = visitor.0.to_string();
        let ask = Ask { visitor, call, tool, input };
        if is_allowed {
            return self.conversation.pass_on_allowed(&mut core.client, &id, ask, update, options);
        }
        self.conversation.pass_on_choice(&mut core.client, &id, ask, update, options);
    }

    /// Takes the client's answer.
    pub(super) fn client_replied(&mut self, core: &mut Core, ask: &Ask, reply: Reply) {
        let outcome = match chosen(reply).as_ref().map(Option::as_deref) {
            Ok(Some(ALLOW_ONCE)) => Ok(()),
            Ok(Some(ALLOW_ALWAYS)) => {
                self.allowed.push(Rule::of(&ask.tool, &ask.input));
                Ok(())
            }
            Ok(Some(REJECT_ONCE)) => Err(format!("The user rejected this use of {}.", ask.tool)),
            Ok(Some(other)) => Err(format!("The client chose {other}, which was not an option.")),
            Ok(None) => Err("The user cancelled this.".to_owned()),
            Err(reason) => Err(format!("No permission: {reason}.")),
        };
        match &outcome {
            Ok(()) => self.tools.runs(&mut core.client, &self.conversation.id, &ask.call),
            Err(reason) => self.tool_refused(core, &ask.call, reason),
        }
        answer(core, ask.visitor, outcome);
    }

    /// The mode is another one: what the client was asked is decided by that, or asked again.
    pub(super) fn ask_anew(&mut self, core: &mut Core) {
        core.client.withdraw(&self.conversation.id, None);
        for (_, ask) in std::mem::take(&mut self.conversation.asks) {
            let Ask { visitor, call, tool, input } = ask;
            let asked = Asked { tool, call: Some(call), thread: self.conversation.id.to_string(), input };
            self.asked(core, visitor, asked);
        }
    }

    /// The CLI does not want to know any more.
    pub(crate) fn visitor_left(&mut self, core: &mut Core, visitor: VisitorId) {
        self.conversation.withdraw(&mut core.client, &visitor.0.to_string());
    }

    /// Takes all questions back from the client; what they are about does not run.
    pub(super) fn drop_asks(&mut self, core: &mut Core) {
        core.client.withdraw(&self.conversation.id, None);
        for (_, ask) in std::mem::take(&mut self.conversation.asks) {
            answer(core, ask.visitor, Err("The user cancelled the turn.".to_owned()));
        }
    }
}

fn answer(core: &mut Core, visitor: VisitorId, outcome: Result<(), String>) {
    let answered = Answered { allow: outcome.is_ok(), reason: outcome.err() };
    core.answer_visitor(visitor, answered.line());
}
