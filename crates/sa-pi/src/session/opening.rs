//! Opening a session: the process is greeted, and the client is answered.

use super::{Session, Then};
use crate::core::Core;
use crate::native::{Message, Model, SlashCommand, State, plain};
use agent_client_protocol_schema::v1::{Error, SessionId};
use sa_acp::{How, OpenRequest, RequestKey, Session as _, auth_required, command, failure, one_line};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The id under which the report of the extension is awaited.
pub(super) const GATE: &str = "gate";

/// A client's request that waits for the process to be ready.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) key: RequestKey,
    pub(crate) how: How,
}

/// The number of answers of the handshake that are missing.
#[derive(Debug, Default)]
pub(super) struct Greeting {
    missing: usize,
}

impl Greeting {
    pub(super) fn is_done(&self) -> bool {
        self.missing == 0
    }
}

/// Reads the data of a response.
pub(super) fn read<T: DeserializeOwned>(data: Result<Value, String>) -> Result<T, String> {
    serde_json::from_value(data?).map_err(|error| format!("Pi answered something else: {error}"))
}

impl Session {
    /// Asks a new process for all that has to be known.
    pub(super) fn greet(&mut self, core: &mut Core) {
        let limit = Some(core.host.limits.handshake);
        let deadline = core.io.now.elapsed + core.host.limits.handshake;
        self.requests.insert(GATE.to_owned(), Some(deadline), Then::Gate);
        self.send(core, plain("get_state"), limit, Then::State);
        self.send(core, plain("get_available_models"), limit, Then::Models);
        self.send(core, plain("get_commands"), limit, Then::Commands);
        let mut missing = 4;
        if self.opening.as_ref().is_some_and(|opening| opening.how.is_loaded()) {
            self.send(core, plain("get_messages"), limit, Then::History);
            missing += 1;
        }
        if let Some(child) = &mut self.child {
            child.note.missing = missing;
        }
    }

    /// Opens a session that is open.
    pub(crate) fn reopen(&mut self, core: &mut Core, request: OpenRequest<()>) -> Result<(), Error> {
        let OpenRequest { key, how, workspace } = request;
        if self.opening().is_some() || !self.conversation.is_open() {
            return Err(failure("the session is being opened or closed already", "busy"));
        }
        self.workspace.check_directory(&workspace)?;
        self.workspace = workspace;
        let opening = Opening { key, how };
        if opening.how.is_loaded() && self.child.is_some() {
            self.reopening = Some(opening);
            self.send(core, plain("get_messages"), Some(core.host.limits.control), Then::Reloaded);
        } else {
            self.opened(core, &opening);
        }
        Ok(())
    }

    /// Handles the history of a session that was open already, unless the request for it was given up.
    pub(super) fn on_reloaded(&mut self, core: &mut Core, data: Result<Value, String>) {
        if self.reopening.is_none() {
            return;
        }
        if let Err(reason) = self.replay_answer(core, data) {
            return self.fail_opening(core, &failure(reason, "history_failed"));
        }
        if let Some(reopening) = self.reopening.take() {
            self.opened(core, &reopening);
        }
    }

    fn replay_answer(&mut self, core: &mut Core, data: Result<Value, String>) -> Result<(), String> {
        let messages: Vec<Message> = read(data.map(|data| member(data, "messages")))?;
        self.replay(core, &messages);
        Ok(())
    }

    /// Handles an answer of the handshake.
    pub(super) fn on_greeting(&mut self, core: &mut Core, then: &Then, data: Result<Value, String>) {
        let learned = match then {
            Then::State => read(data).map(|state| self.learn_state(core, state)),
            Then::Models => read(data.map(|data| member(data, "models")))
                .map(|models: Vec<Model>| self.settings.models = models),
            Then::Commands => read(data.map(|data| member(data, "commands")))
                .map(|commands: Vec<SlashCommand>| self.settings.learn_commands(&commands)),
            Then::History => self.replay_answer(core, data),
            _ => data.map(|_| ()),
        };
        if let Err(reason) = learned {
            return self.greeting_failed(core, &failure(reason, "handshake_failed"));
        }
        let Some(child) = &mut self.child else { return };
        child.note.missing = child.note.missing.saturating_sub(1);
        if child.note.is_done() {
            self.greeted(core);
        }
    }

    fn learn_state(&mut self, core: &mut Core, state: State) {
        if self.opening.as_ref().is_some_and(|opening| opening.how.continued().is_none()) {
            self.conversation.id = SessionId::new(state.session_id);
        }
        self.file = state.session_file.or_else(|| self.file.take());
        if self.opening.is_some() {
            self.settings.learn(state.model.unwrap_or_default(), state.thinking_level);
        } else {
            // The process before may not have stored what was chosen.
            for change in self.settings.chosen() {
                if let Some(command) = change.command() {
                    self.send(core, command, Some(core.host.limits.control), Then::Nothing);
                }
            }
        }
    }

    fn greeted(&mut self, core: &mut Core) {
        if self.settings.models.is_empty() {
            let message = "Pi has no credentials for a model: set the key of a provider, such as ANTHROPIC_API_KEY, \
                           or run `pi` in a terminal and use /login";
            return self.greeting_failed(core, &auth_required(message));
        }
        if let Some(opening) = self.opening.take() {
            self.opened(core, &opening);
        }
        self.send_next(core);
    }

    /// Answers the client that opened the session.
    fn opened(&self, core: &mut Core, Opening { key, how }: &Opening) {
        let settings = (self.settings.modes.state(), self.settings.options());
        let (id, commands) = (&self.conversation.id, self.settings.commands.clone());
        core.io.client.opened_with_commands(key, how, id, settings, commands);
    }

    /// Refuses to open the session, if a client waits for that. A session that was open before stays open.
    pub(super) fn fail_opening(&mut self, core: &mut Core, error: &Error) {
        if let Some(reopening) = self.reopening.take() {
            core.io.client.fail(&reopening.key, error);
        }
        if let Some(opening) = self.opening.take() {
            core.io.client.fail(&opening.key, error);
            self.conversation.discard();
        }
    }

    /// Ends a process that is of no use, and refuses all that waits for it.
    pub(super) fn greeting_failed(&mut self, core: &mut Core, error: &Error) {
        if let Some(child) = &mut self.child {
            child.end(&mut core.io.processes, core.host.limits.drain);
        }
        self.fail_requests(core, error);
        self.fail_opening(core, error);
        self.conversation.fail_queue(&mut core.io.client, error);
    }

    /// Drops all requests to the process, and refuses the changes that a client waits for.
    pub(super) fn fail_requests(&mut self, core: &mut Core, error: &Error) {
        for then in self.requests.take_all() {
            if let Then::Changed(request, _) = then {
                core.io.client.fail(&request.key, error);
            }
        }
    }
}

/// Takes a member out of an answer. There is none in one of another shape.
fn member(mut data: Value, name: &str) -> Value {
    data.get_mut(name).map(Value::take).unwrap_or_default()
}

/// Returns a command as clients see it.
pub(super) fn available(known: &SlashCommand) -> agent_client_protocol_schema::v1::AvailableCommand {
    let about = known.description.as_deref().map(one_line).unwrap_or_default();
    command(&known.name, &about, Some("arguments"))
}
