//! Counters of the whole hub, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counters since the daemon started.
        #[derive(Debug, Default)]
        pub struct Stats { $($(#[$doc])* pub(crate) $name: AtomicU64,)* }

        /// The counters at one moment.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct StatsSnapshot { $($(#[$doc])* pub $name: u64,)* }

        impl Stats {
            /// Reads every counter.
            pub fn snapshot(&self) -> StatsSnapshot {
                StatsSnapshot { $($name: self.$name.load(Ordering::Relaxed),)* }
            }
        }
    };
}

counters! {
    /// Agent processes started.
    starts,
    /// Agent processes that ended.
    exits,
    /// Messages written by agents.
    messages_from_agents,
    /// Bytes written by agents.
    bytes_from_agents,
    /// Messages accepted for agents.
    messages_to_agents,
    /// Gaps reported to readers.
    gaps,
    /// Requests that failed because their agent was silent.
    silences,
    /// Times an agent's output was left unread for a reader to catch up.
    holds,
}

/// Adds to a counter.
pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}
