//! Credentials for registries. The settings belong to addresses: `//host/path/:_authToken=…` applies to everything at
//! or beneath that address.

use super::NpmConfig;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use url::{Position, Url};

impl NpmConfig {
    /// Returns the headers for this address of a registry. Settings for a longer path override those for a shorter
    /// one.
    pub(crate) fn headers(&self, url: &Url) -> HeaderMap {
        let mut addresses = std::iter::successors(address_key(url), |address| shorter(address));
        let value = addresses.find_map(|address| self.authorization(&address));
        value.map(|value| (AUTHORIZATION, value)).into_iter().collect()
    }

    fn authorization(&self, address: &str) -> Option<HeaderValue> {
        let setting = |name: &str| self.setting(&format!("{address}:{name}"));
        let text = if let Some(token) = setting("_authToken") {
            format!("Bearer {token}")
        } else if let Some(encoded) = setting("_auth") {
            format!("Basic {encoded}")
        } else {
            let password = STANDARD.decode(setting("_password")?).ok()?;
            let password = String::from_utf8(password).ok()?;
            basic(setting("username")?, &password)
        };
        secret(&text)
    }
}

/// Takes user and password out of an address, as the header that says the same.
pub(super) fn from_address(url: &mut Url) -> Option<String> {
    let password = url.password().map(str::to_owned)?;
    let credentials = basic(&unescaped(url.username()), &unescaped(&password));
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    credentials.strip_prefix("Basic ").map(str::to_owned)
}

/// Returns an address as npm writes it in keys: without scheme, user, query and fragment.
pub(super) fn address_key(url: &Url) -> Option<String> {
    url.has_host().then(|| format!("//{}", &url[Position::BeforeHost..Position::AfterPath]))
}

/// Returns the address without its last slash, or without what stands behind it; none once nothing but the slashes is
/// left.
fn shorter(address: &str) -> Option<String> {
    let shorter = match address.strip_suffix('/') {
        Some(shorter) => shorter.to_owned(),
        None => format!("{}/", address.rsplit_once('/')?.0),
    };
    Some(shorter).filter(|shorter| shorter.contains(|letter| letter != '/'))
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

fn secret(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Percent-escapes decoded, as far as they are text.
fn unescaped(text: &str) -> String {
    url::form_urlencoded::parse(text.replace('+', "%2B").as_bytes())
        .map(|(key, value)| if value.is_empty() { key.into_owned() } else { format!("{key}={value}") })
        .collect()
}
