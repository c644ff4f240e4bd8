//! The stream of events, taken up again when it breaks.

use super::exchange::send;
use crate::endpoint::Endpoint;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use sa_acp::{EventSink, InputLine, LineBuffer, MAX_LINE};
use serde_json::json;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The events of all directories.
const PATH: &str = "/global/event";

/// The server says every ten seconds that it is there.
const SILENCE: Duration = Duration::from_secs(60);

/// Between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(250);

/// Passes events on forever.
pub(super) async fn follow(endpoint: Endpoint, sink: EventSink) {
    loop {
        let reason = match send(&endpoint, "GET", PATH, None).await {
            Ok(response) if response.status().is_success() => {
                if !sink.send_json(&json!({ "up": true })).await {
                    return;
                }
                read(response.into_body(), &sink).await
            }
            Ok(response) => format!("the server answers {}", response.status()),
            Err(error) => error.to_string(),
        };
        if !sink.send_json(&json!({ "down": reason })).await {
            return;
        }
        sleep(PAUSE).await;
    }
}

/// Passes events on until no more come, and says why.
async fn read(mut body: Incoming, sink: &EventSink) -> String {
    let mut lines = LineBuffer::new(MAX_LINE);
    loop {
        let frame = match timeout(SILENCE, body.frame()).await {
            Err(_) => return "nothing was heard of the server for a minute".to_owned(),
            Ok(None) => return "the server closed the stream of events".to_owned(),
            Ok(Some(Err(error))) => return error.to_string(),
            Ok(Some(Ok(frame))) => frame,
        };
        let Some(data) = frame.data_ref() else { continue };
        for line in cut(&mut lines, data) {
            let is_sent = match line {
                Ok(line) => sink.send_line(line).await,
                Err(length) => {
                    let reason = format!("an event of {length} bytes is too long");
                    sink.send_json(&json!({ "unparsed": reason })).await
                }
            };
            if !is_sent {
                return "nobody listens".to_owned();
            }
        }
    }
}

/// Cuts a stream of server-sent events, each of which is one line here, into lines for the agent. Returns the length of
/// an event that is too long instead.
fn cut(lines: &mut LineBuffer, data: &[u8]) -> Vec<Result<Vec<u8>, u64>> {
    lines.spare().extend_from_slice(data);
    let mut events = Vec::new();
    while let Some(line) = lines.take() {
        match line {
            InputLine::TooLong(length) => events.push(Err(length)),
            InputLine::Whole(line) => {
                let data = line.strip_prefix(b"data:");
                events.extend(data.map(|data| Ok([b"{\"event\":", data.trim_ascii(), b"}"].concat())));
            }
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_put_together_from_pieces() {
        let mut lines = LineBuffer::new(MAX_LINE);
        assert!(cut(&mut lines, b": comment\n\ndata: {\"a\"").is_empty());
        let events = cut(&mut lines, b":1}\r\n\r\nid: 3\ndata:{}\n");
        assert_eq!(events, [Ok(b"{\"event\":{\"a\":1}}".to_vec()), Ok(b"{\"event\":{}}".to_vec())]);
    }

    #[test]
    fn an_overlong_event_is_measured_and_the_next_is_whole() {
        let mut lines = LineBuffer::new(MAX_LINE);
        for _ in 0..3 {
            assert!(cut(&mut lines, &vec![b'x'; MAX_LINE / 2]).is_empty());
        }
        let events = cut(&mut lines, b"\ndata: 1\n");
        assert_eq!(events, [Err(MAX_LINE as u64 / 2 * 3), Ok(b"{\"event\":1}".to_vec())]);
    }
}
