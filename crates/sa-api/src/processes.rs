//! Processes and terminals that a client starts.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command to start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProcessCreateRequest {
    /// Path of the program, or its name in `PATH`. No shell interprets it.
    #[schema(min_length = 1)]
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    #[schema(required = false)]
    pub args: Vec<String>,
    /// Where it starts; a relative path begins at the workspace, which is also where it starts without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables on top of what every process inherits from the daemon.
    #[serde(default)]
    #[schema(required = false)]
    pub env: BTreeMap<String, String>,
    /// Marks the process as one that waits for input. Every process reads from `input` until `eof` closes it.
    #[serde(default)]
    #[schema(required = false)]
    pub interactive: bool,
    /// Starts it on a terminal of its own, which takes input, too.
    #[serde(default)]
    #[schema(required = false)]
    pub tty: bool,
    /// Columns of the terminal; 80 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub cols: Option<u16>,
    /// Rows of the terminal; 24 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub rows: Option<u16>,
}

/// A command to run to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProcessRunRequest {
    /// Path of the program, or its name in `PATH`. No shell interprets it.
    #[schema(min_length = 1)]
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    #[schema(required = false)]
    pub args: Vec<String>,
    /// Where it starts; a relative path begins at the workspace, which is also where it starts without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables on top of what every process inherits from the daemon.
    #[serde(default)]
    #[schema(required = false)]
    pub env: BTreeMap<String, String>,
    /// Milliseconds after which the command and everything it started is killed; at most `maxRunTimeoutMs`, which 0 stands
    /// for too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How many bytes of each output stream are kept; at most the `maxOutputBytes` of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_bytes: Option<usize>,
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessRunResponse {
    /// Exit code, if it exited by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub exit_code: Option<i32>,
    /// Number of the signal that ended it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signal: Option<i32>,
    /// True if the kernel killed it for want of memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub oom_killed: bool,
    /// Whether it was killed because its time was over.
    pub timed_out: bool,
    /// What it wrote to standard output; bytes that are no UTF-8 are replaced.
    pub stdout: String,
    /// What it wrote to standard error; bytes that are no UTF-8 are replaced.
    pub stderr: String,
    /// The bytes of `stdout` in base64, if they are no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stdout_base64: Option<String>,
    /// The bytes of `stderr` in base64, if they are no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stderr_base64: Option<String>,
    /// Whether there was more on standard output than was kept.
    pub stdout_truncated: bool,
    /// Whether there was more on standard error than was kept.
    pub stderr_truncated: bool,
    /// How long it took.
    pub duration_ms: u64,
}

/// One process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessInfo {
    /// Its id.
    pub id: String,
    /// The command it was started with.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it was told to start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cwd: Option<String>,
    /// Whether it has a terminal.
    pub tty: bool,
    /// Marked as one that waits for input.
    pub interactive: bool,
    /// On whose behalf it runs.
    pub owner: ProcessOwner,
    /// Whether it runs.
    pub status: ProcessState,
    /// Its number in the system while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pid: Option<u32>,
    /// Exit code, if it exited by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub exit_code: Option<i32>,
    /// Number of the signal that ended it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signal: Option<i32>,
    /// True if the kernel killed it for want of memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub oom_killed: bool,
    /// When it started.
    pub created_at: Timestamp,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub exited_at: Option<Timestamp>,
    /// `createdAt` in milliseconds since 1970.
    #[schema(deprecated)]
    pub created_at_ms: u64,
    /// `exitedAt` in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, deprecated)]
    pub exited_at_ms: Option<u64>,
}

/// On whose behalf a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProcessOwner {
    /// A client asked for it.
    User,
    /// A desktop needs it.
    Desktop,
    /// The daemon needs it.
    System,
}

/// Whether a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProcessState {
    /// It runs.
    Running,
    /// It ended, and its output is complete.
    Exited,
}

/// All processes that the daemon knows: those that run and the last ones that ended, at most
/// `maxConcurrentProcesses` + `maxEndedProcesses`. The list is always complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessListResponse {
    /// In the order of their creation.
    pub processes: Vec<ProcessInfo>,
}

/// Which output of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProcessLogsStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// All there is, in the order in which it was read.
    Combined,
    /// The terminal.
    Pty,
}

/// How the bytes of output are written in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProcessLogEncoding {
    /// Any bytes, in base64.
    Base64,
    /// Text as it is.
    Utf8,
}

/// One entry of a process's output. Data of the `log` event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessLogEntry {
    /// The entry's number. The first entry has 1.
    pub sequence: u64,
    /// The stream that the output was written to.
    pub stream: ProcessLogsStream,
    /// When the daemon read the output.
    pub timestamp: Timestamp,
    /// `timestamp` in milliseconds since 1970.
    #[schema(deprecated)]
    pub timestamp_ms: u64,
    /// The output.
    pub data: String,
    /// How `data` is written: `base64`, or, with `encoding=text` where the output is UTF-8, `utf8`.
    pub encoding: ProcessLogEncoding,
}

