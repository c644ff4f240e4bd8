//! The daemon's first words on standard output once it listens: a line for programs, then a few for people.

use crate::settings::Access;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The variable that clients read the token from.
pub(crate) const TOKEN_VARIABLE: &str = "SANDBOX_AGENT_TOKEN";

/// Prints where the daemon listens and how to call it. The first line is `listening on <URL>`; programs wait for it.
/// `exported` is the value of the token's variable in the daemon's environment.
pub(crate) fn announce(
    mut out: impl Write,
    address: SocketAddr,
    access: &Access,
    exported: Option<&str>,
) -> io::Result<()> {
    writeln!(out, "listening on http://{address}")?;
    out.flush()?;
    writeln!(out)?;
    let reachable = reachable(address);
    let (fragment, header) = match access {
        Access::Generated(token) => {
            writeln!(out, "  token  {token}  (for this run only; set {TOKEN_VARIABLE} to choose one)")?;
            (format!("#token={token}"), format!("-H 'Authorization: Bearer {token}' "))
        }
        Access::Given(token) => {
            // A token that was given is not printed: output ends up in logs.
            if exported != Some(token) {
                writeln!(out, "  token  the one you gave; first run: export {TOKEN_VARIABLE}=<token>")?;
            }
            (String::new(), format!("-H \"Authorization: Bearer ${TOKEN_VARIABLE}\" "))
        }
        Access::Open => (String::new(), String::new()),
    };
    writeln!(out, "  open   http://{reachable}/ui/{fragment}")?;
    writeln!(out, "  try    curl {header}http://{reachable}/v1/agents\n")?;
    out.flush()
}

/// An address to connect to, for one to listen on.
pub(crate) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn said(address: &str, access: &Access) -> String {
        said_with(address, access, None)
    }

    fn said_with(address: &str, access: &Access, exported: Option<&str>) -> String {
        let mut out = Vec::new();
        announce(&mut out, address.parse().unwrap(), access, exported).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_generated_token_is_shown() {
        let expected = "\
listening on http://127.0.0.1:2468

  token  abc  (for this run only; set SANDBOX_AGENT_TOKEN to choose one)
  open   http://127.0.0.1:2468/ui/#token=abc
  try    curl -H 'Authorization: Bearer abc' http://127.0.0.1:2468/v1/agents

";
        assert_eq!(said("127.0.0.1:2468", &Access::Generated("abc".to_owned())), expected);
    }

    #[test]
    fn a_given_token_is_not() {
        let expected = "\
listening on http://0.0.0.0:80

  open   http://127.0.0.1:80/ui/
  try    curl -H \"Authorization: Bearer $SANDBOX_AGENT_TOKEN\" http://127.0.0.1:80/v1/agents

";
        let access = Access::Given("s3cret".to_owned());
        assert_eq!(said_with("0.0.0.0:80", &access, Some("s3cret")), expected);
        for exported in [None, Some("another")] {
            let said = said_with("0.0.0.0:80", &access, exported);
            assert!(said.contains(
                "\n  token  the one you gave; first run: export SANDBOX_AGENT_TOKEN=<token>\n  open "
            ));
            assert!(!said.contains("s3cret"), "{said}");
        }
    }

    #[test]
    fn without_a_token_none_is_sent() {
        let expected = "listening on http://[::]:2468\n\n  open   http://[::1]:2468/ui/\n  try    curl http://[::1]:2468/v1/agents\n\n";
        assert_eq!(said("[::]:2468", &Access::Open), expected);
    }
}
