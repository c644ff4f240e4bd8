//! Another way to talk to a process than over its standard streams.

use crate::process::child::Event;
use crate::process::children::{ChildId, Ended};
use serde_json::Value;
use std::fmt;
use std::pin::Pin;
use tokio::sync::mpsc;

/// Carries lines between an agent and its process until the process closes its standard output. It is dropped soon after
/// the process has ended, so whatever it starts has to end with it.
pub type Wire = Box<dyn FnOnce(WireChannels) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// The channels between a wire, the process and the agent.
#[derive(Debug)]
pub struct WireChannels {
    /// Lines that the process writes to its standard output.
    pub printed: mpsc::Receiver<Vec<u8>>,
    /// Lines that the agent writes; no more come once it lets go of the process.
    pub lines: mpsc::Receiver<Vec<u8>>,
    /// The way to the agent.
    pub sink: EventSink,
}

/// A channel for lines that the agent handles like output of the process.
#[derive(Clone)]
pub struct EventSink {
    pub(crate) child: ChildId,
    pub(crate) events: mpsc::Sender<Event>,
}

impl EventSink {
    /// Sends a line, without its end. Waits while the client does not keep up. Returns `false` if the agent is gone.
    pub async fn send_line(&self, line: Vec<u8>) -> bool {
        self.events.send(Event::Line(self.child, line)).await.is_ok()
    }

    /// Reports a line that is too long to be sent.
    pub(crate) async fn send_overlong(&self, length: u64) -> bool {
        self.events.send(Event::Overlong(self.child, length)).await.is_ok()
    }

    /// Reports the end of the process. An agent that is gone needs no report.
    pub(crate) async fn send_end(&self, ended: Ended) {
        let _ = self.events.send(Event::Ended(self.child, ended)).await;
    }

    /// Sends a message as a line.
    pub async fn send_json(&self, message: &Value) -> bool {
        self.send_line(message.to_string().into_bytes()).await
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSink").field("child", &self.child).finish_non_exhaustive()
    }
}
