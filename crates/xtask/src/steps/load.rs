//! How busy the machine's cores are: an idle core during a step is time to win.

use std::fs;

/// The time that all cores have spent since the machine started, in the kernel's ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticks {
    idle: u64,
    all: u64,
}

impl Ticks {
    /// Reads the kernel's count, where there is one.
    pub(super) fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let line = text.lines().next()?.strip_prefix("cpu ")?;
        // user, nice, system, idle, iowait, irq, softirq, steal; the rest is part of these.
        let fields: Vec<u64> =
            line.split_whitespace().take(8).map_while(|field| field.parse().ok()).collect();
        Some(Self { idle: fields.get(3)? + fields.get(4)?, all: fields.iter().sum() })
    }

    /// Returns the share of the cores' time since then that was spent working, in percent.
    pub(super) fn busy_since(self, then: Self) -> Option<u64> {
        let all = self.all.checked_sub(then.all).filter(|all| *all > 0)?;
        let idle = self.idle.checked_sub(then.idle)?.min(all);
        Some((all - idle) * 100 / all)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::Ticks;

    #[test]
    fn idle_and_waiting_cores_are_not_busy() {
        let then = Ticks::parse("cpu  10 0 10 70 10 0 0 0 5 0\ncpu0 1\n").unwrap();
        let now = Ticks::parse("cpu  40 10 20 95 20 10 5 0 9 0\n").unwrap();
        assert_eq!(now.busy_since(then), Some(65));
        assert_eq!(then.busy_since(then), None, "no time has passed");
        assert_eq!(Ticks::parse("cpu0 1 2 3\n"), None);
        assert_eq!(Ticks::parse("cpu  1 2 3\n"), None);
    }
}
