//! Variables that only this session's agent gets, the credential among them. Their values are never stored, so a daemon
//! that takes the session up later has only their names.

use super::Owner;
use super::ending::LEAVING;
use crate::agent::AgentFailure;
use crate::creating::check_variables;
use std::collections::BTreeMap;

/// Variables that a client gives to a session.
pub(super) struct Given {
    variables: BTreeMap<String, String>,
    /// The one of them that holds the session's credential.
    token_variable: Option<String>,
}

impl Owner {
    /// Reads what a client gives, for a session with that model. Nothing is changed.
    pub(super) fn read_environment(
        &self,
        token: Option<String>,
        env: Option<BTreeMap<String, String>>,
        model: Option<&str>,
    ) -> Result<Given, AgentFailure> {
        check_variables(env.as_ref().unwrap_or(&BTreeMap::new())).map_err(AgentFailure::Unsupported)?;
        let mut given = Given { variables: env.unwrap_or_default(), token_variable: None };
        if let Some(token) = token {
            let variable = self.parts.token_variable(&self.record.request.agent)?.for_model(model);
            variable.give(&token, &mut given.variables);
            given.token_variable = Some(variable.variable);
        }
        Ok(given)
    }

    /// Notes the names of the variables, which are stored.
    pub(super) fn name_environment(&mut self, given: &Given) {
        self.record.token_variable = given.token_variable.clone().or(self.record.token_variable.take());
        self.record.variables.extend(given.variables.keys().cloned());
    }

    /// Takes the values. An agent that runs is started again with them before its next turn.
    pub(super) fn take_environment(&mut self, given: Given) {
        if !given.variables.is_empty() {
            self.env.extend(given.variables);
            self.shared.set_env(self.env.clone());
            self.refresh_secrets();
            self.renew = self.link.is_some();
        }
    }

    /// Lets go of an agent whose environment is no longer the session's.
    pub(super) async fn renew_agent(&mut self) {
        if std::mem::take(&mut self.renew) {
            self.close_session(LEAVING).await;
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
