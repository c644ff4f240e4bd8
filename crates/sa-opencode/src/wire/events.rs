//! The stream of events, taken up again when it breaks.

use super::exchange::send;
use super::tell;
use crate::endpoint::Endpoint;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use sa_acp::{Agent, MAX_LINE};
use serde_json::json;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The events of all directories.
const PATH: &str = "/global/event";

/// The server says every ten seconds that it is there.
const SILENCE: Duration = Duration::from_secs(60);

/// Between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(250);

/// Passes events on for ever.
pub(super) async fn follow(endpoint: Endpoint, agent: Agent) {
    loop {
        let reason = match send(&endpoint, "GET", PATH, None).await {
            Ok(response) if response.status().is_success() => {
                if !tell(&agent, &json!({ "up": true })).await {
                    return;
                }
                read(response.into_body(), &agent).await
            }
            Ok(response) => format!("the server answers {}", response.status()),
            Err(error) => error.to_string(),
        };
        if !tell(&agent, &json!({ "down": reason })).await {
            return;
        }
        sleep(PAUSE).await;
    }
}

/// Passes events on until no more come, and says why.
async fn read(mut body: Incoming, agent: &Agent) -> String {
    let mut lines = Lines::default();
    loop {
        let frame = match timeout(SILENCE, body.frame()).await {
            Err(_) => return "nothing was heard of the server for a minute".to_owned(),
            Ok(None) => return "the server closed the stream of events".to_owned(),
            Ok(Some(Err(error))) => return error.to_string(),
            Ok(Some(Ok(frame))) => frame,
        };
        let Some(data) = frame.data_ref() else { continue };
        for line in lines.cut(data) {
            let told = match line {
                Ok(line) => agent.hear(line).await,
                Err(length) => {
                    let reason = format!("an event of {length} bytes is too long");
                    tell(agent, &json!({ "unparsed": reason })).await
                }
            };
            if !told {
                return "nobody listens".to_owned();
            }
        }
    }
}

/// Cuts a stream of server-sent events, of which each is one line here, into lines for the agent.
#[derive(Debug, Default)]
struct Lines {
    rest: Vec<u8>,
    /// Bytes of an overlong line that were thrown away.
    skipped: usize,
}

impl Lines {
    /// The events that are whole now; for one that was too long its length.
    fn cut(&mut self, data: &[u8]) -> Vec<Result<Vec<u8>, usize>> {
        let mut events = Vec::new();
        for piece in data.split_inclusive(|byte| *byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                Some(end) => {
                    self.rest.extend_from_slice(end);
                    let length = std::mem::take(&mut self.skipped) + self.rest.len();
                    if length > MAX_LINE {
                        events.push(Err(length));
                    } else if let Some(data) = self.rest.strip_prefix(b"data:") {
                        events.push(Ok([b"{\"event\":", data.trim_ascii(), b"}"].concat()));
                    }
                    self.rest.clear();
                }
                None => self.rest.extend_from_slice(piece),
            }
            if self.rest.len() > MAX_LINE {
                self.skipped += self.rest.len();
                self.rest.clear();
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_put_together_from_pieces() {
        let mut lines = Lines::default();
        assert!(lines.cut(b": comment\n\ndata: {\"a\"").is_empty());
        let events = lines.cut(b":1}\r\n\r\nid: 3\ndata:{}\n");
        assert_eq!(events, [Ok(b"{\"event\":{\"a\":1}}".to_vec()), Ok(b"{\"event\":{}}".to_vec())]);
    }

    #[test]
    fn an_overlong_event_is_measured_and_the_next_is_whole() {
        let mut lines = Lines::default();
        for _ in 0..3 {
            assert!(lines.cut(&vec![b'x'; MAX_LINE / 2]).is_empty());
        }
        let events = lines.cut(b"\ndata: 1\n");
        assert_eq!(events, [Err(MAX_LINE / 2 * 3), Ok(b"{\"event\":1}".to_vec())]);
    }
}
