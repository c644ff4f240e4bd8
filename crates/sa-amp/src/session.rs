//! One session: a thread, the process of the CLI that works on it, and the prompts that wait for it.
//!
//! ```text
//!  client ──► prompt ──► queue ──► turn ──► lines to the CLI
//!  client ◄── updates ◄── lines of the CLI
//!  client ◄── may this tool run? ◄── helper of the CLI
//! ```
//!
//! A process is started for the first prompt and stays for the next ones. Its settings cannot be changed, and it
//! cannot be interrupted without ending: then the next prompt starts another, which takes the thread up where it was.

mod ending;
mod mcp;
mod opening;
mod permission;
mod settings;
mod speech;
mod tooling;
mod turn;

pub(crate) use ending::{explain, turn_error};
pub(crate) use mcp::servers;

use super::core::Core;
use super::launch::{Launch, settings as settings_text};
use agent_client_protocol_schema::v1::{Error, SessionId, SessionInfo, StopReason};
use permission::Ask;
use sa_acp::{
    ChildId, Conversation, Decision, Ended, Grant, Reply, RequestKey, SessionProcess, SetRequest, Workspace,
    failure,
};
use serde_json::Value;
use settings::{Fixed, Settings};
use std::time::Duration;
use tooling::Tools;
use turn::Turn;

#[derive(Debug)]
pub struct Session {
    pub(crate) conversation: Conversation<Ask>,
    workspace: Workspace,
    settings: Settings,
    /// The process, with the settings that it was started with.
    child: Option<SessionProcess<Fixed>>,
    /// Requests to remove what is stored of the session, once it is closed.
    pub(crate) deletes: Vec<RequestKey>,
    turn: Option<Turn>,
    /// The permissions that hold until the session is closed.
    allowed: Vec<Grant>,
    tools: Tools,
    /// The number of messages so far. The CLI has no ids for them.
    messages: u64,
    unknown_lines: u64,
}

impl Session {
    pub(crate) fn new(core: &Core, id: SessionId, workspace: Workspace) -> Self {
        Self {
            conversation: Conversation::new(id),
            workspace,
            settings: Settings::new(&core.host),
            child: None,
            deletes: Vec::new(),
            turn: None,
            allowed: Vec::new(),
            tools: Tools::default(),
            messages: 0,
            unknown_lines: 0,
        }
    }

    /// Returns the session as `session/list` shows it, if it is open. The CLI uploads a thread some time after it
    /// changed, so its own list may lack threads of this client.
    pub(crate) fn open_info(&self) -> Option<SessionInfo> {
        self.conversation.is_open().then(|| self.conversation.info(&self.workspace))
    }

    /// Starts a process that continues the thread.
    fn start(&mut self, core: &mut Core) -> Result<(), Error> {
        let fixed = self.settings.fixed();
        if let Some(file) = core.host.disk.project_rules(&self.workspace.cwd) {
            let file = file.display().to_string();
            if self.settings.is_plan() {
                let words = format!(
                    "{file} has rules about permissions, which Amp puts before plan mode. Take them out, or leave plan mode"
                );
                return Err(failure(words, "project_rules"));
            }
            core.io.client.remark(&self.conversation.id, "projectRules", Value::String(file));
        }
        let user = core.host.disk.settings();
        let user =
            user.map_err(|error| failure(format!("Amp's settings cannot be read: {error}"), "settings"))?;
        let launch = Launch::Work {
            thread: self.conversation.id.to_string(),
            cwd: self.workspace.cwd.clone(),
            agent_mode: fixed.agent_mode.clone(),
            bypass: self.settings.is_bypass(),
            settings: settings_text(user, &self.workspace.servers, fixed.mode, &core.host.helper),
        };
        self.child = Some(SessionProcess::start(&mut core.io.processes, launch, fixed));
        Ok(())
    }

    /// Has the process end, which may take its time.
    fn dismiss(&mut self, core: &mut Core) {
        if let Some(child) = &mut self.child {
            child.end(&mut core.io.processes, core.host.limits.drain);
        }
    }
}

impl sa_acp::Session<Core> for Session {
    type Ask = Ask;

    fn conversation(&mut self) -> &mut Conversation<Ask> {
        &mut self.conversation
    }

    fn start_next(&mut self, core: &mut Core) {
        if self.turn.is_none() {
            self.send_prompt(core);
        }
    }

    /// Ends the process: the CLI stops in no other way. Its end is the end of the turn.
    fn interrupt(&mut self, core: &mut Core) {
        let Some(turn) = &mut self.turn else { return };
        if turn.cancel() {
            self.drop_asks(core);
            if let Some(child) = &mut self.child {
                child.hurry(&mut core.io.processes, Duration::ZERO);
            }
        }
    }

    fn on_reply(&mut self, core: &mut Core, _: &str, ask: Ask, reply: Reply) {
        self.on_decision(core, &ask, Decision::read(reply));
    }

    fn set(&mut self, core: &mut Core, request: SetRequest) -> Result<(), Error> {
        self.set_option(core, &request.setting)?;
        let (mode, options) = (self.settings.modes.take_change(), self.options(core));
        core.io.client.setting_changed(&self.conversation.id, &request, mode, options);
        if mode.is_some() {
            self.ask_again(core);
        }
        Ok(())
    }

    fn close(&mut self, core: &mut Core) {
        self.tools.close(&mut core.io.client, &self.conversation.id, "Cancelled");
        if let Some(turn) = self.turn.take() {
            self.finish_prompt(core, &turn, Ok(StopReason::Cancelled));
        }
        self.dismiss(core);
        if self.child.is_none() {
            self.closed(core);
        }
    }

    fn wake(&self) -> Option<Duration> {
        self.turn.as_ref().filter(|turn| !turn.is_cancelled()).and_then(|turn| turn.lull)
    }

    fn tick(&mut self, core: &mut Core) {
        self.enforce_lull(core);
    }

    fn process(&self) -> Option<ChildId> {
        self.child.as_ref().map(|child| child.id)
    }

    fn on_line(&mut self, core: &mut Core, line: &[u8]) {
        self.on_stream_line(core, line);
    }

    fn on_exit(&mut self, core: &mut Core, ended: &Ended) {
        self.on_process_end(core, ended);
    }
}
