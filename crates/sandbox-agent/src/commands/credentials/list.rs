//! Credentials as a table and as JSON.

use super::Found;
use crate::commands::render::{NONE, Table, age, or_none};
use sa_credentials::{Credential, Kind, Origin, Problem, Secret, Validity};
use serde::Serialize;

/// Secrets in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrets {
    Hidden,
    Revealed,
}

impl Secrets {
    /// Returns what `--reveal` selects.
    pub(super) fn of_flag(reveal: bool) -> Self {
        if reveal { Self::Revealed } else { Self::Hidden }
    }
}

/// Everything that was found.
pub(super) struct List<'a> {
    pub(super) entries: Vec<Entry>,
    pub(super) found: &'a [Found],
}

/// A credential that an agent would find.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) agent: String,
    pub(super) credential: Credential,
    pub(super) validity: Option<Validity>,
}

impl Entry {
    /// Returns whether both are checked by the same request to the provider.
    pub(super) fn asks_the_same(&self, other: &Self) -> bool {
        let question = |credential: &Credential| {
            let Credential { provider, kind, secret, base_url, .. } = credential.clone();
            (provider, kind, secret, base_url)
        };
        question(&self.credential) == question(&other.credential)
    }
}

impl<'a> List<'a> {
    pub(super) fn of(found: &'a [Found]) -> Self {
        let entries = found.iter().flat_map(|Found { agent, findings }| {
            let credentials = findings.credentials.iter().cloned();
            credentials.map(|credential| Entry { agent: agent.clone(), credential, validity: None })
        });
        Self { entries: entries.collect(), found }
    }

    pub(super) fn as_table(&self, secrets: Secrets, now_ms: u64) -> Table {
        let mut headings = vec!["AGENT", "PROVIDER", "KIND", "ORIGIN", "EXPIRES", "SECRET"];
        if self.entries.iter().any(|entry| entry.validity.is_some()) {
            headings.push("VALID");
        }
        let mut table = Table::new(&headings);
        for Entry { agent, credential, validity } in &self.entries {
            let secret = or_none(credential.secret.as_ref().map(|it| shown(it, secrets)));
            let (kind, origin) = (credential.kind.to_string(), credential.origin.to_string());
            let (expires, said) = (expiry(credential, now_ms), validity.as_ref().map(judgement));
            let mut cells = vec![agent.as_str(), &credential.provider, &kind, &origin, &expires, &secret];
            cells.extend(said.as_deref());
            table.add(&cells);
        }
        table
    }

    pub(super) fn as_json(&self, secrets: Secrets, now_ms: u64) -> Json<'_> {
        let credentials =
            self.entries.iter().map(|entry| JsonCredential::of(entry, secrets, now_ms)).collect();
        let problems = self.found.iter().flat_map(|Found { agent, findings }| {
            findings.problems.iter().map(move |problem| JsonProblem { agent, problem })
        });
        Json { credentials, problems: problems.collect() }
    }
}

fn shown(secret: &Secret, secrets: Secrets) -> String {
    match secrets {
        Secrets::Revealed => secret.expose().to_owned(),
        Secrets::Hidden => secret.to_string(),
    }
}

fn expiry(credential: &Credential, now_ms: u64) -> String {
    let renewal = if credential.renewable { ", renews itself" } else { "" };
    match credential.expires_at_ms {
        None => NONE.to_owned(),
        Some(at) if at <= now_ms => format!("{} ago{renewal}", age(now_ms - at)),
        Some(at) => format!("in {}{renewal}", age(at - now_ms)),
    }
}

fn judgement(validity: &Validity) -> String {
    match validity {
        Validity::Valid => "valid".to_owned(),
        Validity::Invalid { reason, .. } => format!("invalid ({reason})"),
        Validity::Unknown { reason } => format!("unknown ({reason})"),
    }
}

/// Output of `--json`.
#[derive(Serialize)]
pub(super) struct Json<'a> {
    credentials: Vec<JsonCredential<'a>>,
    problems: Vec<JsonProblem<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonCredential<'a> {
    agent: &'a str,
    provider: &'a str,
    kind: Kind,
    origin: &'a Origin,
    secret: Option<String>,
    variables: Vec<&'static str>,
    expires_at_ms: Option<u64>,
    expired: bool,
    renewable: bool,
    account: Option<&'a str>,
    subscription: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    validity: Option<&'a Validity>,
}

impl<'a> JsonCredential<'a> {
    fn of(entry: &'a Entry, secrets: Secrets, now_ms: u64) -> Self {
        let credential = &entry.credential;
        Self {
            agent: &entry.agent,
            provider: &credential.provider,
            kind: credential.kind,
            origin: &credential.origin,
            secret: credential.secret.as_ref().map(|secret| shown(secret, secrets)),
            variables: credential.variables.iter().map(|variable| variable.name).collect(),
            expires_at_ms: credential.expires_at_ms,
            expired: credential.is_expired(now_ms),
            renewable: credential.renewable,
            account: credential.account.as_deref(),
            subscription: credential.subscription.as_deref(),
            validity: entry.validity.as_ref(),
        }
    }
}

#[derive(Serialize)]
struct JsonProblem<'a> {
    agent: &'a str,
    #[serde(flatten)]
    problem: &'a Problem,
}
