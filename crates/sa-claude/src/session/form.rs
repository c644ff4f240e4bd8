//! Forms and addresses that an MCP server wants the user to see.

use super::Session;
use super::ask::{Ask, Told};
use super::question::action;
use crate::core::Core;
use crate::native::frame::ServerForm;
use crate::native::line::{Answer, FormAnswer};
use agent_client_protocol_schema::v1::{
    CreateElicitationRequest, ElicitationAction, ElicitationFormMode, ElicitationId, ElicitationSchema,
    ElicitationSessionScope, ElicitationUrlMode,
};
use serde::Deserialize;

impl Session {
    /// Passes it on as it is, unless the client shows no such thing or the form is of a kind that ACP does not know.
    pub(super) fn server_asks(&mut self, core: &mut Core, id: String, form: ServerForm) {
        let request = self.server_request(core, &form);
        match request {
            Some(request) => self.pass_on(core, id, Ask::Server, "elicitation/create", request),
            None => self.respond(core, &id, Answer::Form(FormAnswer { action: "decline", content: None })),
        }
    }

    fn server_request(&self, core: &Core, form: &ServerForm) -> Option<CreateElicitationRequest> {
        let scope = ElicitationSessionScope::new(self.id.clone());
        let words = form.message.clone().unwrap_or_default();
        let message = match &form.mcp_server_name {
            Some(server) => format!("{server}: {words}"),
            None => words,
        };
        if form.mode.as_deref() == Some("url") {
            let id = ElicitationId::new(form.elicitation_id.clone()?);
            let mode = ElicitationUrlMode::new(scope, id, form.url.clone()?);
            return core.client.opens_urls().then(|| CreateElicitationRequest::new(mode, message));
        }
        let schema = ElicitationSchema::deserialize(form.requested_schema.as_ref()?).ok()?;
        let mode = ElicitationFormMode::new(scope, schema);
        core.client.shows_forms().then(|| CreateElicitationRequest::new(mode, message))
    }

    pub(super) fn server_answered(&mut self, core: &mut Core, id: &str, told: Told) {
        let answer = match action(told) {
            Ok(ElicitationAction::Accept(accepted)) => {
                let content = accepted.content.and_then(|content| serde_json::to_value(content).ok());
                FormAnswer { action: "accept", content }
            }
            Ok(ElicitationAction::Cancel) => FormAnswer { action: "cancel", content: None },
            _ => FormAnswer { action: "decline", content: None },
        };
        self.respond(core, id, Answer::Form(answer));
    }
}
