//! The state of one ACP server, without I/O, clocks or tasks: requests that wait for answers, open questions of the
//! agent, and the segments of its journal.
//!
//! ```text
//!  client message ──► Relay::client_message ──► bytes for the agent
//!  agent bytes ─────► Relay::agent_data ──────► a Segment for the Log, and answers for the requests that wait
//!  agent's end ─────► Relay::agent_end ───────► the same, every wait ended
//! ```
//!
//! The relay looks at one method only: `$/cancel_request`, which names another request by its id. Of other messages it
//! reads the id and whether it is a request, a notification or a response. Everything is passed on byte for byte.

mod alike;
mod asked;
mod audience;
mod buffer;
mod event;
mod lines;
mod pending;
mod relay;
mod segment;
#[cfg(feature = "testing")]
pub mod testing;

pub use asked::Question;
pub use audience::{Audience, Sight, SocketView};
pub use event::push_event;
pub use pending::{Caller, Refused, check_message};
pub use relay::{Answer, Delivery, Outgoing, Output, Presence, Relay, RelayOptions};
pub use segment::{Part, Record, RecordKind, Segment};
