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

use super::core::Core;
use super::launch::{Launch, Origin};
use super::native::{Command, Event, GatedCall};
use agent_client_protocol_schema::v1::{
    CompactionStatus, DeleteSessionResponse, Error, SessionId, SessionInfo, StopReason,
};
use opening::Greeting;
use sa_acp::{
    ChildId, Compaction, Conversation, Ended, Grant, InputLine, Mode as _, Pending, Reply, RequestKey,
    RunningTools, SessionProcess, SetRequest, Workspace, clipped, failure, process_ended,
};
use serde_json::json;
use settings::{Change, Mode, Settings};
use std::path::PathBuf;
use std::time::Duration;
use turn::{Meter, Turn};

/// A tool call that waits for permission.
pub(crate) type Ask = GatedCall;

/// The continuation of a command.
#[derive(Debug)]
pub(crate) enum Then {
    /// The extension runs.
    Gate,
    State,
    Models,
    Commands,
    History,
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

/// A session of the agent.
#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation<Ask>,
    workspace: Workspace<()>,
    child: Option<SessionProcess<Greeting>>,
    /// The file of the conversation, once the CLI has named it.
    file: Option<PathBuf>,
    opening: Option<Opening>,
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
    pub(crate) fn new(id: SessionId, workspace: Workspace<()>, allow_bypass: bool) -> Self {
        Self {
            conversation: Conversation::new(id),
            workspace,
            child: None,
            file: None,
            opening: None,
            requests: Pending::default(),
            last_request: 0,
            settings: Settings::new(allow_bypass),
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
        self.workspace.session_info(self.conversation.id.clone(), self.conversation.title.clone())
    }

    /// Starts a process, and greets it.
    pub(crate) fn start(&mut self, core: &mut Core, origin: Origin, opening: Option<Opening>) {
        let launch = Launch { origin, cwd: self.workspace.cwd.clone() };
        let greeting = Greeting::default();
        self.child = Some(SessionProcess::start(&mut core.processes, launch, greeting));
        self.opening = opening;
        self.greet(core);
    }

    /// Sends a command. Without a deadline the CLI may take any time.
    fn send(&mut self, core: &mut Core, command: &Command<'_>, within: Option<Duration>, then: Then) {
        let Some(child) = &self.child else { return };
        self.last_request += 1;
        let id = self.last_request.to_string();
        core.processes.write(child.id, command.line(&id));
        let deadline = within.map(|within| core.now.elapsed + within);
        self.requests.insert(id, deadline, then);
    }

    /// Answers the requests that closed the session; `false` if there are none.
    fn closed(&mut self, core: &mut Core) -> bool {
        if !self.conversation.is_closing() {
            return false;
        }
        self.fail_opening(core, &failure("the session was closed while it was being opened", "closed"));
        for key in self.conversation.close(&mut core.client) {
            match core.host.files.delete(&self.conversation.id.0) {
                Ok(()) => core.client.reply(&key, DeleteSessionResponse::new()),
                Err(error) => {
                    let message = format!("the session cannot be removed: {error}");
                    core.client.fail(&key, &failure(message, "storage"));
                }
            }
        }
        true
    }
}

impl sa_acp::Session for Session {
    type Core = Core;
    type Ask = Ask;

    fn conversation(&mut self) -> &mut Conversation<Ask> {
        &mut self.conversation
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some()
    }

