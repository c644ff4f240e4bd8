//! Variables that only this session's agent gets, the credential among them. Their values are never stored, so a daemon
//! that takes the session up later has only their names.

use super::Owner;
use crate::SessionError;
use crate::agent::AgentFailure;
use std::collections::BTreeMap;

impl Owner {
    /// Takes what a client gives. An agent that runs is started anew with it before its next turn.
    pub(super) fn give_environment(
        &mut self,
        token: Option<String>,
        env: Option<BTreeMap<String, String>>,
    ) -> Result<(), SessionError> {
        if token.is_none() && env.is_none() {
            return Ok(());
        }
        let mut given = env.unwrap_or_default();
        if let Some(token) = token {
            let variable = self.parts.token_variable(&self.record.request.agent)?;
            let variable = variable.for_model(self.record.model.as_deref());
            variable.give(&token, &mut given);
            self.record.token_variable = Some(variable.variable);
        }
        self.record.variables.extend(given.keys().cloned());
        self.env.extend(given);
        self.shared.set_env(self.env.clone());
        self.renew = self.link.is_some();
        self.draft.touch();
        Ok(())
    }

    /// Lets go of an agent whose environment is no longer the session's.
    pub(super) async fn renew_agent(&mut self) {
        if std::mem::take(&mut self.renew) {
            self.close_session().await;
            self.leave_agent();
        }
    }

    /// Whether all is there that the session was given. Without its own credential it does not go on: the daemon's may be
    /// somebody else's.
    pub(super) fn check_environment(&mut self) -> Result<(), AgentFailure> {
        let missing = |name: &&String| !self.env.contains_key(*name);
        if let Some(variable) = self.record.token_variable.as_ref().filter(missing) {
            return Err(AgentFailure::Token(format!(
                "the session was made with a token of its own ({variable}), which is not kept when the daemon ends: \
                 give it again with PATCH and `token`"
            )));
        }
        let lost: Vec<&str> = self.record.variables.iter().filter(missing).map(String::as_str).collect();
        if !lost.is_empty() {
            let names = lost.join(", ");
            self.warn(
                "Environment",
                format!(
                    "the agent is started without {names}: variables are not kept when the daemon ends; \
                     give them again with PATCH and `env`"
                ),
            );
        }
        Ok(())
    }
}
