//! The parts of a session that stay where it is when it moves: everything that may hold a credential, and where its events are
//! sent.

use crate::record::Record;
use sa_api::{McpLocalServer, McpRemoteServer, McpServerConfig};
use std::collections::BTreeMap;
use url::Url;

/// Segments of a path that are as long as this, and have a digit, are taken for keys.
const KEY_LENGTH: usize = 16;

/// Stands for a segment that was taken out.
const HIDDEN: &str = "omitted";

/// Takes out of a record what others must not see. Returns the name of each thing that was taken.
pub(super) fn take_out(record: &mut Record) -> Vec<String> {
    let mut taken = Vec::new();
    if record.request.webhook.take().is_some() {
        taken.push("webhook".to_owned());
    }
    for (name, server) in &mut record.request.mcp {
        let lost = match server {
            McpServerConfig::Local(local) => of_local(local),
            McpServerConfig::Remote(remote) => of_remote(remote),
        };
        taken.extend(lost.into_iter().map(|what| format!("mcp.{name}.{what}")));
    }
    for (name, set) in &mut record.request.skills {
        for (number, source) in set.sources.iter_mut().enumerate() {
            let mut lost = names("", std::mem::take(&mut source.other));
            // A directory, or `owner/name`, is no address.
            if source.kind == "git" || source.source.contains("://") {
                lost.extend(
                    of_address(&mut source.source, Path::Kept)
                        .into_iter()
                        .map(|what| format!("source: {what}")),
                );
            }
            taken.extend(lost.into_iter().map(|what| format!("skills.{name}.sources[{number}].{what}")));
        }
        let lost = names("", std::mem::take(&mut set.other));
        taken.extend(lost.into_iter().map(|what| format!("skills.{name}.{what}")));
    }
    taken
}

fn of_local(server: &mut McpLocalServer) -> Vec<String> {
    let mut lost = names("env.", server.env.take().unwrap_or_default());
    lost.extend(names("", std::mem::take(&mut server.other)));
    if !std::mem::take(&mut server.args).is_empty() {
        lost.push("args".to_owned());
        // Without its arguments a program may do anything.
        server.enabled = Some(false);
    }
    lost
}

fn of_remote(server: &mut McpRemoteServer) -> Vec<String> {
    let mut lost = names("headers.", server.headers.take().unwrap_or_default());
    lost.extend(names("", std::mem::take(&mut server.other)));
    if server.oauth.take().is_some() {
        lost.push("oauth".to_owned());
    }
    let of_url = of_address(&mut server.url, Path::Searched);
    if !of_url.is_empty() {
        // Without the removed part the address is another one.
        server.enabled = Some(false);
    }
    lost.extend(of_url.into_iter().map(|what| format!("url: {what}")));
    lost
}

fn names<V>(prefix: &str, values: BTreeMap<String, V>) -> Vec<String> {
    values.into_keys().map(|key| format!("{prefix}{key}")).collect()
}

/// The treatment of an address's path, which may hold a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    Kept,
    Searched,
}

/// Removes from an address what may be a credential. Returns what was removed.
fn of_address(text: &mut String, path: Path) -> Vec<&'static str> {
    let Ok(mut url) = Url::parse(text) else { return of_odd_address(text) };
    let mut lost = Vec::new();
    // A login of `ssh` is no secret, and `git` needs it.
    let is_login = url.scheme() == "ssh" && url.password().is_none();
    if !is_login && (!url.username().is_empty() || url.password().is_some()) {
        // Addresses that cannot have these have none.
        let _ = url.set_password(None);
        let _ = url.set_username("");
        lost.push("the user and password in it");
    }
    if url.query().is_some() {
        url.set_query(None);
        lost.push("its query");
    }
    if url.fragment().is_some() {
        url.set_fragment(None);
        lost.push("its fragment");
    }
    if path == Path::Searched && url.path().split('/').any(is_key) {
        let kept: Vec<&str> =
            url.path().split('/').map(|part| if is_key(part) { HIDDEN } else { part }).collect();
        let kept = kept.join("/");
        url.set_path(&kept);
        lost.push("keys in its path");
    }
    if !lost.is_empty() {
        *text = url.into();
    }
    lost
}

