//! Time limits and sizes.

use sa_acp::Limits;
use std::time::Duration;

/// The limits of the agent. The CLI stores the thread between SIGTERM and SIGKILL.
pub const LIMITS: Limits = Limits { grace: Duration::from_secs(5), ..Limits::USUAL };

/// The time that the CLI gets for an errand, such as making or exporting a thread.
pub(crate) const ERRAND: Duration = Duration::from_secs(60);

/// The time without output after a message whose end the CLI does not explain.
pub(crate) const LULL: Duration = Duration::from_secs(3);

/// The output of an errand that is kept, in bytes.
pub(crate) const MAX_PRINTED: usize = 64 << 20;