    fn start_next(&mut self, core: &mut Core) {
        match &self.child {
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
        turn.cancel(core.now.elapsed + core.host.limits.cancel);
        self.drop_asks(core);
        self.send(core, &Command::Abort, None, Then::Aborted);
    }

    fn on_reply(&mut self, core: &mut Core, id: &str, ask: Ask, reply: Reply) {
        self.permission_answered(core, id, &ask, reply);
    }

    fn set(&mut self, core: &mut Core, request: SetRequest) -> Result<(), Error> {
        let change = self.settings.change(&request.option, &request.value)?;
        match change.command() {
            Some(command) if self.child.is_some() => {
                let limit = Some(core.host.limits.control);
                self.send(core, &command, limit, Then::Changed(Box::new(request), change.clone()));
            }
            _ => self.apply(core, &request, change),
        }
        Ok(())
    }

    /// Cancels the work and ends the process.
    fn close(&mut self, core: &mut Core) {
        sa_acp::Session::cancel(self, core);
        self.tools.close(&mut core.client, &self.conversation.id, "Cancelled");
        self.turn = None;
        self.conversation.finish(&mut core.client, Ok(StopReason::Cancelled), None);
        match &mut self.child {
            Some(child) => child.end(&mut core.processes, core.host.limits.drain),
            None => {
                self.closed(core);
            }
        }
    }

    fn wake(&self) -> Option<Duration> {
        let turn = self.turn.as_ref().and_then(Turn::deadline);
        [self.requests.deadline(), turn, self.tools.deadline()].into_iter().flatten().min()
    }

    fn tick(&mut self, core: &mut Core) {
        let now = core.now.elapsed;
        if self.tools.deadline().is_some_and(|at| at <= now) {
            self.tools.tell_printed(&mut core.client, &self.conversation.id, now);
        }
        for then in self.requests.expired(now) {
            self.on_response(core, then, Err("Pi did not answer in time".to_owned()));
        }
        self.enforce_cancel(core);
    }

    fn owns(&self, child: ChildId) -> bool {
        self.child.as_ref().is_some_and(|own| own.id == child)
    }

    fn on_line(&mut self, core: &mut Core, line: InputLine<'_>) {
        match line {
            InputLine::Whole(line) => match serde_json::from_slice::<Event>(line) {
                Ok(event) => self.on_event(core, event),
                Err(error) => {
                    let raw = clipped(&String::from_utf8_lossy(line));
                    let what = json!({ "reason": error.to_string(), "raw": raw });
                    self.conversation.report_unknown(&mut core.client, what);
                }
            },
            InputLine::TooLong(length) => self.conversation.report_overlong(&mut core.client, length),
        }
    }

    fn on_exit(&mut self, core: &mut Core, ended: &Ended) {
        let Some(child) = self.child.take() else { return };
        let error = process_ended("Pi", ended, None);
        self.conversation.withdraw_all(&mut core.client);
        self.tools.close(&mut core.client, &self.conversation.id, "The process of Pi ended");
        self.compaction.end(&mut core.client, &self.conversation.id, CompactionStatus::Failed);
        for then in self.requests.take_all() {
            if let Then::Changed(request, _) = then {
                core.client.fail(&request.key, &error);
            }
        }
        if self.closed(core) {
            return;
        }
        if !child.note.is_done() {
            return self.greeting_failed(core, &error);
        }
        if !child.is_ending() {
            tracing::warn!(session = %self.conversation.id, code = ended.code, signal = ended.signal, "pi exited by itself");
        }
        if let Some(turn) = self.turn.take() {
            let outcome = if turn.is_cancelled() { Ok(StopReason::Cancelled) } else { Err(error) };
            self.conversation.finish(&mut core.client, outcome, self.meter.of_turn());
        }
        sa_acp::Session::send_next(self, core);
    }

    fn opening(&self) -> Option<&RequestKey> {
        self.opening.as_ref().map(|opening| &opening.key)
    }

    fn give_up_opening(&mut self, core: &mut Core, error: &Error) {
        self.greeting_failed(core, error);
    }
}

impl Session {
    /// Applies a change, and answers the client.
    fn apply(&mut self, core: &mut Core, request: &SetRequest, change: Change) {
        let before = self.settings.mode();
        self.settings.apply(change);
        let mode = Some(self.settings.mode()).filter(|mode| *mode != before);
        let options = self.settings.options();
        core.client.setting_changed(&self.conversation.id, request, mode.map(Mode::id), options);
        if mode.is_some() {
            self.ask_again(core);
        }
    }
}
