//! Time limits and sizes that are not configurable.

use std::time::Duration;

/// The time that the app-server gets to unload a thread that was closed.
pub(crate) const UNLOAD: Duration = Duration::from_millis(1_500);

/// The time that another process gets to release a thread that is to be opened.
pub(crate) const HELD: Duration = Duration::from_secs(5);

/// The time between two attempts to open a thread that another process holds.
pub(crate) const RETRY: Duration = Duration::from_millis(100);

/// The number of starts of the app-server while other processes set up the same home.
pub(crate) const COLLISIONS: u32 = 5;

/// The output of a command that is kept, in bytes. The app-server keeps as much.
pub(crate) const PRINT_KEPT: usize = 1 << 20;

/// The number of sessions on a page of the list.
pub(crate) const PAGE: u32 = 50;
