//! How a client opens sessions.

use super::machine::Machine;
use super::openings::Opening;
use super::servers::servers;
use agent_client_protocol_schema::v1::Error;
use sa_acp::{Job, OpenRequest, failure};

impl Machine {
    pub(super) fn open_session(&mut self, request: OpenRequest) -> Result<(), Error> {
        let OpenRequest { key, how, workspace } = request;
        let workspace = workspace.with_servers(servers)?;
        if let Some(id) = how.continued() {
            let is_opening = self.openings.values().any(|opening| opening.how.origin() == Some(id));
            let known = self.sessions.get(&id.0);
            if is_opening || known.is_some_and(|session| !session.conversation.is_open()) {
                return Err(failure("the session is being opened or closed already", "busy"));
            }
            if let Some(session) = known {
                session.may_move(&workspace)?;
            }
        }
        let opening = Opening::new(key, how, workspace);
        self.core.server.jobs.push_back(Job::Open(Box::new(opening)));
        Ok(())
    }
}
