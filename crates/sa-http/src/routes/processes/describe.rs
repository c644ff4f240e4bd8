//! Processes as the contract describes them.

use super::encoding::to_base64;
use sa_api::{
    ProcessExit, ProcessInfo, ProcessLogEncoding, ProcessLogEntry, ProcessLogGap, ProcessOwner, ProcessState,
    Timestamp,
};
use sa_journal::Gap;
use sa_processes::{Ended, Entry, Snapshot};

pub(super) fn info(process: Snapshot) -> ProcessInfo {
    let ended = process.ended;
    ProcessInfo {
        id: process.id,
        command: process.command,
        args: process.args,
        cwd: process.cwd,
        tty: process.tty,
        interactive: process.interactive,
        owner: ProcessOwner::User,
        status: if ended.is_some() { ProcessState::Exited } else { ProcessState::Running },
        pid: ended.is_none().then_some(process.pid),
        exit_code: ended.as_ref().and_then(|ended| ended.code),
        signal: ended.as_ref().and_then(|ended| ended.signal),
        oom_killed: ended.as_ref().is_some_and(|ended| ended.out_of_memory),
        created_at: Timestamp::from_millis(process.created_at_ms),
        exited_at: ended.as_ref().map(|ended| Timestamp::from_millis(ended.at_ms)),
        created_at_ms: process.created_at_ms,
        exited_at_ms: ended.map(|ended| ended.at_ms),
    }
}

pub(super) fn exit(ended: &Ended) -> ProcessExit {
    ProcessExit { exit_code: ended.code, signal: ended.signal, oom_killed: ended.out_of_memory }
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
        timestamp: Timestamp::from_millis(entry.timestamp_ms),
        timestamp_ms: entry.timestamp_ms,
        data,
        encoding,
    }
}

pub(super) fn gap(gap: Gap) -> ProcessLogGap {
    ProcessLogGap { oldest: gap.oldest, newest: gap.newest, dropped_bytes: gap.lost }
}
