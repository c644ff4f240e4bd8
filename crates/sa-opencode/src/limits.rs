//! Time limits and sizes.

use sa_acp::Limits;
use std::time::Duration;

/// The limits of the agent. The first session of a directory loads a lot, and so do MCP servers.
pub const LIMITS: Limits =
    Limits { control: Duration::from_secs(30), mcp: Duration::from_secs(60), ..Limits::USUAL };

/// The time within which events arrive that were sent before the answer to a prompt.
pub(crate) const SETTLE: Duration = Duration::from_secs(1);

/// The number of attempts at a request to the model before the prompt fails. The server itself never gives up.
pub(crate) const RETRIES: u64 = 3;

/// The time that a request is kept whose connection broke: the exit of the process says more.
pub(crate) const BROKEN: Duration = Duration::from_secs(2);

/// The time that the server waits for an MCP server, in milliseconds. By default it gives up sooner.
pub(crate) const MCP_TIMEOUT: u64 = 30_000;

/// The number of sessions on a page of the list.
pub(crate) const PAGE: usize = 50;

/// The number of starts on other ports when the chosen one was taken meanwhile.
pub(crate) const PORTS: u32 = 3;
