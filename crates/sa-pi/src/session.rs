//! One session: a conversation, and the process of the CLI that works on it.
//!
//! ```text
//!  client ──► prompt ──► turn ──► command `prompt`
//!  client ◄── updates, permission requests ◄── events of the CLI
//! ```
//!
//! The process may exit at any time. The next prompt starts another one on the same file.

mod events;
mod opening;
mod permission;
mod replay;
mod settings;
mod turn;

pub(crate) use opening::Opening;

use super::core::{Core, Host};
use super::launch::{Launch, Origin};
use super::native::{Event, GatedCall, line, plain};
use agent_client_protocol_schema::v1::{
    CompactionStatus, DeleteSessionResponse, Error, SessionId, SessionInfo, StopReason,
};
use opening::Greeting;
use sa_acp::{
    ChildId, Compaction, Conversation, Decision, Ended, Grant, Pending, Reply, RequestKey, RunningTools,
    SessionProcess, SetRequest, Workspace, failure, process_ended,
};
use serde_json::Value;
use settings::{Change, Settings};
use std::path::PathBuf;
use std::time::Duration;
use turn::{Meter, Turn};

/// A tool call that waits for permission.
pub(crate) type Ask = GatedCall;

#[derive(Debug)]
pub(crate) enum Then {
    /// The extension runs.
    Gate,
    State,
    Models,
    Commands,
    History,
    /// The history of a session that was open already.
    Reloaded,
    /// The prompt was accepted.
    Prompted,
    /// All events of the turn have arrived.
    Settled,
    Aborted,
    Compacted,
    /// A setting was changed for a client.
    Changed(Box<SetRequest>, Change),
    /// A refusal is only logged.
    Nothing,
}

#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation<Ask>,
    workspace: Workspace<()>,
    child: Option<SessionProcess<Greeting>>,
    /// The file of the conversation, once the CLI has named it.
    file: Option<PathBuf>,
    /// The request that began the session. It waits for the handshake.
    opening: Option<Opening>,
    /// A request to load the session again. It waits for the history.
    reopening: Option<Opening>,
    requests: Pending<String, Then>,
    last_request: u64,
    settings: Settings,
    turn: Option<Turn>,
    tools: RunningTools,
    allowed: Vec<Grant>,
    meter: Meter,
    compaction: Compaction,
    /// The number of messages so far. The CLI has no ids for them.
    messages: u64,
}

impl Session {
    pub(crate) fn new(id: SessionId, workspace: Workspace<()>, host: &Host) -> Self {
        Self {
            conversation: Conversation::new(id),
            workspace,
            child: None,
            file: None,
            opening: None,
            reopening: None,
            requests: Pending::default(),
            last_request: 0,
            settings: Settings::new(host),
            turn: None,
            tools: RunningTools::default(),
            allowed: Vec::new(),
            meter: Meter::default(),
            compaction: Compaction::default(),
            messages: 0,
        }
    }

    /// Returns the session as `session/list` shows it.
    pub(crate) fn info(&self) -> SessionInfo {
        self.conversation.info(&self.workspace)
    }

    /// Starts a process, and greets it.
    pub(crate) fn start(&mut self, core: &mut Core, origin: Origin, opening: Option<Opening>) {
        let launch = Launch { origin, cwd: self.workspace.cwd.clone() };
        let greeting = Greeting::default();
        self.child = Some(SessionProcess::start(&mut core.io.processes, launch, greeting));
        self.opening = opening;
        self.greet(core);
    }

    /// Sends a command. Without a deadline the CLI may take any time.
    fn send(&mut self, core: &mut Core, command: Value, within: Option<Duration>, then: Then) {
        let Some(child) = &self.child else { return };
        self.last_request += 1;
        let id = self.last_request.to_string();
        core.io.processes.write(child.id, line(command, &id));
        let deadline = within.map(|within| core.io.now.elapsed + within);
        self.requests.insert(id, deadline, then);
    }

    /// Answers the requests that closed the session; `false` if there are none.
    fn closed(&mut self, core: &mut Core) -> bool {
        if !self.conversation.is_closing() {
            return false;
        }
        self.fail_opening(core, &failure("the session was closed while it was being opened", "closed"));
        for key in self.conversation.close(&mut core.io.client) {
            match core.host.files.delete(&self.conversation.id.0) {
                Ok(()) => core.io.client.reply(&key, DeleteSessionResponse::new()),
                Err(error) => {
                    let message = format!("the session cannot be removed: {error}");
                    core.io.client.fail(&key, &failure(message, "storage"));
                }
            }
        }
        true
    }
}

