//! Reports that an agent would find a credential, without showing it.

use crate::agents::NEEDS_NONE;
use crate::{Host, Kind, Origin, Problem, extract};
use serde::Serialize;

/// The credentials that an agent has for its model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Availability {
    /// Set if the agent can start working: a usable credential was found, or none is needed.
    pub available: bool,
    /// The credentials that were found, in the agent's order.
    pub sources: Vec<Source>,
    /// Places that could not be used.
    pub problems: Vec<Problem>,
}

/// A credential without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    pub provider: String,
    /// The kind of the credential.
    pub kind: Kind,
    /// The place of the credential.
    pub origin: Origin,
    /// The time of its expiry, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<u64>,
    /// Set if the agent can use it: it has not expired, or the agent can renew it.
    pub usable: bool,
}

/// Returns whether the agent works without a credential.
pub fn needs_none(agent: &str) -> bool {
    agent == NEEDS_NONE
}

/// Returns the credentials that this agent would find on the host; nothing for an unknown agent.
pub fn availability(agent: &str, host: &Host) -> Option<Availability> {
    let findings = extract(agent, host)?;
    let sources: Vec<Source> = findings
        .credentials
        .into_iter()
        .map(|credential| Source {
            usable: credential.is_usable(host.now_ms),
            provider: credential.provider,
            kind: credential.kind,
            origin: credential.origin,
            expires_at_ms: credential.expires_at_ms,
        })
        .collect();
    let available = needs_none(agent) || sources.iter().any(|source| source.usable);
    Some(Availability { available, sources, problems: findings.problems })
}
