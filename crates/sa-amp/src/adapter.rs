//! The agent as a whole: requests that concern no session, errands, and helpers at the permission socket.

use super::core::Core;
use super::delegate::{PermissionQuery, Verdict};
use super::errand::Errand;
use super::launch::Launch;
use super::session::Session;
use agent_client_protocol_schema::v1::{Error, ListSessionsRequest, SessionId};
use sa_acp::{
    Adapter, ChildId, Client, Ended, HelperId, InputLine, Now, OpenRequest, Processes, RequestKey,
    Session as _, Sessions,
};
use std::time::Duration;

impl sa_acp::Core for Core {
    type Launch = Launch;

    fn parts(&mut self) -> (&mut Now, &mut Client, &mut Processes<Launch>) {
        (&mut self.now, &mut self.client, &mut self.processes)
    }
}

impl Adapter for Core {
    type Session = Session;

    fn open(&mut self, _: &mut Sessions<Session>, request: OpenRequest) -> Result<(), Error> {
        self.open_session(request)
    }

    fn list(
        &mut self,
        _: &mut Sessions<Session>,
        key: &RequestKey,
        request: ListSessionsRequest,
    ) -> Result<(), Error> {
        self.list_threads(key, request)
    }

    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        self.delete_stored(key, &id)
    }

    fn on_line(&mut self, sessions: &mut Sessions<Session>, child: ChildId, line: InputLine<'_>) {
        if self.errands.contains_key(&child) {
            return self.errand_printed(child, line);
        }
        if let Some(session) = sessions.values_mut().find(|session| session.owns(child)) {
            session.on_line(self, line);
        }
    }

    fn on_exit(&mut self, sessions: &mut Sessions<Session>, child: ChildId, ended: &Ended) {
        if self.errand_ended(sessions, child, ended) {
            return;
        }
        if let Some(session) = sessions.values_mut().find(|session| session.owns(child)) {
            session.on_exit(self, ended);
        }
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
        self.errands.values().filter_map(Errand::deadline).min()
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
