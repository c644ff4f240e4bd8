//! The wire to the server: requests out, answers and events in, each as a line of JSON. Knows HTTP, and nothing of what it
//! carries.
//!
//! ```text
//!  out  {"id":7,"method":"POST","path":"/session","body":{…}}
//!  in   {"id":7,"status":200,"body":{…}}    {"id":7,"broken":"why"}
//!  in   {"up":true}    {"down":"why"}    {"event":{…}}    {"stdout":"a line that the process printed"}
//! ```

mod events;
mod exchange;

use super::endpoint::Endpoint;
use sa_acp::{Wire, WireChannels};
use serde_json::json;
use tokio::task::JoinSet;

/// The line that the server prints once it listens.
const LISTENING: &str = "listening on http://";

/// A wire to the server behind an endpoint.
pub(super) fn connect(endpoint: Endpoint) -> Wire {
    Box::new(move |channels| Box::pin(carry(endpoint, channels)))
}

/// Carries until the server closes its standard output. All that is under way ends with it.
async fn carry(endpoint: Endpoint, channels: WireChannels) {
    let WireChannels { mut printed, mut lines, sink } = channels;
    let mut under_way = JoinSet::new();
    let (mut is_listening, mut is_open) = (false, true);
    loop {
        tokio::select! {
            line = printed.recv() => match line {
                Some(line) if !is_listening && is_ready(&line) => {
                    is_listening = true;
                    under_way.spawn(events::follow(endpoint.clone(), sink.clone()));
                }
                Some(line) => {
                    if !sink.send_json(&json!({ "stdout": String::from_utf8_lossy(&line) })).await {
                        return;
                    }
                }
                None => return,
            },
            // Requests wait until it listens.
            line = lines.recv(), if is_listening && is_open => match line {
                Some(line) => {
                    under_way.spawn(exchange::exchange(endpoint.clone(), line, sink.clone()));
                }
                None => is_open = false,
            },
            _ = under_way.join_next(), if !under_way.is_empty() => {}
        }
    }
}

fn is_ready(line: &[u8]) -> bool {
    String::from_utf8_lossy(line).contains(LISTENING)
}
