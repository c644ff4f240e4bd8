//! Checks that an agent's model can be reached from here.

use crate::Finding;
use std::time::Duration;
use tokio::net::TcpStream;
use url::Url;

const CHECK: &str = "network";
const PATIENCE: Duration = Duration::from_secs(3);

/// Connects to the address and says whether somebody is there. A proxy is used by the agents, not by this; where one is
/// configured, reaching nobody says nothing.
pub(crate) async fn examine(address: &str, proxied: bool) -> Finding {
    let Some((host, port)) = Url::parse(address).ok().and_then(|url| {
        Some((url.host_str()?.trim_matches(['[', ']']).to_owned(), url.port_or_known_default()?))
    }) else {
        return Finding::wrong(
            CHECK,
            format!("'{address}' is not an address"),
            "correct the variable that names it",
        );
    };
    let reached = tokio::time::timeout(PATIENCE, TcpStream::connect((host.as_str(), port))).await;
    let reason = match reached {
        Ok(Ok(_)) => return Finding::fine(CHECK, format!("{host}:{port} can be reached")),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", PATIENCE.as_secs()),
    };
    let detail = format!("{host}:{port} cannot be reached: {reason}");
    if proxied {
        return Finding::note(CHECK, detail, "a proxy is configured; agents may reach it through that");
    }
    let advice = "allow it in the sandbox's network rules, set HTTPS_PROXY, or point the agent at a gateway";
    Finding::wrong(CHECK, detail, advice)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Verdict;

    #[tokio::test]
    async fn somebody_or_nobody_is_there() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        assert_eq!(examine(&address, false).await.verdict, Verdict::Fine);
        drop(listener);
        assert_eq!(examine(&address, false).await.verdict, Verdict::Wrong);
        assert_eq!(examine(&address, true).await.verdict, Verdict::Note);
        assert_eq!(examine("nonsense", false).await.verdict, Verdict::Wrong);
    }
}
