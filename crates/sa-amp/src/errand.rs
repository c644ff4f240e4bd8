//! Other work of the CLI, one process each: make a thread, export one, list and delete them, report which agent
//! modes there are.

use super::core::Core;
use super::history;
use super::launch::Launch;
use super::limits::{ERRAND, MAX_PRINTED};
use super::session::{Session, explain, turn_error};
use agent_client_protocol_schema::v1::{
    DeleteSessionResponse, Error, ListSessionsResponse, SessionId, SessionInfo, SessionUpdate,
};
use sa_acp::{
    CheckedRequest, ChildId, Ended, How, InputLine, ListRequest, OpenRequest, RequestKey, Sessions,
    add_unlisted, auth_required, failure, session_not_found,
};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The purpose of an errand.
#[derive(Debug)]
pub(super) enum Task {
    /// Makes a thread, or exports one.
    Open(CheckedRequest),
    List(ListRequest),
    Delete {
        keys: Vec<RequestKey>,
    },
    AgentModes,
}

#[derive(Debug)]
pub(super) struct Errand {
    task: Task,
    printed: String,
    pub(super) deadline: Option<Duration>,
    /// The failure, once only the exit of the process is awaited.
    error: Option<Error>,
}

/// A session that can be opened as soon as the agent modes are known.
#[derive(Debug)]
pub(super) struct ReadySession {
    request: CheckedRequest,
    id: SessionId,
    /// The history, if the client wants it.
    history: Vec<SessionUpdate>,
}

#[derive(Debug, Default)]
pub(super) enum AgentModes {
    #[default]
    Unknown,
    /// The CLI was asked. These sessions wait for its answer.
    Asked(Vec<ReadySession>),
    Known(Vec<String>),
}

impl AgentModes {
    /// Returns the modes as far as they are known.
    pub(super) fn known(&self) -> &[String] {
        match self {
            Self::Known(modes) => modes,
            Self::Unknown | Self::Asked(_) => &[],
        }
    }
}

impl Core {
    pub(super) fn send(&mut self, launch: Launch, task: Task) {
        let child = self.io.processes.start(launch);
        let deadline = Some(self.io.now.elapsed + ERRAND);
        self.errands.insert(child, Errand { task, printed: String::new(), deadline, error: None });
    }

    /// Has the CLI say which agent modes there are, unless it was asked before.
    pub(super) fn learn_agent_modes(&mut self) {
        if matches!(self.agent_modes, AgentModes::Unknown) {
            self.agent_modes = AgentModes::Asked(Vec::new());
            self.send(Launch::Help, Task::AgentModes);
        }
    }

    /// Keeps the output of an errand.
    pub(super) fn errand_printed(&mut self, child: ChildId, line: &InputLine<'_>) {
        let (Some(errand), InputLine::Whole(line)) = (self.errands.get_mut(&child), line) else { return };
        let line = String::from_utf8_lossy(line);
        if line.contains("No API key found") {
            // It would wait for somebody to log in.
            errand.error = Some(auth_required(line.trim().to_owned()));
            self.io.processes.end(child, Duration::ZERO);
        }
        if errand.printed.len() + line.len() < MAX_PRINTED {
            errand.printed.push_str(&line);
            errand.printed.push('\n');
        }
    }

    /// Ends errands that take too long.
    pub(super) fn enforce_errands(&mut self) {
        let now = self.io.now.elapsed;
        for (child, errand) in &mut self.errands {
            if errand.deadline.is_some_and(|deadline| deadline <= now) {
                errand.deadline = None;
                errand.error.get_or_insert_with(|| failure("Amp did not answer in time", "timeout"));
                self.io.processes.end(*child, Duration::ZERO);
            }
        }
    }

    /// Takes note that a process on an errand ended; `false` if it was on none.
    pub(super) fn errand_ended(
        &mut self,
        sessions: &mut Sessions<Session>,
        child: ChildId,
        ended: &Ended,
    ) -> bool {
        let Some(errand) = self.errands.remove(&child) else { return false };
        let done = match errand.error {
            Some(error) => Err(error),
            None if ended.code == Some(0) => Ok(errand.printed),
            None => Err(explain(ended, &errand.printed)),
        };
        match errand.task {
            Task::Open(request) => match found(&request, done) {
                Ok((id, history)) => self.open_ready(sessions, ReadySession { request, id, history }),
                Err(error) => self.io.client.fail(&request.key, &error),
            },
            Task::List(request) => match done.and_then(|printed| list(&printed, request.page.cwd.as_deref()))
            {
                Ok(mut page) => {
                    name_untitled(sessions, &mut page);
                    let open = sessions.values().filter_map(Session::open_info);
                    add_unlisted(&mut page.sessions, open, request.page.cwd.as_deref());
                    self.io.client.reply(&request.key, page);
                }
                Err(error) => self.io.client.fail(&request.key, &error),
            },
            Task::Delete { keys } => deleted(self, &keys, done),
            Task::AgentModes => {
                let known = AgentModes::Known(done.map(|help| modes_in(&help)).unwrap_or_default());
                if let AgentModes::Asked(waiting) = std::mem::replace(&mut self.agent_modes, known) {
                    waiting.into_iter().for_each(|ready| self.open_ready(sessions, ready));
                }
            }
        }
        true
    }

