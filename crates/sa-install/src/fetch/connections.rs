//! The connections to hosts: encryption, time-outs, proxies.

use super::address::shown;
use super::answer::reason_of;
use super::client::ClientOptions;
use crate::error::SourceError;
use reqwest::{Certificate, redirect};
use std::path::Path;
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
        .tls_certs_merge(trusted_certificates())
        .tls_certs_merge(options.certificates.as_deref().map(certificates_in).unwrap_or_default());
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

/// The certificates in a file. npm passes over a file that is not there; one that makes no sense is no reason to stop either, as
/// the connection that needs it will say so.
fn certificates_in(file: &Path) -> Vec<Certificate> {
    certificates(file).unwrap_or_else(|reason| {
        tracing::warn!(file = %file.display(), reason, "npm's cafile is passed over");
        Vec::new()
    })
}

fn certificates(file: &Path) -> Result<Vec<Certificate>, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let found = Certificate::from_pem_bundle(&bytes).map_err(|error| reason_of(&error))?;
    // What is in them is looked at only now.
    install_tls_provider();
    let trial = reqwest::Client::builder().tls_certs_only(found.clone()).build();
    trial.map(|_| found).map_err(|error| reason_of(&error))
}

fn install_tls_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Refused only when the program has installed another one, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A root of nobody's.
    const ROOT: &str = "-----BEGIN CERTIFICATE-----\n\
        MIIBjzCCATWgAwIBAgIUb2IlwmauZfpF31xk1dGPc0Rc7qcwCgYIKoZIzj0EAwIw\n\
        HDEaMBgGA1UEAwwRRXhhbXBsZSB0ZXN0IHJvb3QwIBcNMjYxMTE2MDQyNDMxWhgP\n\
        MjEyNjEwMjMwNDI0MzFaMBwxGjAYBgNVBAMMEUV4YW1wbGUgdGVzdCByb290MFkw\n\
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPSi3bIys6FAIOxnq6qSj0sZgsV4G6mn6\n\
        p9eS1YB1/FZrL3tiPVjlyVI8plRTwXF2+QBVNFO2/VZDkh2w0ltiTKNTMFEwHQYD\n\
        VR0OBBYEFDROEocEscEPOCiRpYbW4dDONlKQMB8GA1UdIwQYMBaAFDROEocEscEP\n\
        OCiRpYbW4dDONlKQMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIg\n\
        CLoBYVDBCTWAq/nXvKuv97iuZCnfNuspZn8xNP+3MQwCIQClXBx4QKysbHgeHDJT\n\
        PcpHd/6wENheqiXLw5a93Q6/9w==\n\
        -----END CERTIFICATE-----\n";

    #[test]
    fn certificates_are_read_from_a_bundle_and_nonsense_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert_eq!(certificates_in(&file).len(), 0);
        std::fs::write(&file, [ROOT, ROOT].concat()).unwrap();
        assert_eq!(certificates_in(&file).len(), 2);
        let options = ClientOptions { certificates: Some(file.clone()), ..ClientOptions::default() };
        assert!(set_up(&options, true).is_ok());
        std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n").unwrap();
        assert!(set_up(&options, true).is_ok());
    }
}