impl sa_acp::Session<Core> for Session {
    type Ask = Ask;

    fn conversation(&mut self) -> &mut Conversation<Ask> {
        &mut self.conversation
    }

    fn start_next(&mut self, core: &mut Core) {
        match &self.child {
            _ if self.turn.is_some() => {}
            None => {
                let origin = self.file.clone().map_or(Origin::New, Origin::File);
                self.start(core, origin, None);
            }
            Some(child) if child.is_ending() || !child.note.is_done() => {}
            Some(_) => self.send_prompt(core),
        }
    }

    fn interrupt(&mut self, core: &mut Core) {
        let Some(turn) = &mut self.turn else { return };
        turn.cancel.request(core.io.now.elapsed + core.host.limits.cancel);
        self.drop_asks(core);
        self.send(core, plain("abort"), None, Then::Aborted);
    }

    fn on_reply(&mut self, core: &mut Core, id: &str, ask: Ask, reply: Reply) {
        self.on_decision(core, id, &ask, Decision::read(reply));
    }

    fn set(&mut self, core: &mut Core, request: SetRequest) -> Result<(), Error> {
        let change = self.settings.change(&request.setting.option, request.setting.choice()?)?;
        match change.command() {
            Some(command) if self.child.is_some() => {
                let limit = Some(core.host.limits.control);
                self.send(core, command, limit, Then::Changed(Box::new(request), change));
            }
            _ => self.apply(core, &request, change),
        }
        Ok(())
    }

    fn close(&mut self, core: &mut Core) {
        self.end_turn(core, Ok(StopReason::Cancelled));
        match &mut self.child {
            Some(child) => child.end(&mut core.io.processes, core.host.limits.drain),
            None => _ = self.closed(core),
        }
    }

    fn wake(&self) -> Option<Duration> {
        let turn = self.turn.as_ref().and_then(|turn| turn.cancel.deadline());
        [self.requests.deadline(), turn, self.tools.deadline()].into_iter().flatten().min()
    }

    fn tick(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        self.tools.report_due_output(&mut core.io.client, &self.conversation.id, now);
        for then in self.requests.expired(now) {
            self.on_response(core, then, Err("Pi did not answer in time".to_owned()));
        }
        self.enforce_cancel(core);
    }

    fn process(&self) -> Option<ChildId> {
        self.child.as_ref().map(|child| child.id)
    }

    fn on_line(&mut self, core: &mut Core, line: &[u8]) {
        match serde_json::from_slice::<Event>(line) {
            Ok(event) => self.on_event(core, event),
            Err(error) => {
                self.conversation.report_unreadable(&mut core.io.client, line, &error.to_string());
            }
        }
    }

    fn on_exit(&mut self, core: &mut Core, ended: &Ended) {
        let Some(child) = self.child.take() else { return };
        let error = process_ended("Pi", ended, None);
        self.conversation.withdraw_all(&mut core.io.client);
        self.tools.close(&mut core.io.client, &self.conversation.id, "The process of Pi ended");
        self.compaction.end(&mut core.io.client, &self.conversation.id, CompactionStatus::Failed);
        self.fail_requests(core, &error);
        if self.closed(core) {
            return;
        }
        if !child.note.is_done() {
            return self.greeting_failed(core, &error);
        }
        self.fail_opening(core, &error);
        if !child.is_ending() {
            tracing::warn!(session = %self.conversation.id, code = ended.code, signal = ended.signal, "pi exited by itself");
        }
        if let Some(turn) = self.turn.take() {
            let outcome = if turn.is_cancelled() { Ok(StopReason::Cancelled) } else { Err(error) };
            self.conversation.finish(&mut core.io.client, outcome, self.meter.of_turn());
        }
    }

    fn opening(&self) -> Option<&RequestKey> {
        self.opening.as_ref().or(self.reopening.as_ref()).map(|opening| &opening.key)
    }

    fn give_up_opening(&mut self, core: &mut Core, error: &Error) {
        match self.reopening {
            Some(_) => self.fail_opening(core, error),
            None => self.greeting_failed(core, error),
        }
    }
}

impl Session {
    /// Applies a change, and answers the client.
    fn apply(&mut self, core: &mut Core, request: &SetRequest, change: Change) {
        self.settings.apply(change);
        let mode = self.settings.modes.take_change();
        core.io.client.setting_changed(&self.conversation.id, request, mode, self.settings.options());
        if mode.is_some() {
            self.ask_again(core);
        }
    }
}
