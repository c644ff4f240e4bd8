//! A bad network: packets are late and lost on loopback, in this program's own network namespace.

use anyhow::{Result, bail};
use std::process::{Command, Stdio};

/// Queueing disciplines, the best first: delay and loss, or a slow line that drops what does not fit.
const KINDS: [&[&str]; 2] = [
    &["netem", "delay", "10ms", "10ms", "loss", "1%"],
    // Packets of loopback have up to 64 KiB; larger ones than the burst would never pass.
    &["tbf", "rate", "20mbit", "burst", "128kb", "latency", "30ms"],
];

/// A way to make the network bad.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BadNetwork(&'static [&'static str]);

impl BadNetwork {
    /// Returns the first discipline that the kernel has.
    pub(crate) fn find() -> Option<Self> {
        let network = KINDS.into_iter().map(Self).find(|network| network.begin().is_ok())?;
        network.end().ok()?;
        Some(network)
    }

    pub(crate) fn name(&self) -> String {
        self.0.join(" ")
    }

    pub(crate) fn begin(&self) -> Result<()> {
        tc(&[&["qdisc", "add", "dev", "lo", "root"], self.0].concat())
    }

    pub(crate) fn end(&self) -> Result<()> {
        tc(&["qdisc", "del", "dev", "lo", "root"])
    }
}

fn tc(arguments: &[&str]) -> Result<()> {
    let status = Command::new("tc").args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { bail!("tc {}: {status}", arguments.join(" ")) }
}
