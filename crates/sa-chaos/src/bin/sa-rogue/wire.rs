//! Lines to the client, and notes about processes for the test.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers requests and messages of this process.
static SERIAL: AtomicU64 = AtomicU64::new(1);

/// Returns a number that this process did not use before.
pub(crate) fn serial() -> u64 {
    SERIAL.fetch_add(1, Ordering::Relaxed)
}

/// Writes one message.
pub(crate) fn write(message: &Value) {
    write_line(&message.to_string());
}

/// Writes one line. A client that is gone is not an error: the end of the input follows.
pub(crate) fn write_line(line: &str) {
    let mut output = std::io::stdout().lock();
    let _gone = output.write_all(format!("{line}\n").as_bytes()).and_then(|()| output.flush());
}

/// Appends a process and its start time to `pids` of a directory.
pub(crate) fn note_process(directory: &Path, pid: u32) {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let started = stat.rsplit_once(')').and_then(|(_, tail)| tail.split_ascii_whitespace().nth(19));
    let line = format!("{pid} {}\n", started.unwrap_or_default());
    let file = fs::File::options().create(true).append(true).open(directory.join("pids"));
    // A directory that is gone has nobody who reads it.
    let _unwritten = file.and_then(|mut file| file.write_all(line.as_bytes()));
}
