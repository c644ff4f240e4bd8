//! The parts that all sessions share.

use crate::agent::{AgentFailure, Pool};
use crate::sessions::SessionsOptions;
use crate::turn_figures::TurnFigures;
use sa_agents::{AgentSpec, Catalog, TokenVariable};
use sa_credentials::{Kind, Secret, Validity};
use sa_hub::OpenError;
use sa_universal::ModeTable;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

pub(crate) struct Parts {
    pub(crate) options: SessionsOptions,
    pub(crate) pool: Pool,
    pub(crate) totals: Totals,
}

/// Numbers for those who watch the daemon, from its start on.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// Events that were committed.
    pub(crate) events: AtomicU64,
    /// Turns that were begun.
    pub(crate) turns: AtomicU64,
    /// Figures of turns that have ended.
    pub(crate) turn_figures: TurnFigures,
}

impl Parts {
    pub(crate) fn catalog(&self) -> &Catalog {
        self.options.hub.catalog()
    }

    /// The agent of that id.
    pub(crate) fn agent(&self, id: &str) -> Result<AgentSpec, AgentFailure> {
        Ok(self.catalog().find(id).map_err(OpenError::from)?.clone())
    }

    /// Returns the agent's names of modes.
    pub(crate) fn mode_table(&self, agent: &str) -> ModeTable {
        self.catalog().get(agent).map(crate::modes::mode_table).unwrap_or_default()
    }

    /// Asks the provider whether it accepts a credential.
    pub(crate) async fn validate(
        &self,
        token: &TokenVariable,
        secret: &str,
        env: &BTreeMap<String, String>,
    ) -> Result<(), AgentFailure> {
        let Some(provider) = token.provider.as_deref() else {
            let reason = format!("there is no call to ask whether {} is accepted", token.variable);
            return Err(AgentFailure::Unsupported(reason));
        };
        let mut host = self.options.host.clone();
        host.environment.extend(env.clone());
        let address = sa_credentials::address_of(provider, &host);
        let secret = Secret::new(secret);
        match sa_credentials::validate(provider, Kind::ApiKey, &secret, address.as_deref()).await {
            Validity::Valid => Ok(()),
            Validity::Invalid { reason, .. } => {
                Err(AgentFailure::Token(format!("{provider} does not accept the token: {reason}")))
            }
            Validity::Unknown { reason } => Err(AgentFailure::ProviderUnreachable(format!(
                "{provider} could not be asked to validate the token: {reason}"
            ))),
        }
    }

    /// The variable in which the agent takes a credential.
    pub(crate) fn token_variable(&self, agent: &str) -> Result<TokenVariable, AgentFailure> {
        let token = self.catalog().get(agent).and_then(|agent| agent.token.clone());
        token.ok_or_else(|| {
            let reason = format!("it is not known how agent '{agent}' takes a token; use `env`");
            AgentFailure::Unsupported(reason)
        })
    }
}
