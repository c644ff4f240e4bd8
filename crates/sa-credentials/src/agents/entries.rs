//! A document with one entry for each provider, each an API key, a login or a token: what OpenCode keeps, and pi after it.

use crate::search::{Search, Unit, sort};
use crate::{Credential, Kind, Origin, Secret, Variable};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Providers and the variables that the agent takes their keys from, the preferred one first.
pub(super) type Variables = [(&'static str, &'static [&'static str])];

/// Notes every entry. One that says more than a key does is handed on as it is, in `whole`, where the agent has such a
/// variable.
pub(super) fn add(
    search: &mut Search,
    document: &Value,
    origin: &Origin,
    variables: &Variables,
    whole: Option<&'static str>,
) {
    let Value::Object(entries) = document else {
        return search.problem(origin.clone(), format!("is {}, not an object", sort(document)));
    };
    // The agent has no preference among them; the order must not depend on how the file was written.
    let sorted: BTreeMap<&String, &Value> = entries.iter().collect();
    for (provider, entry) in sorted {
        let Some(mut credential) = credential(search, provider, entry, origin) else { continue };
        if let Some(name) = plain_variable(&credential, entry, variables) {
            credential = credential.handed_as(name);
        } else if let (Some(name), true) = (whole, credential.secret.is_some()) {
            let value = Secret::new(json!({ provider: entry }).to_string());
            credential.variables.push(Variable { name, value });
        }
        search.add(credential);
    }
}

/// Notes the keys that are in the environment.
pub(super) fn add_variables(search: &mut Search, variables: &Variables) {
    for &(provider, names) in variables {
        for &name in names {
            search.add_variable(provider, Kind::ApiKey, name);
        }
    }
}

fn credential(search: &mut Search, provider: &str, entry: &Value, origin: &Origin) -> Option<Credential> {
    let (kind, pointer) = match entry.get("type").and_then(Value::as_str) {
        Some("api" | "api_key") => (Kind::ApiKey, "/key"),
        Some("oauth") => (Kind::OAuth, "/access"),
        Some("wellknown") => (Kind::AuthToken, "/token"),
        _ => {
            let reason = format!("the entry of '{provider}' is of no known type");
            search.problem(origin.clone(), reason);
            return None;
        }
    };
    let Some(secret) = search.text(entry, pointer, origin) else {
        let reason = format!("the entry of '{provider}' has no {}", pointer.trim_start_matches('/'));
        search.problem(origin.clone(), reason);
        return None;
    };
    // pi runs what follows the mark.
    if kind == Kind::ApiKey && secret.starts_with('!') {
        return Some(Credential::new(provider, Kind::Helper, origin.clone()));
    }
    let mut credential = Credential::new(provider, kind, origin.clone()).with_secret(secret);
    if kind == Kind::OAuth {
        credential.expires_at_ms = search.moment(entry, ("/expires", Unit::Milliseconds), origin);
        credential.renewable = search.text(entry, "/refresh", origin).is_some();
        credential.account = search.text(entry, "/accountId", origin);
    }
    Some(credential)
}

/// Returns the provider's own variable, which says as much as the entry when that holds nothing but a key.
fn plain_variable(credential: &Credential, entry: &Value, variables: &Variables) -> Option<&'static str> {
    let is_plain = credential.kind == Kind::ApiKey && entry.as_object().is_some_and(|entry| entry.len() == 2);
    let (_, names) = variables.iter().find(|(id, _)| is_plain && *id == credential.provider)?;
    names.first().copied()
}
