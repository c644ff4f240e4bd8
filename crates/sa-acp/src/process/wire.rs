//! Another way to talk to a process than over its standard streams.

use crate::process::child::Event;
use crate::process::children::{ChildId, Ended};
use serde_json::Value;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

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

/// The number of bytes in lines that may wait to be handled, shared by the processes of an agent.
#[derive(Clone)]
pub(crate) struct LineBudget {
    free: Arc<Semaphore>,
    total: u32,
}

impl LineBudget {
    pub(crate) fn new(total: u32) -> Self {
        Self { free: Arc::new(Semaphore::new(total as usize)), total }
    }

    /// Waits until a line of this length may wait. A line that exceeds the budget waits alone.
    async fn reserve(&self, length: usize) -> Option<OwnedSemaphorePermit> {
        let count = u32::try_from(length).unwrap_or(self.total).min(self.total);
        Arc::clone(&self.free).acquire_many_owned(count).await.ok()
    }
}

/// A line that waits to be handled. It gives its part of the budget back when it is dropped.
#[derive(Debug)]
pub(crate) struct WaitingLine {
    pub(crate) bytes: Vec<u8>,
    _reserved: OwnedSemaphorePermit,
}

/// A channel for lines that the agent handles like output of the process.
#[derive(Clone)]
pub struct EventSink {
    child: ChildId,
    events: mpsc::Sender<Event>,
    budget: LineBudget,
}

impl EventSink {
    pub(crate) fn new(child: ChildId, events: mpsc::Sender<Event>, budget: LineBudget) -> Self {
        Self { child, events, budget }
    }

    /// Sends a line, without its end. Waits while the client does not keep up. Returns `false` if the agent is gone.
    pub async fn send_line(&self, line: Vec<u8>) -> bool {
        let Some(reserved) = self.budget.reserve(line.len()).await else { return false };
        let line = WaitingLine { bytes: line, _reserved: reserved };
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::task::yield_now;

    /// Returns whether a line is sent before the agent takes another one.
    async fn is_sent(sink: &EventSink, length: usize) -> bool {
        tokio::select! {
            biased;
            sent = sink.send_line(vec![b'x'; length]) => sent,
            () = yield_now() => false,
        }
    }

    #[tokio::test]
    async fn lines_wait_by_their_length_and_one_always_passes() {
        let (sender, mut events) = mpsc::channel(32);
        let sink = EventSink::new(ChildId(1), sender, LineBudget::new(1000));
        assert!(is_sent(&sink, 400).await && is_sent(&sink, 600).await);
        assert!(!is_sent(&sink, 1).await, "the budget is used");
        events.recv().await;
        assert!(is_sent(&sink, 400).await);
        assert!(!is_sent(&sink, 5000).await, "a long line waits for all others");
        events.recv().await;
        events.recv().await;
        assert!(is_sent(&sink, 5000).await);
        assert!(!is_sent(&sink, 1).await);
    }
}
