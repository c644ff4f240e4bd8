//! The allocator's settings, and the return of memory to the system.
//!
//! A sandbox is billed by the memory it holds, so an idle daemon gives back what a burst, or its own start, has left behind:
//! freed memory that the allocator keeps for later, and pages of its program that were needed once.

#[cfg(target_os = "linux")]
mod code;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod heap;

use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, sleep};

/// Time between two looks at the heap. Memory is back within a minute of the end of a burst.
pub(crate) const INTERVAL: Duration = Duration::from_secs(15);
/// Time for a start to be over, also on a slow machine.
const START: Duration = Duration::from_millis(500);

/// Bounds the number of arenas. To be called before the first thread starts.
pub(crate) fn configure() {
    heap::bound_arenas();
}

/// Returns memory to the system: after the start, then again and again. Ends with the runtime.
pub(crate) async fn return_freed() {
    sleep(START).await;
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut free = 0;
    loop {
        ticks.tick().await;
        // A large heap takes milliseconds to walk.
        let look = tokio::task::spawn_blocking(move || {
            code::release();
            heap::return_freed(free)
        });
        free = look.await.unwrap_or(free);
    }
}

/// Other allocators return memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod heap {
    pub(super) fn bound_arenas() {}

    pub(super) fn return_freed(returned: usize) -> usize {
        returned
    }
}

/// Other systems do not say which pages are mapped.
#[cfg(not(target_os = "linux"))]
mod code {
    pub(super) fn release() {}
}
