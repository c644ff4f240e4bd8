//! Credentials in the address of a repository, kept out of the arguments of `git` and of what it starts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;

/// A user and perhaps a password, for one host.
pub(crate) struct Credentials {
    /// Scheme, host and port.
    site: String,
    user: Vec<u8>,
    password: Option<Vec<u8>>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Credentials").field("site", &self.site).finish_non_exhaustive()
    }
}

impl Credentials {
    /// Returns the setting of `git` that uses them at their host only, and its value.
    pub(crate) fn setting(&self) -> (String, String) {
        let Self { site, user, password } = self;
        match password {
            Some(password) => {
                let both = STANDARD.encode([&user[..], b":", password].concat());
                (format!("http.{site}/.extraHeader"), format!("Authorization: Basic {both}"))
            }
            // The password may come from a credential helper.
            None => (format!("credential.{site}.username"), String::from_utf8_lossy(user).into_owned()),
        }
    }
}

/// Splits an address into one without credentials, and these. A password for `ssh`, which takes none, is left out.
pub(crate) fn split_credentials(address: &str) -> (String, Option<Credentials>) {
    let whole = || (address.to_owned(), None);
    let Some((scheme, rest)) = address.split_once("://") else { return whole() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let Some((user, host)) = authority.rsplit_once('@') else { return whole() };
    let (user, password) =
        user.split_once(':').map_or((user, None), |(user, password)| (user, Some(password)));
    let decoded = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
    match scheme {
        "http" | "https" => {
            let (site, password) = (format!("{scheme}://{host}"), password.map(decoded));
            let credentials = Credentials { site, user: decoded(user), password };
            (format!("{scheme}://{host}{path}"), Some(credentials))
        }
        _ if password.is_some() => (format!("{scheme}://{user}@{host}{path}"), None),
        _ => whole(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_taken_out_of_addresses() {
        for (address, clean, setting) in [
            (
                "https://me:s3%3Acret@host:8080/x?y",
                "https://host:8080/x?y",
                Some(("http.https://host:8080/.extraHeader", "Authorization: Basic bWU6czM6Y3JldA==")),
            ),
            ("http://token@host/x@y", "http://host/x@y", Some(("credential.http://host.username", "token"))),
            ("https://host/a@b", "https://host/a@b", None),
            ("ssh://git:pw@host/x", "ssh://git@host/x", None),
            ("ssh://git@host/x", "ssh://git@host/x", None),
            ("git@host:x", "git@host:x", None),
            ("/srv/x@y", "/srv/x@y", None),
        ] {
            let (given, credentials) = split_credentials(address);
            assert_eq!(given, clean);
            let expected = setting.map(|(name, value)| (name.to_owned(), value.to_owned()));
            assert_eq!(credentials.map(|credentials| credentials.setting()), expected, "{address}");
        }
    }
}
