//! How a session is opened.

use super::Session;
use super::settings::Settings;
use crate::core::Core;
use crate::native::answer::{OpenedThread, Turn};
use crate::replies::Then;
use agent_client_protocol_schema::v1::{Error, SessionId};
use sa_acp::{How, McpWait, RequestKey, Workspace, one_line};
use serde_json::{Value, json};
use std::time::Duration;

/// A client's request to open a session.
#[derive(Debug)]
pub struct Opening {
    pub(crate) key: RequestKey,
    pub(crate) how: How,
    pub(crate) workspace: Workspace,
    /// Set if that session is open.
    pub(crate) is_open: bool,
    /// The time at which it is given up because another process holds the thread; `None` before the first attempt.
    pub(crate) give_up: Option<Duration>,
}

impl AsRef<RequestKey> for Opening {
    fn as_ref(&self) -> &RequestKey {
        &self.key
    }
}

impl Opening {
    /// Returns what the app-server is asked.
    pub(crate) fn method(&self) -> &'static str {
        match self.how {
            How::New => "thread/start",
            How::Loaded(_) | How::Resumed(_) => "thread/resume",
            How::Forked(_) => "thread/fork",
        }
    }

    /// Returns what the app-server is asked with.
    pub(crate) fn params(&self, core: &Core) -> Value {
        open_thread(self.how.origin().map(|id| &*id.0), &self.workspace, &Settings::new(core))
    }
}

/// The list of skills that the app-server is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SkillList {
    Cached,
    Reloaded,
}

/// Returns the wait for all servers of a thread that is being opened.
pub(super) fn mcp_wait(workspace: &Workspace, core: &Core) -> McpWait {
    McpWait::new(
        workspace.servers.keys().cloned().collect(),
        core.io.now.elapsed + core.host.options.limits.mcp,
    )
}

/// Returns the parameters of `thread/start`, or with a thread of `thread/resume` and `thread/fork`. The directory is trusted
/// here, or the CLI would note that in the user's own settings.
pub(super) fn open_thread(thread: Option<&str>, workspace: &Workspace, settings: &Settings) -> Value {
    let cwd = workspace.cwd.to_string_lossy();
    let mut params = thread.map_or_else(|| json!({}), |thread| json!({ "threadId": thread }));
    params["cwd"] = json!(cwd);
    if !settings.model().is_empty() {
        params["model"] = json!(settings.model());
    }
    params["approvalPolicy"] = json!(settings.approval_policy());
    params["sandbox"] = json!(settings.sandbox());
    params["config"] = json!({ "projects": { cwd: { "trust_level": "trusted" } } });
    if !workspace.servers.is_empty() {
        params["config"]["mcp_servers"] = json!(workspace.servers);
    }
    params
}

impl Session {
    pub(crate) fn open(core: &mut Core, opening: Opening, opened: OpenedThread) -> Self {
        let Opening { key, how, workspace, .. } = opening;
        let mut settings = Settings::new(core);
        settings.learn(opened.model, opened.reasoning_effort);
        // A thread keeps its id when it is resumed.
        let id = how.continued().cloned().unwrap_or_else(|| SessionId::new(opened.thread.id.clone()));
        let mut session = Self::new(id, workspace, settings);
        session.thread = opened.thread.id;
        session.link.mcp = mcp_wait(&session.workspace, core);
        session.is_stored = how != How::New;
        if session.is_stored {
            session.conversation.keep_title();
        }
        session.conversation.title =
            opened.thread.name.map(|name| one_line(&name)).filter(|name| !name.is_empty());
        if how.is_loaded() {
            session.replay(core, opened.thread.turns);
        }
        session.answer_opened(core, &key, &how);
        session
    }

    /// Answers a client that opened the session although it was open.
    pub(crate) fn reopened(&mut self, core: &mut Core, opening: &Opening, turns: Vec<Turn>) {
        self.workspace.clone_from(&opening.workspace);
        if opening.how.is_loaded() {
            self.replay(core, turns);
        }
        self.answer_opened(core, &opening.key, &opening.how);
    }

    /// Answers now for a session whose id the client learns by the answer. With any other, nothing may follow the answer, so
    /// that it waits for the commands.
    fn answer_opened(&mut self, core: &mut Core, key: &RequestKey, how: &How) {
        self.answer_opening(core);
        self.opening = Some((key.clone(), how.clone()));
        if how.continued().is_none() {
            self.answer_opening(core);
        }
        self.ask_skills(core, SkillList::Cached);
    }

    pub(super) fn answer_opening(&mut self, core: &mut Core) {
        if let Some((key, how)) = self.opening.take() {
            core.io.client.opened(
                &key,
                &how,
                &self.conversation.id,
                self.settings.modes.state(),
                self.settings.options(),
            );
        }
    }

    pub(super) fn fail_opening(&mut self, core: &mut Core, error: &Error) {
        if let Some((key, _)) = self.opening.take() {
            core.io.client.fail(&key, error);
        }
    }

    /// Asks which skills there are: they are commands.
    pub(super) fn ask_skills(&mut self, core: &mut Core, list: SkillList) {
        let params = json!({ "cwds": [self.workspace.cwd], "forceReload": list == SkillList::Reloaded });
        core.ask_soon("skills/list", &params, Then::Skills(self.conversation.id.clone()));
    }
}
