//! Slash commands: the server's own, and those that are requests of their own to it.

use super::Session;
use crate::core::Core;
use crate::native::about::Command;
use crate::native::call::Call;
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::{AvailableCommandsUpdate, SessionUpdate};
use sa_acp::{command, one_line};

/// Sums the conversation up.
pub(super) const COMPACT: &str = "compact";

impl Session {
    /// Asks again which commands there are: MCP servers bring some.
    pub(super) fn ask_commands(&self, core: &mut Core) {
        let call = Call::get("/command").within(&self.workspace.cwd);
        core.ask_soon(&call, Then::Commands(self.conversation.id.clone()));
    }

    pub(crate) fn commands_known(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        if let Ok(commands) = outcome.read::<Vec<Command>>() {
            self.commands = commands;
            self.tell_commands(core);
        }
    }

    pub(super) fn tell_commands(&self, core: &mut Core) {
        let mut commands = vec![command(COMPACT, "Sum the conversation up to make room", None)];
        let own = self.commands.iter().filter(|known| known.name != COMPACT);
        commands.extend(own.map(|known| {
            let about = known.description.as_deref().map(one_line).unwrap_or_default();
            let hint = (!known.hints.is_empty()).then_some("arguments");
            command(&known.name, &about, hint)
        }));
        self.conversation.update(
            &mut core.client,
            &SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands)),
        );
    }
}
