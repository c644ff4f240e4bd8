//! Amp: its own key and no other provider's, since it calls only its own service.

use crate::search::{Search, sort};
use crate::{Credential, Kind, Origin};
use serde_json::Value;

const PROVIDER: &str = "amp";
const API_KEY: &str = "AMP_API_KEY";
const SERVICE: &str = "https://ampcode.com/";
/// The prefix of names in the file of secrets; the service's address follows.
const KEY_OF: &str = "apiKey@";

pub(super) fn search(search: &mut Search) {
    search.add_variable(PROVIDER, Kind::ApiKey, API_KEY);
    let path = search.host.home.join(".local/share/amp/secrets.json");
    let Some(document) = search.object(&path) else { return };
    let origin = Origin::File(path);
    // The address stands there exactly as it was given.
    let given = search.host.variable("AMP_URL");
    let name = format!("{KEY_OF}{}", given.unwrap_or(SERVICE));
    let has_keys = document.as_object().is_some_and(|all| all.keys().any(|key| key.starts_with(KEY_OF)));
    match document.get(&name) {
        Some(Value::String(secret)) if !secret.trim().is_empty() => {
            let credential = Credential::new(PROVIDER, Kind::ApiKey, origin);
            search.add(credential.with_secret(secret).handed_as(API_KEY));
        }
        Some(other) => search.problem(origin, format!("its key is {}, not a string", sort(other))),
        None if has_keys => {
            let service = if given.is_some() { "the address in AMP_URL" } else { SERVICE };
            search.problem(origin, format!("has keys, but none for {service}"));
        }
        None => {}
    }
}
