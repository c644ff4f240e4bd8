//! Questions of the app-server, passed on to the client, and the answers on their way back.

use super::Session;
use super::permission::Permission;
use super::plan_exit::Plan;
use super::question::Questions;
use crate::core::Core;
use crate::native::ask::{Answer, Asked};
use crate::native::line;
use serde_json::json;
use std::collections::BTreeMap;

/// A question to the client.
#[derive(Debug)]
pub enum Ask {
    /// A call that waits for permission.
    Permission(Box<Permission>),
    /// Questions to the user.
    Questions(Questions),
    /// An MCP server's own form.
    Server,
    /// A plan that waits for approval. The app-server does not ask this.
    Plan(Plan),
}

impl Session {
    /// Takes a question of the app-server; `id` is its own text.
    pub(crate) fn on_request(&mut self, core: &mut Core, id: &str, asked: Asked) {
        if self.is_stopping() {
            // The question was on its way when the turn was cancelled.
            return self.respond(core, id, refused(&asked));
        }
        match asked {
            Asked::Command(approval) => self.ask_command(core, id, *approval),
            Asked::Patch(approval) => self.ask_patch(core, id, approval),
            Asked::Questions(input) => self.ask_user(core, id, input),
            Asked::Server(form) if form.is_approval() => self.ask_server_tool(core, id, &form),
            Asked::Server(form) => self.server_asks(core, id, &form),
            Asked::Permissions(approval) => self.ask_permissions(core, id, approval),
            Asked::Other => {}
        }
    }

    /// Takes all questions back from the client and tells the app-server that they are void, in case it still waits.
    pub(super) fn drop_asks(&mut self, core: &mut Core) {
        let (own, asks): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(&mut self.conversation.asks)
            .into_iter()
            .partition(|(_, ask)| matches!(ask, Ask::Plan(_)));
        self.conversation.asks = own;
        for (id, ask) in asks {
            core.client.withdraw(&self.conversation.id, Some(&id));
            let answer = match ask {
                Ask::Permission(permission) => permission.cancelled(),
                Ask::Questions(_) => Answer::Answers { answers: BTreeMap::new() },
                Ask::Server | Ask::Plan(_) => Answer::form("cancel"),
            };
            self.respond(core, &id, answer);
        }
    }

    pub(super) fn respond(&self, core: &mut Core, id: &str, answer: Answer) {
        core.write(line::reply(id, answer));
    }
}

/// The answer to a question of a turn that is being stopped.
fn refused(asked: &Asked) -> Answer {
    match asked {
        Asked::Command(_) | Asked::Patch(_) => Answer::decision("cancel"),
        Asked::Permissions(_) => Answer::Permissions { permissions: json!({}), scope: "turn" },
        Asked::Server(_) => Answer::form("cancel"),
        Asked::Questions(_) | Asked::Other => Answer::Answers { answers: BTreeMap::new() },
    }
}