    /// Opens a session whose thread is there, once the agent modes are known.
    fn open_ready(&mut self, sessions: &mut Sessions<Session>, ready: ReadySession) {
        if let AgentModes::Asked(waiting) = &mut self.agent_modes {
            return waiting.push(ready);
        }
        let ReadySession { request, id, history } = ready;
        match sessions.get_mut(&id.0) {
            Some(session) if !session.conversation.is_open() => {
                self.io.client.fail(&request.key, &failure("the session is being closed", "busy"));
            }
            Some(session) => session.reopen(self, request, &history),
            None => {
                let OpenRequest { key, how, workspace } = request;
                let mut session = Session::new(self, id.clone(), workspace);
                if how != How::New {
                    session.conversation.keep_title();
                }
                session.opened(self, &key, &how, &history);
                sessions.insert(id.0, session);
            }
        }
    }
}

/// Gives open threads without a title their first prompt as one. The service names threads after a while.
fn name_untitled(sessions: &Sessions<Session>, page: &mut ListSessionsResponse) {
    for info in page.sessions.iter_mut().filter(|info| info.title.is_none()) {
        let session = sessions.get(&info.session_id.0);
        info.title = session.and_then(|session| session.conversation.title.clone());
    }
}

/// Returns the thread that was made or exported, and its history if the client wants it.
fn found(
    OpenRequest { how, workspace, .. }: &CheckedRequest,
    done: Result<String, Error>,
) -> Result<(SessionId, Vec<SessionUpdate>), Error> {
    let Some(id) = how.origin() else { return Ok((thread_id(&done?)?, Vec::new())) };
    let printed = done.map_err(|error| if is_missing(&error) { session_not_found(id) } else { error })?;
    let thread: Value = serde_json::from_str(&printed)
        .map_err(|error| failure(format!("the thread cannot be read: {error}"), "protocol"))?;
    let history = if how.is_loaded() { history::updates(&thread, &workspace.cwd) } else { Vec::new() };
    Ok((id.clone(), history))
}

/// The id among what was printed.
fn thread_id(printed: &str) -> Result<SessionId, Error> {
    let id = printed.split_whitespace().find(|word| is_thread(word));
    let id = id.ok_or_else(|| turn_error(&format!("Amp made no thread: {}", printed.trim())))?;
    Ok(SessionId::new(id.to_owned()))
}

/// Returns whether a text can be the id of a thread. They become parts of a command line.
pub(super) fn is_thread(id: &str) -> bool {
    let letters = |rest: &str| rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    id.strip_prefix("T-").is_some_and(|rest| !rest.is_empty() && rest.len() <= 64 && letters(rest))
}

/// Returns whether an error has the CLI's words for a thread that does not exist: `Thread <id or address> does not exist.` A shell
/// says `not found` as well, about a program.
fn is_missing(error: &Error) -> bool {
    let words = error.message.to_lowercase();
    words.split("thread ").skip(1).any(|rest| {
        let is_id = |word: &str| word.rsplit('/').next().is_some_and(|id| id.starts_with("t-"));
        let said = rest.split_once(' ').filter(|(word, _)| is_id(word)).map_or(rest, |(_, said)| said);
        let sentence = said.split('.').next().unwrap_or_default();
        matches!(sentence, "not found" | "does not exist" | "not found or you don't have access")
    })
}

fn deleted(core: &mut Core, keys: &[RequestKey], done: Result<String, Error>) {
    // A thread that is not there is gone, as was wanted.
    let error = done.err().filter(|error| !is_missing(error));
    for key in keys {
        match &error {
            Some(error) => core.io.client.fail(key, error),
            None => core.io.client.reply(key, DeleteSessionResponse::new()),
        }
    }
}

fn list(printed: &str, cwd: Option<&Path>) -> Result<ListSessionsResponse, Error> {
    #[derive(Deserialize)]
    struct Thread {
        id: String,
        title: Option<String>,
        updated: Option<String>,
        tree: Option<String>,
    }
    let threads: Vec<Thread> = match printed.trim() {
        "" => Vec::new(),
        text => serde_json::from_str(text)
            .map_err(|error| failure(format!("the list of threads cannot be read: {error}"), "protocol"))?,
    };
    let session = |thread: Thread| {
        // A thread that was made elsewhere has no workspace here.
        let place = PathBuf::from(sa_acp::local_path(&thread.tree?)?);
        let fits = cwd.is_none_or(|cwd| cwd == place);
        let info = SessionInfo::new(SessionId::new(thread.id), place);
        fits.then(|| info.title(thread.title).updated_at(thread.updated))
    };
    Ok(ListSessionsResponse::new(threads.into_iter().filter_map(session).collect::<Vec<_>>()))
}

/// Returns the agent modes in the CLI's own help: they change with each version, and no command lists them.
fn modes_in(help: &str) -> Vec<String> {
    let flat = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let list = flat.split_once("Set the agent mode (").and_then(|(_, rest)| rest.split_once(')'));
    let plain = |mode: &&str| !mode.is_empty() && mode.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let modes = list.map(|(modes, _)| modes).unwrap_or_default().split(',').map(str::trim);
    modes.filter(plain).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_modes_are_read_from_the_help_however_it_is_broken_into_lines() {
        let help = "  -m, --mode <value>\n      Set the agent mode (deep, large,\n      rush, smart) — controls the model\n";
        assert_eq!(modes_in(help), ["deep", "large", "rush", "smart"]);
        assert_eq!(modes_in("nothing of that kind"), [""; 0]);
    }

    #[test]
    fn ids_are_told_from_what_could_be_an_option() {
        for (id, fits) in
            [("T-01a1e26b-7194", true), ("T-", false), ("--x", false), ("T-a b", false), ("T-../x", false)]
        {
            assert_eq!(is_thread(id), fits, "{id}");
        }
    }
}