/// The same for an address that only `git` reads, such as `me@host:path`.
fn of_odd_address(text: &mut String) -> Vec<&'static str> {
    let mut lost = Vec::new();
    if let Some(at) = text.find(['?', '#']) {
        text.truncate(at);
        lost.push("its query");
    }
    let host = text.find('/').unwrap_or(text.len());
    if let Some(at) = text.get(..host).and_then(|host| host.rfind('@'))
        && text.get(..at).is_some_and(|user| user.contains(':'))
    {
        text.drain(..=at);
        lost.push("the user and password in it");
    }
    lost
}

fn is_key(segment: &str) -> bool {
    segment.len() >= KEY_LENGTH && segment.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use sa_api::sessions::CreateSession;
    use serde_json::{Value, json};

    /// A record with that many places for a secret, each with a secret of its own.
    fn record(secrets: &[String; 16]) -> Record {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = secrets;
        let request = json!({
            "agent": "demo",
            "webhook": {"url": format!("https://hooks.test/{a}/x"), "secret": b},
            "mcp": {
                "one": {"type": "local", "command": "npx", "args": ["--api-key", c, format!("--key={d}")],
                        "env": {"KEY": e}, "apiKey": f},
                "two": {"type": "remote", "url": format!("https://me:{g}@mcp.test/v1/{h}/mcp?api_key={i}#{j}"),
                        "headers": {"X-Key": k}, "oauth": {"clientSecret": l}, "extra": {"deep": [m]}},
            },
            "skills": {"set": {"sources": [
                {"type": "git", "source": format!("https://{n}@git.test/org/repository?token={o}"), "token": p},
            ]}},
        });
        let request: CreateSession = serde_json::from_value(request).unwrap();
        Record::new(request, "/".to_owned(), 0)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_secret_is_left_and_each_is_named(
            words in prop::collection::vec("[a-zA-Z][a-zA-Z0-9_-]{18,40}[0-9]", 16)
        ) {
            let words: [String; 16] = words.try_into().unwrap();
            let mut record = record(&words);
            let taken = take_out(&mut record);
            let text = String::from_utf8(record.to_bytes().to_vec()).unwrap();
            for word in &words {
                prop_assert!(!text.contains(word.as_str()), "{word} is in {text}");
                prop_assert!(!taken.iter().any(|name| name.contains(word.as_str())), "{taken:?}");
            }
            prop_assert_eq!(taken.len(), 14, "{:?}", taken);
        }
    }

    #[test]
    fn what_is_no_secret_comes_along() {
        let request: CreateSession = serde_json::from_value(json!({
            "agent": "demo",
            "mcp": {
                "one": {"type": "local", "command": "server", "cwd": "/srv"},
                "two": {"type": "remote", "url": "https://mcp.test/v1/mcp", "bearerTokenEnvVar": "TOKEN"},
            },
            "skills": {"set": {"sources": [
                {"type": "github", "source": "org/a-repository-of-2026", "ref": "v1.2.3"},
                {"type": "git", "source": "git@host.test:org/repository.git"},
                {"type": "git", "source": "ssh://git@host.test/org/repository.git"},
                {"type": "local", "source": "/a/directory?of=mine"},
            ]}},
        }))
        .unwrap();
        let mut record = Record::new(request, "/".to_owned(), 0);
        let before: Value = serde_json::from_slice(&record.to_bytes()).unwrap();
        assert_eq!(take_out(&mut record), [""; 0]);
        assert_eq!(serde_json::from_slice::<Value>(&record.to_bytes()).unwrap(), before);
    }

    #[test]
    fn a_server_that_lost_what_it_needs_is_not_started() {
        let mut record = record(&std::array::from_fn(|n| format!("a-long-secret-word-{n}")));
        take_out(&mut record);
        let enabled = record.request.mcp.values().map(|server| match server {
            McpServerConfig::Local(local) => local.enabled,
            McpServerConfig::Remote(remote) => remote.enabled,
        });
        assert!(enabled.eq([Some(false), Some(false)]));
    }
}
