//! The agent as a whole: requests that concern no session, errands, and helpers at the permission socket.

use super::core::Core;
use super::delegate::{PermissionQuery, Verdict};
use super::errand::{Task, is_thread};
use super::launch::Launch;
use super::session::{Session, servers};
use agent_client_protocol_schema::v1::{Error, SessionId};
use sa_acp::{
    Adapter, ChildId, Ended, HelperId, InputLine, ListRequest, OpenRequest, RequestKey, Sessions,
    auth_required, session_not_found,
};
use std::time::Duration;

impl Adapter for Core {
    /// Has the CLI make or export the thread of a session.
    fn open(&mut self, _: &mut Sessions<Session>, request: OpenRequest) -> Result<(), Error> {
        let request = request.resolve(|path| self.host.disk.is_directory(path), servers)?;
        let thread = request.how.origin().map(check_id).transpose()?;
        self.require_login()?;
        self.learn_agent_modes();
        let launch = match thread {
            Some(thread) => Launch::Export { thread },
            None => Launch::NewThread { cwd: request.workspace.cwd.clone() },
        };
        self.send(launch, Task::Open(request));
        Ok(())
    }

    fn list(&mut self, _: &mut Sessions<Session>, request: ListRequest) -> Result<(), Error> {
        self.require_login()?;
        self.send(Launch::List, Task::List(request));
        Ok(())
    }

    /// Succeeds for a session that does not exist, too: it is gone, as was wanted.
    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        check_id(&id)?;
        self.require_login()?;
        self.delete_thread(&id.0, vec![key.clone()]);
        Ok(())
    }

    fn on_line(&mut self, _: &mut Sessions<Session>, child: ChildId, line: &InputLine<'_>) -> bool {
        let is_errand = self.errands.contains_key(&child);
        if is_errand {
            self.errand_printed(child, line);
        }
        is_errand
    }

    fn on_exit(&mut self, sessions: &mut Sessions<Session>, child: ChildId, ended: &Ended) -> bool {
        self.errand_ended(sessions, child, ended)
    }

    /// Also deletes what is stored of closed sessions where that was requested.
    fn settle(&mut self, sessions: &mut Sessions<Session>) {
        let closed: Vec<_> = sessions.extract_if(.., |_, session| session.conversation.is_closed()).collect();
        for (id, session) in closed {
            if !session.deletes.is_empty() {
                self.delete_thread(&id, session.deletes);
            }
        }
    }

    fn tick(&mut self, _: &mut Sessions<Session>) {
        self.enforce_errands();
    }

    fn wake(&self) -> Option<Duration> {
        self.errands.values().filter_map(|errand| errand.deadline).min()
    }

    fn on_helper_request(&mut self, sessions: &mut Sessions<Session>, helper: HelperId, line: &[u8]) {
        let query = serde_json::from_slice::<PermissionQuery>(line).ok();
        let session = query.as_ref().and_then(|query| sessions.get_mut(query.thread.as_str()));
        match (session, query) {
            (Some(session), Some(query)) => session.on_query(self, helper, query),
            _ => {
                let verdict = Verdict { allow: false, reason: Some("there is no such session".to_owned()) };
                self.replies.push_back((helper, verdict.line()));
            }
        }
    }

    fn on_helper_gone(&mut self, sessions: &mut Sessions<Session>, helper: HelperId) {
        for session in sessions.values_mut() {
            session.on_helper_gone(self, helper);
        }
    }

    fn next_helper_reply(&mut self) -> Option<(HelperId, Vec<u8>)> {
        self.replies.pop_front()
    }
}

impl Core {
    /// Refuses clients without credentials: the CLI would wait for somebody to log in.
    fn require_login(&self) -> Result<(), Error> {
        if self.host.has_key || self.host.disk.has_login() {
            return Ok(());
        }
        Err(auth_required("Amp is not logged in: set AMP_API_KEY, or run `amp login` in a terminal"))
    }

    fn delete_thread(&mut self, id: &str, keys: Vec<RequestKey>) {
        self.send(Launch::Delete { thread: id.to_owned() }, Task::Delete { keys });
    }
}

fn check_id(id: &SessionId) -> Result<String, Error> {
    if is_thread(&id.0) { Ok(id.to_string()) } else { Err(session_not_found(id)) }
}
