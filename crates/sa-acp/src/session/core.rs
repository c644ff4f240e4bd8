//! The parts that the state machine of every adapter works with.

use crate::process::processes::Processes;
use crate::protocol::client::Client;
use crate::protocol::clock::Now;

/// The fields that the core of every adapter has, next to its own: the time of what is being worked on, the client, and the
/// processes.
pub trait Core {
    /// How a process is started.
    type Launch;

    /// Returns these fields.
    fn parts(&mut self) -> (&mut Now, &mut Client, &mut Processes<Self::Launch>);

    /// Returns the client.
    fn client(&mut self) -> &mut Client {
        self.parts().1
    }
}
