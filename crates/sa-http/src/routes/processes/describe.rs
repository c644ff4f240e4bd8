//! Output of processes as the contract describes it.

use super::encoding::to_base64;
use sa_api::{ExitStatus, ProcessExit, ProcessLogEncoding, ProcessLogEntry, ProcessLogGap};
use sa_journal::Gap;
use sa_processes::{Ended, Entry};

pub(super) fn exit(ended: &Ended) -> ProcessExit {
    let ExitStatus { exit_code, signal, oom_killed } = ended.exit;
    ProcessExit { exit_code, signal, oom_killed }
}

/// An entry with its bytes in base64.
pub(super) fn entry(entry: &Entry) -> ProcessLogEntry {
    written(entry, to_base64(&entry.data), ProcessLogEncoding::Base64)
}

/// An entry with its data as it is written already.
pub(super) fn written(entry: &Entry, data: String, encoding: ProcessLogEncoding) -> ProcessLogEntry {
    ProcessLogEntry {
        sequence: entry.sequence,
        stream: entry.stream,
        timestamp: entry.timestamp,
        timestamp_ms: entry.timestamp.as_millis(),
        data,
        encoding,
    }
}

pub(super) fn gap(gap: Gap) -> ProcessLogGap {
    ProcessLogGap { oldest: gap.oldest, newest: gap.newest, dropped_bytes: gap.lost }
}
