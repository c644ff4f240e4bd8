//! What of a session stays where it is when the session moves: credentials, and where its events are sent.

use crate::record::Record;
use sa_api::McpServerConfig;
use std::collections::BTreeMap;
use url::Url;

/// Takes out of a record what others must not see; names it.
pub(super) fn take_out(record: &mut Record) -> Vec<String> {
    let mut taken = Vec::new();
    if record.request.webhook.take().is_some() {
        taken.push("webhook".to_owned());
    }
    for (name, server) in &mut record.request.mcp {
        let (what, values) = match server {
            McpServerConfig::Local(local) => ("env", &mut local.env),
            McpServerConfig::Remote(remote) => ("headers", &mut remote.headers),
        };
        let values: BTreeMap<String, String> = values.take().unwrap_or_default();
        taken.extend(values.into_keys().map(|key| format!("mcp.{name}.{what}.{key}")));
        if let McpServerConfig::Remote(remote) = server {
            if remote.oauth.take().is_some() {
                taken.push(format!("mcp.{name}.oauth"));
            }
            if without_credentials(&mut remote.url) {
                taken.push(format!("mcp.{name}.url: the credentials in it"));
            }
        }
    }
    for (name, set) in &mut record.request.skills {
        for source in &mut set.sources {
            if without_credentials(&mut source.source) {
                taken.push(format!("skills.{name}: the credentials in a source"));
            }
        }
    }
    taken
}

/// Removes name and password from an address; whether there were any.
fn without_credentials(text: &mut String) -> bool {
    let Ok(mut url) = Url::parse(text) else { return false };
    if url.username().is_empty() && url.password().is_none() {
        return false;
    }
    // Addresses that cannot have these have none.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    *text = url.into();
    true
}
