//! The address at which a server listens, and its password.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use std::fmt;
use std::net::{Ipv4Addr, TcpListener};

/// The user that the server knows by itself.
const USER: &str = "opencode";

/// Bytes of a password.
const SECRET: usize = 24;

/// A port of the loopback interface and the password of the server behind it.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub port: u16,
    pub password: String,
}

impl Endpoint {
    /// Returns the header that every request carries.
    pub(crate) fn authorization(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{USER}:{}", self.password)))
    }
}

/// The password is a secret.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("port", &self.port).finish_non_exhaustive()
    }
}

/// A source of endpoints.
pub trait Endpoints: fmt::Debug + Send {
    /// Returns an endpoint that nobody else has.
    fn next(&mut self) -> Endpoint;
}

/// Free ports of this machine. The server itself would take a port that everybody knows.
#[derive(Debug)]
pub(super) struct LocalEndpoints;

impl Endpoints for LocalEndpoints {
    fn next(&mut self) -> Endpoint {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        // Without one the server says itself what is wrong.
        let port = listener.and_then(|listener| listener.local_addr()).map_or(0, |address| address.port());
        let mut secret = [0; SECRET];
        if let Err(error) = getrandom::fill(&mut secret) {
            // A password that could be guessed would be worse than a server that cannot be reached.
            tracing::error!(%error, "there are no random numbers");
            return Endpoint { port: 0, password: String::new() };
        }
        Endpoint { port, password: URL_SAFE_NO_PAD.encode(secret) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_differ_and_do_not_show_their_secret() {
        let (one, two) = (LocalEndpoints.next(), LocalEndpoints.next());
        assert_ne!(one.password, two.password);
        assert!(one.password.len() >= 32 && one.port != 0);
        assert!(!format!("{one:?}").contains(&one.password));
        let endpoint = Endpoint { port: 1, password: "pw".to_owned() };
        assert_eq!(endpoint.authorization(), "Basic b3BlbmNvZGU6cHc=");
    }
}
