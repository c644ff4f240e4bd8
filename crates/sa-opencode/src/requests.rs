//! How a client opens sessions.

use super::core::Core;
use super::openings::Opening;
use super::servers::servers;
use super::session::Session;
use agent_client_protocol_schema::v1::Error;
use sa_acp::{OpenRequest, Sessions, failure};

impl Core {
    /// Checks a request to open a session.
    pub(super) fn check_opening(
        &self,
        sessions: &Sessions<Session>,
        request: OpenRequest,
    ) -> Result<Opening, Error> {
        let OpenRequest { key, how, workspace } = request;
        let workspace = workspace.resolve(|path| self.host.disk.is_directory(path), servers)?;
        if let Some(id) = how.continued() {
            let is_opening = self.openings.values().any(|opening| opening.how.origin() == Some(id));
            let known = sessions.get(&id.0);
            if is_opening || known.is_some_and(|session| !session.conversation.is_open()) {
                return Err(failure("the session is being opened or closed already", "busy"));
            }
            if let Some(session) = known {
                session.may_move(&workspace)?;
            }
        }
        Ok(Opening::new(key, how, workspace))
    }
}
