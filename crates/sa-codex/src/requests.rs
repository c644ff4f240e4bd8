//! How a client opens sessions.

use super::machine::Machine;
use super::replies::Then;
use super::session::{Opening, servers};
use agent_client_protocol_schema::v1::Error;
use sa_acp::{Job, OpenRequest, failure};

impl Machine {
    pub(super) fn open_session(&mut self, request: OpenRequest) -> Result<(), Error> {
        let OpenRequest { key, how, workspace } = request;
        let workspace = workspace.with_servers(servers)?;
        let mut is_open = false;
        if let Some(id) = how.continued() {
            let awaited = |then: &Then| match then {
                Then::Opened(opening) | Then::Reread(opening) => opening.how.origin() == Some(id),
                _ => false,
            };
            let is_held = self.held.iter().any(|held| held.opening().how.origin() == Some(id));
            let is_opening = is_held || self.core.server.awaited().any(awaited);
            let known = self.sessions.get(&id.0);
            if is_opening || known.is_some_and(|session| !session.conversation.is_open()) {
                return Err(failure("the session is being opened or closed already", "busy"));
            }
            if let Some(session) = known {
                session.may_move(&workspace)?;
                is_open = true;
            }
        }
        let opening = Opening { key, how, workspace, is_open, give_up: None };
        self.core.server.jobs.push_back(Job::Open(Box::new(opening)));
        Ok(())
    }
}
