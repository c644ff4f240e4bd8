//! Forms and addresses that an MCP server wants the user to see.

use crate::protocol::handshake::Handshake;
use agent_client_protocol_schema::v1::{
    CreateElicitationRequest, ElicitationFormMode, ElicitationId, ElicitationSchema, ElicitationSessionScope,
    ElicitationUrlMode,
};
use serde::Deserialize;
use serde_json::Value;

/// A form of an MCP server.
#[derive(Debug, Clone, Copy)]
pub struct ServerForm<'a> {
    /// The name, if it is known.
    pub server: Option<&'a str>,
    /// The text of the form.
    pub message: &'a str,
    /// The address to open, with the id under which it is known; `None` for a form.
    pub url: Option<(&'a str, &'a str)>,
    /// The inputs of a form.
    pub schema: Option<&'a Value>,
}

impl ServerForm<'_> {
    /// Passed on as it is; `None` if the client shows no such thing or the form is of a kind that ACP does not know.
    pub fn request(
        self,
        client: &Handshake,
        scope: ElicitationSessionScope,
    ) -> Option<CreateElicitationRequest> {
        let message = match self.server {
            Some(server) => format!("{server}: {}", self.message),
            None => self.message.to_owned(),
        };
        if let Some((id, url)) = self.url {
            let mode = ElicitationUrlMode::new(scope, ElicitationId::new(id.to_owned()), url.to_owned());
            return client.opens_urls().then(|| CreateElicitationRequest::new(mode, message));
        }
        let schema = ElicitationSchema::deserialize(self.schema?).ok()?;
        let mode = ElicitationFormMode::new(scope, schema);
        client.shows_forms().then(|| CreateElicitationRequest::new(mode, message))
    }
}
