//! Messages of commands on standard error. A closed or full standard error never stops a command, so that
//! `sandbox-agent … 2>&1 | head` does its work all the same.

/// Writes a line to standard error and ignores that nobody may be reading it.
macro_rules! diagnose {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($words)*);
    }};
}

pub(crate) use diagnose;
