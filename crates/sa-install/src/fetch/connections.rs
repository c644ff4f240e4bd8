//! The connections to hosts: encryption, time-outs, proxies.

use super::address::shown;
use super::answer::reason_of;
use super::client::ClientOptions;
use crate::error::SourceError;
use reqwest::{Certificate, redirect};
use std::sync::{Once, OnceLock};
use url::Url;

/// Set up when they are first needed: most starts of the daemon ask nobody.
#[derive(Debug, Default)]
pub(super) struct Connections {
    any: OnceLock<Result<reqwest::Client, String>>,
    loopback: OnceLock<Result<reqwest::Client, String>>,
}

impl Connections {
    /// Those to the host of this address.
    pub(super) fn to(&self, url: &Url, options: &ClientOptions) -> Result<&reqwest::Client, SourceError> {
        let direct = is_loopback(url);
        let cell = if direct { &self.loopback } else { &self.any };
        cell.get_or_init(|| set_up(options, direct))
            .as_ref()
            .map_err(|reason| SourceError::Unreachable { url: shown(url), reason: reason.clone() })
    }
}

fn set_up(options: &ClientOptions, direct: bool) -> Result<reqwest::Client, String> {
    install_tls_provider();
    let builder = reqwest::Client::builder()
        .user_agent(&options.user_agent)
        .connect_timeout(options.connect_timeout)
        .read_timeout(options.silence_timeout)
        // They are followed by the caller, who knows which headers may go along.
        .redirect(redirect::Policy::none())
        .tls_certs_merge(trusted_certificates());
    // A proxy has a loopback of its own.
    let builder = if direct { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| format!("cannot set up HTTPS: {}", reason_of(&error)))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Minimal images ship no certificates, and a client would refuse to be built there even for plain HTTP.
fn trusted_certificates() -> impl Iterator<Item = Certificate> {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().filter_map(|der| Certificate::from_der(der).ok())
}

fn install_tls_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Refused only when the program has installed another one, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
