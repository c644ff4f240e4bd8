//! One message through the relay: split, read, framed, appended to the log.

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use sa_journal::Ring;
use sa_jsonrpc::Message;
use sa_relay::{Caller, Outgoing, Output, Presence, Relay, RelayOptions, Segment};
use std::sync::Arc;

/// The size of one read from a busy agent.
const READ_BYTES: usize = 64 * 1024;
/// Small enough that buffers leave the log and are reused, as in a long-running server.
const LOG_BYTES: usize = 256 * 1024;

struct Server {
    relay: Relay,
    ring: Ring<Arc<Segment>>,
    messages: usize,
}

impl Server {
    fn new() -> Self {
        let options = RelayOptions {
            line_bytes: 64 << 20,
            unparsed_bytes: 64 << 10,
            pending_requests: 1024,
            asked_bytes: 64 << 20,
        };
        Self { relay: Relay::new(&options), ring: Ring::new(LOG_BYTES), messages: 0 }
    }

    fn read(&mut self, data: &[u8]) -> Vec<sa_relay::Delivery> {
        let Output { segment, deliveries, messages } = self.relay.agent_data(data, &present());
        self.messages += messages;
        if let Some(segment) = segment {
            self.ring.append(Arc::new(segment));
        }
        deliveries
    }
}

fn present() -> Presence<'static> {
    Presence { has_post: &|_| true, has_socket: &|_| true, streams: 1 }
}

/// Forwards notifications of `bytes` bytes, many in each read.
pub(crate) fn notifications(count: usize, bytes: usize) -> Result<()> {
    let head = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""#;
    let tail = "\"}}}}\n";
    let text = "x".repeat(bytes.saturating_sub(head.len() + tail.len()));
    let output = format!("{head}{text}{tail}").repeat(count);
    let mut server = Server::new();
    for read in output.as_bytes().chunks(READ_BYTES) {
        server.read(read);
    }
    ensure!(server.messages == count, "{} of {count} messages were relayed", server.messages);
    Ok(())
}

/// Forwards requests, one at a time, and their responses.
pub(crate) fn requests(count: usize) -> Result<()> {
    let mut server = Server::new();
    for number in 0..count as u64 {
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"echo","params":{{"text":"hello"}}}}"#);
        let message = Message::read(Bytes::from(request)).context("not a message")?;
        let outgoing = server
            .relay
            .client_message(&message, Caller::Post(number), &present())
            .map_err(|refused| anyhow::anyhow!("{refused:?}"))?;
        ensure!(outgoing == Outgoing::Verbatim, "the id of request {number} was replaced");
        let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"result\":{{\"text\":\"hello\"}}}}\n");
        let deliveries = server.read(response.as_bytes());
        ensure!(deliveries.len() == 1, "request {number} was not answered");
    }
    Ok(())
}