/// Output of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessLogsResponse {
    /// The process's id.
    pub process_id: String,
    /// The stream that was asked for.
    pub stream: ProcessLogsStream,
    /// Entries in the order of their numbers.
    pub entries: Vec<ProcessLogEntry>,
    /// True if `limit` left out newer entries. Ask again with the last `sequence` as `after`.
    pub has_more: bool,
    /// The output that is missing before the first entry, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub gap: Option<ProcessLogGap>,
}

/// Output that was dropped before anybody read it. Data of the `gap` event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessLogGap {
    /// The oldest entry that is left; reading goes on with it.
    pub oldest: u64,
    /// The newest entry.
    pub newest: u64,
    /// How many bytes are gone, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub dropped_bytes: Option<u64>,
}

/// How a process ended. Data of the `exit` event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessExit {
    /// Exit code, if it exited by itself.
    #[schema(required = true)]
    pub exit_code: Option<i32>,
    /// Number of the signal that ended it, if one did.
    #[schema(required = true)]
    pub signal: Option<i32>,
    /// True if the kernel killed it for want of memory.
    pub oom_killed: bool,
}

/// Input for a process: `text`, `data`, or only `eof`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProcessInputRequest {
    /// The input as text. Excludes `data`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "ls\n")]
    pub text: Option<String>,
    /// The input in the encoding that `encoding` names. Excludes `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub data: Option<String>,
    /// How `data` is written: `base64` (the default) or `utf8` (also `utf-8`, `text`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub encoding: Option<String>,
    /// Ends the input after this: closes a pipe, presses Ctrl-D on a terminal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub eof: bool,
}

/// What became of the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessInputResponse {
    /// How many bytes were taken.
    pub bytes_written: usize,
}

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProcessTerminalSize {
    /// Columns.
    #[schema(minimum = 1)]
    pub cols: u16,
    /// Rows.
    #[schema(minimum = 1)]
    pub rows: u16,
}

/// The limits on processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessConfig {
    /// Processes that run at once, those of `run` included.
    pub max_concurrent_processes: usize,
    /// How long `run` waits for a command when the request does not say.
    pub default_run_timeout_ms: u64,
    /// The longest that `run` waits.
    pub max_run_timeout_ms: u64,
    /// How much `run` keeps of each output stream.
    pub max_output_bytes: usize,
    /// Log of one process; the oldest output leaves it first. Counts for processes that start later.
    pub max_log_bytes_per_process: usize,
    /// Input that one request may carry.
    pub max_input_bytes_per_request: usize,
    /// Ended processes that are remembered.
    pub max_ended_processes: usize,
    /// What a process that is stopped gets between SIGTERM and SIGKILL.
    pub stop_grace_ms: u64,
}

/// Limits to change; what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ProcessConfigChange {
    /// Processes that run at once, those of `run` included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 65536)]
    pub max_concurrent_processes: Option<usize>,
    /// How long `run` waits for a command when the request does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 86400000)]
    pub default_run_timeout_ms: Option<u64>,
    /// The longest that `run` waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 86400000)]
    pub max_run_timeout_ms: Option<u64>,
    /// How much `run` keeps of each output stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1073741824)]
    pub max_output_bytes: Option<usize>,
    /// Log of one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1073741824)]
    pub max_log_bytes_per_process: Option<usize>,
    /// Input that one request may carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1073741824)]
    pub max_input_bytes_per_request: Option<usize>,
    /// Ended processes that are remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 65536)]
    pub max_ended_processes: Option<usize>,
    /// What a process that is stopped gets between SIGTERM and SIGKILL.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 86400000)]
    pub stop_grace_ms: Option<u64>,
}

/// What the daemon says on a terminal's WebSocket, as text; output comes as binary messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
// The contract's macro does not read `rename_all_fields`: variants with members of several words say it again.
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TerminalServerFrame {
    /// The first message. What was printed before follows, then what is printed from now on.
    #[schema(rename_all = "camelCase")]
    Ready {
        /// The process.
        process_id: String,
    },
    /// The process ended; the socket is closed after this.
    #[schema(rename_all = "camelCase")]
    Exit {
        /// Exit code, if it exited by itself.
        exit_code: Option<i32>,
        /// Number of the signal that ended it, if one did.
        signal: Option<i32>,
        /// True if the kernel killed it for want of memory.
        oom_killed: bool,
    },
    /// Something the client sent was refused, or output was dropped because the client did not read. The socket stays.
    Error {
        /// What it was.
        message: String,
    },
}

/// What a client says on a terminal's WebSocket, as text; a binary message is input as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum TerminalClientFrame {
    /// Something was typed.
    Input {
        /// The input.
        data: String,
        /// How `data` is written: `utf8` (also `utf-8`, `text`), which is the default here, or `base64`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        encoding: Option<String>,
    },
    /// The terminal has another size now.
    Resize {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// The client leaves. The process goes on.
    Close,
}
