//! The machine that a run was made on.

use serde::Serialize;
use std::fs;
use std::process::Command;

/// Facts about the machine for the reader of a report.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    cores: usize,
    cpu: String,
    kernel: String,
    rustc: String,
    /// Runnable processes over the last minute, this run's included: far above 2, others were in the way.
    load: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
}

impl Machine {
    /// Asks the system; what it does not say is `unknown`.
    pub(crate) fn describe(date: Option<String>) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let rustc = Command::new("rustc").arg("-V").output().map(|output| output.stdout).unwrap_or_default();
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            cpu: known(model.map_or("", |(_, name)| name)),
            kernel: known(&kernel),
            rustc: known(&String::from_utf8_lossy(&rustc)),
            load: known(load.split_whitespace().next().unwrap_or_default()),
            date,
        }
    }

    /// A machine for tests of reports.
    #[cfg(test)]
    pub(crate) fn example() -> Self {
        Self {
            cores: 2,
            cpu: "Some CPU".to_owned(),
            kernel: "6.1".to_owned(),
            rustc: "rustc 1.90.0".to_owned(),
            load: "1.25".to_owned(),
            date: Some("2026-01-31".to_owned()),
        }
    }

    pub(crate) fn line(&self) -> String {
        let date = self.date.as_ref().map(|date| format!(", {date}")).unwrap_or_default();
        format!(
            "{} cores of {}, Linux {}, {}, load {}{date}",
            self.cores, self.cpu, self.kernel, self.rustc, self.load
        )
    }
}

fn known(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { "unknown".to_owned() } else { text.to_owned() }
}
