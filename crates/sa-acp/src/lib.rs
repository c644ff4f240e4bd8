//! What built-in agents have in common. Their end of an ACP v1 connection: lines, JSON-RPC messages, the handshake, requests
//! read into one form, open questions. For agents that drive a vendor's CLI besides: the traits that they are written
//! against, prompts in their queue, tool calls, processes and the driver, questions to the user, words for people.
//!
//! ```text
//!  client ──line──► Driven ──► Talk ──► Request ──► Adapter, Session ──► Desk ──► lines for the client, effects
//!  processes, time, visitors ──► Driven ──────────► Adapter, Session ──┘
//! ```
//!
//! Knows the protocol's frame and nothing of what a certain agent does with it.

mod adapter;
mod asking;
mod calls;
mod child;
mod children;
mod clock;
mod content;
mod desk;
mod disk;
mod door;
mod driver;
mod errors;
mod handshake;
mod hunks;
mod incoming;
mod lines;
mod marks;
mod mcp_wait;
mod notice;
mod offer;
mod outbound;
mod outgoing;
mod pending;
mod profile;
mod prompt_end;
mod question;
mod remembered;
mod request;
mod running;
mod server_form;
mod session;
mod stdio;
mod talk;
mod terminal;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tool;
mod wire;
mod wording;

pub use adapter::{Adapter, Driven};
pub use asking::{Told, action, chosen};
pub use children::{ChildId, Effect, Ended};
pub use clock::{Now, timestamp};
pub use content::{Piece, local_path};
pub use desk::{Caller, Desk};
pub use disk::{Disk, LocalDisk, NoDisk};
pub use door::VisitorId;
pub use driver::{Processes, drive, drive_stdio, drive_stdio_with_door, drive_with_door};
pub use errors::{auth_required, failure, invalid, process_ended};
pub use handshake::Handshake;
pub use hunks::{Sides, sides};
pub use incoming::{RequestKey, session_not_found};
pub use lines::{Line, LineReader, MAX_LINE};
pub use marks::Asking;
pub use mcp_wait::McpWait;
pub use offer::{Choice, choice, command, mode_option, mode_state};
pub use outbound::Outbound;
pub use pending::Pending;
pub use profile::{Extra, Login, Profile};
pub use prompt_end::NAMESPACE;
pub use question::{Question, form_answers, form_request, question_form};
pub use remembered::{RememberedTool, RememberedTools};
pub use request::{Form, How, Place, Request, Setting};
pub use running::{RunningTool, RunningTools};
pub use server_form::ServerForm;
pub use session::{Closing, Prompt, Queue, Session, Sessions};
pub use stdio::{StdinReader, StdoutWriter};
pub use talk::{Heard, Talk, Voice};
pub use terminal::{printed, terminal_exit, terminal_output};
pub use tool::{Described, Outcome};
pub use wire::{Agent, Ends, Wire};
pub use wording::{
    absolute, capitalised, fenced, fits_one_line, humanised, one_line, paragraph, place, shown,
};
