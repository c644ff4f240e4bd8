//! The signals that end the daemon and `run`.
//!
//! SIGINT and SIGTERM always do. SIGHUP does too, unless the process was started with it ignored (`nohup`). As
//! PID 1 a process gets only the signals it has a handler for, so these are installed before anything else.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The handlers.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Option<Signal>,
}

/// A signal that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Interrupt,
    Terminate,
    Hangup,
}

impl Signals {
    /// Takes the signals over from the system's defaults.
    pub(crate) fn install() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: if hangup_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Ending {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Ending::Interrupt,
            _ = self.terminate.recv() => Ending::Terminate,
            _ = hangup => Ending::Hangup,
        }
    }
}

impl Ending {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::Hangup => "SIGHUP",
        }
    }

    /// The exit code of a process that the signal ended, as shells count.
    pub(crate) fn exit_code(self) -> u8 {
        128 + match self {
            Self::Interrupt => 2,
            Self::Terminate => 15,
            Self::Hangup => 1,
        }
    }
}

/// Returns whether SIGHUP is ignored by this process. Without `/proc` that is not known, so it is not.
fn hangup_is_ignored() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 != 0)
}
