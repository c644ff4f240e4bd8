//! How a client opens sessions.

use super::core::Core;
use super::replies::Then;
use super::session::{Opening, Session, servers};
use agent_client_protocol_schema::v1::Error;
use sa_acp::{OpenRequest, Sessions, failure};

impl Core {
    /// Checks a request to open a session.
    pub(super) fn check_opening(
        &self,
        sessions: &mut Sessions<Session>,
        request: OpenRequest,
    ) -> Result<Opening, Error> {
        let OpenRequest { key, how, workspace } = request;
        let workspace = workspace.resolve(|path| self.host.disk.is_directory(path), servers)?;
        let mut is_open = false;
        if let Some(id) = how.continued() {
            let awaited = |then: &Then| match then {
                Then::Opened(opening) | Then::Reread(opening) => opening.how.origin() == Some(id),
                _ => false,
            };
            let is_held = self.held.iter().any(|held| held.opening().how.origin() == Some(id));
            let is_opening = is_held || self.server.awaited().any(awaited);
            let known = sessions.get(&id.0);
            if is_opening || known.is_some_and(|session| !session.conversation.is_open()) {
                return Err(failure("the session is being opened or closed already", "busy"));
            }
            if let Some(session) = known {
                session.may_move(&workspace)?;
                is_open = true;
            }
        }
        Ok(Opening { key, how, workspace, is_open, give_up: None })
    }
}
