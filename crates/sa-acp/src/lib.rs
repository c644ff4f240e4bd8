//! What built-in agents have in common. Their end of an ACP v1 connection: lines, JSON-RPC messages, the handshake, requests
//! read into one form, open questions. Agents that drive a vendor's CLI also share the traits that they are written
//! against, the conversation with the client, tool calls, processes and their driver, and text for people.
//!
//! ```text
//!  client ──line──► Driven ──► Client ──► Request ──► Adapter, Session ──► Core ──► lines for the client, effects
//!  processes, time, visitors ──► Driven ────────────► Adapter, Session ──┘
//! ```
//!
//! Knows the protocol's frame and nothing of what a certain agent does with it.

mod process;
mod protocol;
mod served;
mod session;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod text;
mod tools;

pub use process::children::{ChildId, Effect, Ended};
pub use process::disk::{Disk, LocalDisk, NoDisk};
pub use process::pending::Pending;
pub use process::permission_socket::VisitorId;
pub use process::processes::Processes;
pub use process::program::{Cli, CommandOf, Program, Secret};
pub use process::wire::{Agent, Ends, Wire};
pub use protocol::client::{Caller, Client, Heard, Voice};
pub use protocol::clock::{Now, timestamp};
pub use protocol::errors::{auth_required, failure, invalid, process_ended};
pub use protocol::handshake::Handshake;
pub use protocol::incoming::{RequestKey, session_not_found};
pub use protocol::lines::{LineReader, MAX_LINE};
pub use protocol::marks::Asking;
pub use protocol::outbound::Outbound;
pub use protocol::profile::{Extra, Login, Profile};
pub use protocol::prompt_end::NAMESPACE;
pub use protocol::request::{Form, How, OpenRequest, Request, Setting, Workspace};
pub use protocol::stdio::{StdinReader, StdoutWriter};
pub use sa_jsonrpc::{Line, LineBuffer};
pub use served::{Job, Link, Server, ServerEnd};
pub use session::adapter::{Adapter, Driven};
pub use session::answers::{Reply, action, chosen};
pub use session::conversation::{Conversation, Prompt, clipped};
pub use session::core::Core;
pub use session::mcp_wait::McpWait;
pub use session::offer::{Choice, choice, command, mode_option, mode_state, plan_options};
pub use session::question::{Answered, Question, QuestionRequest, Questions, form_answers, question_form};
pub use session::server_form::ServerForm;
pub use session::{Session, Sessions};
pub use text::content::{Piece, local_path};
pub use text::wording::{
    absolute, capitalised, fenced, fits_one_line, humanised, one_line, paragraph, place, shown,
};
pub use tools::hunks::{Sides, sides};
pub use tools::remembered::{RememberedTool, RememberedTools};
pub use tools::running::{RunningTool, RunningTools};
pub use tools::terminal::{printed, terminal_exit, terminal_output};
pub use tools::tool::{Described, Outcome};
