//! Whether an agent would find a credential, said without showing one.

use crate::agents::NEEDS_NONE;
use crate::{Host, Kind, Origin, Problem, extract};
use serde::Serialize;

/// Whether an agent has what it needs to call its model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Availability {
    /// Whether it can start working: a usable credential was found, or none is needed.
    pub available: bool,
    /// What was found, the agent's own preference first.
    pub sources: Vec<Source>,
    /// What stood in the way of others.
    pub problems: Vec<Problem>,
}

/// A credential without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Who accepts it.
    pub provider: String,
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub origin: Origin,
    /// When it stops being accepted, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<u64>,
    /// Whether the agent can use it: it has not expired, or can be renewed by the agent.
    pub usable: bool,
}

/// Returns whether the agent works without a credential.
pub fn needs_none(agent: &str) -> bool {
    agent == NEEDS_NONE
}

/// What this agent would find on the host; nothing when it is not known where that agent looks.
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
