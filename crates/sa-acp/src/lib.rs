//! The common part of built-in agents: their end of an ACP v1 connection, with lines, JSON-RPC messages, the handshake, requests
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
pub use process::limits::Limits;
pub use process::pending::Pending;
pub use process::permission_socket::HelperId;
pub use process::processes::Processes;
pub use process::program::{Cli, Program, Secret};
pub use process::session_process::SessionProcess;
pub use process::version::Version;
pub use process::wire::{EventSink, Wire, WireChannels};
pub use protocol::client::{Caller, ChunkKind, Client, ClientMessage};
pub use protocol::clock::{Now, timestamp, until};
pub use protocol::errors::{auth_required, failure, invalid, model_error, process_ended, uncolored};
pub use protocol::handshake::Handshake;
pub use protocol::incoming::{RequestKey, session_not_found};
pub use protocol::lines::{InputLine, LineBuffer, LineReader, MAX_LINE};
pub use protocol::marks::Asking;
pub use protocol::output_buffer::OutputBuffer;
pub use protocol::profile::{Extra, Login, Profile};
pub use protocol::prompt_end::NAMESPACE;
pub use protocol::request::{
    CheckedRequest, Form, How, ListRequest, OpenRequest, Request, RequestedWorkspace, SetRequest, Setting,
    Workspace,
};
pub use protocol::stdio::{StdinReader, StdoutWriter, run_on_stdio};
pub use sa_disk::{open_plain, read_plain, read_plain_text};
pub use served::server::{Link, Server};
pub use served::{Job, Served, ServedSession};
pub use session::adapter::{Adapter, Core, Io, SessionsOf};
pub use session::answers::{FormReply, Reply, action, chosen};
pub use session::cancellation::Cancellation;
pub use session::compaction::Compaction;
pub use session::conversation::{AskReason, Conversation, PermissionRequest, Prompt, clipped};
pub use session::machine::Machine;
pub use session::mcp_server::{McpTarget, mcp_servers};
pub use session::mcp_wait::McpWait;
pub use session::mode::{BasicMode, ModeRow, Modes, basic_modes};
pub use session::offer::{
    Choice, add_unlisted, choice, command, effort_option, listed_model_option, mode_option, mode_state,
    model_option, plan_options,
};
pub use session::permission::{Decision, Grant, permission_options};
pub use session::question::{Question, QuestionOutcome, Questions, form_answers, question_form};
pub use session::server_form::ServerForm;
pub use session::{Session, Sessions};
pub use text::content::{PromptPart, local_path};
pub use text::wording::{
    absolute, capitalized, fenced, fits_one_line, humanized, one_line, paragraph, place, shown, tool_prefix,
};
pub use tools::hunks::{Sides, sides};
pub use tools::remembered::{RememberedTool, RememberedTools};
pub use tools::running::{RunningTool, RunningTools};
pub use tools::terminal::{printed, terminal_meta};
pub use tools::tokens::ModelTokens;
pub use tools::tool::{Described, Outcome, ToolInput};
