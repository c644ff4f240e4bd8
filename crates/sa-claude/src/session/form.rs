//! Forms and addresses that an MCP server wants the user to see.

use super::Session;
use super::ask::Ask;
use crate::core::Core;
use crate::native::frame::ServerForm;
use crate::native::line::{Answer, FormAnswer};
use agent_client_protocol_schema::v1::{ElicitationAction, ElicitationSessionScope};
use sa_acp::{Reply, action};

impl Session {
    /// Passes it on as it is, unless the client shows no such thing or the form is of a kind that ACP does not know.
    pub(super) fn server_asks(&mut self, core: &mut Core, id: String, form: ServerForm) {
        let words = form.message.as_deref().unwrap_or_default();
        let is_url = form.mode.as_deref() == Some("url");
        let url = form.elicitation_id.as_deref().zip(form.url.as_deref());
        let form = sa_acp::ServerForm {
            server: form.mcp_server_name.as_deref(),
            message: words,
            url: url.filter(|_| is_url),
            schema: form.requested_schema.as_ref().filter(|_| !is_url),
        };
        let request =
            form.request(&core.client.handshake, ElicitationSessionScope::new(self.conversation.id.clone()));
        match request {
            Some(request) => {
                self.conversation.pass_on(&mut core.client, &id, Ask::Server, "elicitation/create", request)
            }
            None => self.respond(core, &id, Answer::Form(FormAnswer { action: "decline", content: None })),
        }
    }

    pub(super) fn server_answered(&mut self, core: &mut Core, id: &str, reply: Reply) {
        let answer = match action(reply) {
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
