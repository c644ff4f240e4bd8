//! Time limits and sizes that are not configurable.

use std::time::Duration;

/// The time that the handshake waits for optional answers once the required ones are there.
pub(crate) const OPTIONAL_ANSWERS: Duration = Duration::from_secs(3);

/// The time between two questions about the state of MCP servers.
pub(crate) const MCP_POLL: Duration = Duration::from_millis(150);

/// The time that the next prompt waits for the CLI to be idle after the result of a turn.
pub(crate) const SETTLE: Duration = Duration::from_secs(5);

/// The number of requests to one CLI that may be unanswered.
pub(crate) const MAX_CONTROLS: usize = 64;
