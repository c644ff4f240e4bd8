//! What clients want of threads: that they are made, opened, listed, deleted. Only the service knows which there are.

use super::core::Core;
use super::errand::{ReadySession, Task, is_thread};
use super::launch::Launch;
use super::session::{Session, servers};
use agent_client_protocol_schema::v1::{Error, ListSessionsRequest, SessionId};
use sa_acp::{How, OpenRequest, RequestKey, Sessions, auth_required, failure, session_not_found};

impl Core {
    /// Without credentials the CLI would wait for somebody to log in.
    fn require_login(&self) -> Result<(), Error> {
        if self.host.has_key || self.host.disk.has_login() {
            return Ok(());
        }
        Err(auth_required("Amp is not logged in: set AMP_API_KEY, or run `amp login` in a terminal"))
    }

    /// Has the CLI make or export the thread of a session.
    pub(super) fn open_session(&mut self, request: OpenRequest) -> Result<(), Error> {
        let OpenRequest { key, how, workspace } = request;
        let workspace = workspace.resolve(|path| self.host.disk.is_directory(path), servers)?;
        let thread = how.origin().map(check_id).transpose()?;
        self.require_login()?;
        self.learn_agent_modes();
        let launch = match thread {
            Some(thread) => Launch::Export { thread },
            None => Launch::NewThread { cwd: workspace.cwd.clone() },
        };
        self.send(launch, Task::Open { key, how, workspace });
        Ok(())
    }

    /// Opens a session whose thread is there.
    pub(super) fn open_thread(&mut self, sessions: &mut Sessions<Session>, ready: ReadySession) {
        let ReadySession { key, id, workspace, how, history } = ready;
        let known = sessions.get_mut(&id.0);
        match known {
            Some(session) if !session.conversation.is_open() => {
                self.client.fail(&key, &failure("the session is being closed", "busy"));
            }
            Some(session) => session.reopen(self, &key, &how, &history, workspace),
            None => {
                let session = Session::new(self, id.clone(), workspace, how != How::New);
                session.opened(self, &key, &how, &history);
                sessions.insert(id.0, session);
            }
        }
    }

    pub(super) fn list_threads(
        &mut self,
        key: &RequestKey,
        request: ListSessionsRequest,
    ) -> Result<(), Error> {
        self.require_login()?;
        self.send(Launch::List, Task::List { key: key.clone(), cwd: request.cwd });
        Ok(())
    }

    /// Succeeds for a session that does not exist, too: it is gone, as was wanted.
    pub(super) fn delete_stored(&mut self, key: &RequestKey, id: &SessionId) -> Result<(), Error> {
        check_id(id)?;
        self.require_login()?;
        self.delete_thread(&id.0, vec![key.clone()]);
        Ok(())
    }

    pub(super) fn delete_thread(&mut self, id: &str, keys: Vec<RequestKey>) {
        self.send(Launch::Delete { thread: id.to_owned() }, Task::Delete { keys });
    }
}

fn check_id(id: &SessionId) -> Result<String, Error> {
    if is_thread(&id.0) { Ok(id.to_string()) } else { Err(session_not_found(id)) }
}
