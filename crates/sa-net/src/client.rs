//! Clients: encryption, proxies, and the reason why a call failed.

use reqwest::{Certificate, Client, ClientBuilder, Url, redirect};
use std::error::Error;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Once, OnceLock};

/// The value of `User-Agent` in every request.
pub const USER_AGENT: &str = concat!("sandbox-agent/", env!("CARGO_PKG_VERSION"));

/// Starts a client for the host of `url`.
///
/// Proxies come from the environment, except for loopback addresses, which mean another machine to a proxy. Redirects
/// are not followed, as one would carry credentials to any address.
pub fn client_for(url: &Url) -> ClientBuilder {
    let builder = builder().tls_certs_merge(public_roots());
    if is_loopback(url) { builder.no_proxy() } else { builder }
}

/// Two clients, each built when it is first needed.
#[derive(Debug, Default)]
pub struct Clients {
    /// Uses the proxies of the environment.
    proxied: OnceLock<Client>,
    /// For hosts on this machine, which no proxy reaches.
    direct: OnceLock<Client>,
}

impl Clients {
    /// Returns the client for the host of `url`; `configure` completes it if it is not built yet.
    pub fn get(
        &self,
        url: &Url,
        configure: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<&Client, reqwest::Error> {
        let cell = if is_loopback(url) { &self.direct } else { &self.proxied };
        if let Some(client) = cell.get() {
            return Ok(client);
        }
        let built = configure(client_for(url)).build()?;
        Ok(cell.get_or_init(|| built))
    }
}

/// Reads the certificates in a PEM file.
pub fn certificates_in(file: &Path) -> Result<Vec<Certificate>, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let found = Certificate::from_pem_bundle(&bytes).map_err(|error| reason(&error))?;
    // Their contents are not checked before a client is built.
    let trial = builder().tls_certs_only(found.clone()).build();
    trial.map(|_| found).map_err(|error| reason(&error))
}

/// Returns the innermost cause of a failed call. Addresses, which may hold secrets, are not part of it.
pub fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let mut cause = error.source();
    while let Some(inner) = cause.and_then(Error::source) {
        cause = Some(inner);
    }
    cause.map_or_else(|| "the request failed".to_owned(), ToString::to_string)
}

#[expect(clippy::disallowed_methods, reason = "this is where clients are set up")]
fn builder() -> ClientBuilder {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Refused only when the program has installed another one, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    Client::builder().user_agent(USER_AGENT).redirect(redirect::Policy::none())
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Minimal images ship no certificates, and no client can be built there without any, even for plain HTTP.
fn public_roots() -> impl Iterator<Item = Certificate> {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().filter_map(|der| Certificate::from_der(der).ok())
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
    fn host_names_are_ascii() {
        assert!(Url::parse("https://b\u{fc}cher.example/hook").is_err());
        let url = Url::parse("https://xn--bcher-kva.example/hook").unwrap();
        assert_eq!(url.host_str(), Some("xn--bcher-kva.example"));
    }

    #[test]
    fn certificates_are_read_from_a_bundle_and_checked() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert!(certificates_in(&file).is_err());
        std::fs::write(&file, [ROOT, ROOT].concat()).unwrap();
        assert_eq!(certificates_in(&file).unwrap().len(), 2);
        std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n").unwrap();
        assert!(certificates_in(&file).is_err());
    }

    #[test]
    fn only_hosts_of_this_machine_are_called_directly() {
        for (url, expected) in [
            ("http://localhost:1/x", true),
            ("http://127.8.9.1", true),
            ("https://[::1]:2468", true),
            ("http://10.0.0.1", false),
            ("https://localhost.example", false),
            ("http://[2001:db8::1]", false),
        ] {
            assert_eq!(is_loopback(&url.parse().unwrap()), expected, "{url}");
        }
    }
}
