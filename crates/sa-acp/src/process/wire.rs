//! Another way to talk to a process than over its standard streams.

use crate::process::child::Event;
use crate::process::children::ChildId;
use std::fmt;
use std::pin::Pin;
use tokio::sync::mpsc;

/// Carries lines between an agent and its process until the process closes its standard output. It is dropped soon after
/// the process has ended, so whatever it starts has to end with it.
pub type Wire = Box<dyn FnOnce(Ends) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// The two ends of a wire.
#[derive(Debug)]
pub struct Ends {
    /// Lines that the process writes to its standard output.
    pub printed: mpsc::Receiver<Vec<u8>>,
    /// Lines that the agent writes; no more come once it lets go of the process.
    pub lines: mpsc::Receiver<Vec<u8>>,
    /// The way to the agent.
    pub agent: Agent,
}

/// A channel for lines that the agent handles like output of the process.
#[derive(Clone)]
pub struct Agent {
    pub(crate) child: ChildId,
    pub(crate) events: mpsc::Sender<Event>,
}

impl Agent {
    /// Passes a line on, without its end. Waits while the client does not keep up; `false` if nobody listens any more.
    pub async fn hear(&self, line: Vec<u8>) -> bool {
        self.events.send(Event::Line(self.child, line)).await.is_ok()
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("child", &self.child).finish_non_exhaustive()
    }
}
