//! Questions of the CLI, passed on to the client, and the answers on their way back.

use super::Session;
use super::permission::Permission;
use super::question::Questions;
use crate::core::Core;
use crate::native::frame::{Asked, CanUseTool, Question};
use crate::native::line::{Answer, FormAnswer, Line, Response, ToolAnswer};

/// A question to the client.
#[derive(Debug)]
pub enum Ask {
    /// A tool that waits for permission.
    Tool(Box<Permission>),
    /// A plan that waits for approval.
    Plan(Box<Permission>),
    /// Questions to the user.
    Questions(Box<Questions>),
    /// An MCP server's own form.
    Server,
}

impl Session {
    /// Takes a question of the CLI.
    pub(super) fn asked(&mut self, core: &mut Core, asked: Asked) {
        let id = asked.request_id;
        match asked.request {
            Question::CanUseTool(tool) => self.may_use(core, id, *tool),
            Question::Elicitation(form) => self.server_asks(core, id, *form),
            Question::HookCallback { input } => {
                let answer = self.before_tool(core, &input);
                self.respond(core, &id, Answer::Hook(answer));
            }
            Question::RequestUserDialog {} => {
                self.respond(core, &id, Answer::Dialog { behavior: "cancelled" })
            }
            Question::Other => {
                let error = "the client of this session does not know this request";
                self.send(core, Response::Error { request_id: &id, error });
            }
        }
    }

    fn may_use(&mut self, core: &mut Core, id: String, tool: CanUseTool) {
        match tool.tool_name.as_str() {
            "AskUserQuestion" => self.ask_user(core, id, tool),
            "ExitPlanMode" => self.ask_plan(core, id, tool),
            _ => self.ask_permission(core, id, tool),
        }
    }

    /// Takes all questions back from the client and tells the CLI that they are void, in case it still waits.
    pub(super) fn drop_asks(&mut self, core: &mut Core) {
        for (id, ask) in self.conversation.withdraw_all(&mut core.client) {
            let answer = match ask {
                Ask::Server => Answer::Form(FormAnswer { action: "cancel", content: None }),
                _ => deny("The user cancelled the turn.", AfterDenial::Continue),
            };
            self.respond(core, &id, answer);
        }
    }

    pub(super) fn respond(&self, core: &mut Core, request_id: &str, response: Answer) {
        self.send(core, Response::Success { request_id, response });
    }

    fn send(&self, core: &mut Core, response: Response<'_>) {
        if let Some(child) = &self.child {
            core.processes.write(child.id, Line::ControlResponse { response }.to_bytes());
        }
    }
}

/// The effect of a denial on the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterDenial {
    /// The model continues without the tool.
    Continue,
    /// The turn ends.
    Stop,
}

/// Returns the answer that a tool may not run.
pub(super) fn deny(message: impl Into<String>, after: AfterDenial) -> Answer {
    Answer::Tool(ToolAnswer::Deny { message: message.into(), interrupt: after == AfterDenial::Stop })
}
