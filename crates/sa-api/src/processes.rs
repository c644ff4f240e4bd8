//! Processes and terminals that a client starts.

use crate::Timestamp;
use sa_api_macros::api;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A process to start.
#[api(strict, Default, Eq)]
pub struct ProcessCreateRequest {
    /// Path of the program, or its name in `PATH`. No shell interprets it.
    #[schema(min_length = 1)]
    pub command: String,
    /// Arguments of the program.
    #[serde(default)]
    pub args: Vec<String>,
    /// Working directory, relative to the workspace. Defaults to the workspace.
    pub cwd: Option<String>,
    /// Environment variables, in addition to those of the daemon.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Marks the process as interactive. Every process reads input until `eof` closes it.
    #[serde(default)]
    pub interactive: bool,
    /// Runs the process on a terminal of its own.
    #[serde(default)]
    pub tty: bool,
    /// Columns of the terminal. Defaults to 80.
    #[schema(minimum = 1, maximum = 65535)]
    pub cols: Option<u16>,
    /// Rows of the terminal. Defaults to 24.
    #[schema(minimum = 1, maximum = 65535)]
    pub rows: Option<u16>,
}

/// A command to run.
#[api(strict, Default, Eq)]
pub struct ProcessRunRequest {
    /// Path of the program, or its name in `PATH`. No shell interprets it.
    #[schema(min_length = 1)]
    pub command: String,
    /// Arguments of the program.
    #[serde(default)]
    pub args: Vec<String>,
    /// Working directory, relative to the workspace. Defaults to the workspace.
    pub cwd: Option<String>,
    /// Environment variables, in addition to those of the daemon.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Timeout in milliseconds, after which the command and everything it started is killed. At most `maxRunTimeoutMs`, which 0
    /// stands for.
    pub timeout_ms: Option<u64>,
    /// Maximum number of bytes to keep of each output stream. At most `maxOutputBytes`.
    pub max_output_bytes: Option<usize>,
}

/// End of a command or process.
#[api(Copy, Default, Eq)]
pub struct ExitStatus {
    /// Exit code, if the process exited by itself.
    pub exit_code: Option<i32>,
    /// Number of the signal that ended the process.
    pub signal: Option<i32>,
    /// True if the kernel killed the process for lack of memory.
    #[optional]
    pub oom_killed: bool,
}

/// Result of a command.
#[api(Eq)]
pub struct ProcessRunResponse {
    /// End of the command.
    #[serde(flatten)]
    pub exit: ExitStatus,
    /// True if the command was killed after the timeout.
    pub timed_out: bool,
    /// Standard output. Bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// Standard error. Bytes that are not UTF-8 are replaced.
    pub stderr: String,
    /// Bytes of `stdout` in base64, if they are not UTF-8.
    pub stdout_base64: Option<String>,
    /// Bytes of `stderr` in base64, if they are not UTF-8.
    pub stderr_base64: Option<String>,
    /// True if there was more standard output than was kept.
    pub stdout_truncated: bool,
    /// True if there was more standard error than was kept.
    pub stderr_truncated: bool,
    /// Duration in milliseconds.
    pub duration_ms: u64,
}

/// A process.
#[api(Eq)]
pub struct ProcessInfo {
    /// Id of the process.
    pub id: String,
    /// Command that the process was started with.
    pub command: String,
    /// Arguments of the command.
    pub args: Vec<String>,
    /// Working directory that was requested.
    pub cwd: Option<String>,
    /// True if the process has a terminal.
    pub tty: bool,
    /// True if the process was marked as interactive.
    pub interactive: bool,
    /// Owner of the process.
    pub owner: ProcessOwner,
    /// State of the process.
    pub status: ProcessState,
    /// Process id in the system, while the process runs.
    pub pid: Option<u32>,
    /// End of the process.
    #[serde(flatten)]
    pub exit: ExitStatus,
    /// Time at which the process was started.
    pub created_at: Timestamp,
    /// Time at which the process exited.
    pub exited_at: Option<Timestamp>,
    /// `createdAt` in milliseconds since 1970.
    #[schema(deprecated)]
    pub created_at_ms: u64,
    /// `exitedAt` in milliseconds since 1970.
    #[schema(deprecated)]
    pub exited_at_ms: Option<u64>,
}

/// Owner of a process.
#[api]
pub enum ProcessOwner {
    /// A client.
    User,
    /// A desktop.
    Desktop,
    /// The daemon.
    System,
}

/// State of a process.
#[api]
pub enum ProcessState {
    /// Running.
    Running,
    /// Exited, with all output recorded.
    Exited,
}

/// All processes that the daemon knows: those that run and the last ones that ended, at most
/// `maxConcurrentProcesses` + `maxEndedProcesses`. The list is always complete.
#[api(Eq)]
pub struct ProcessListResponse {
    /// Processes in the order of creation.
    pub processes: Vec<ProcessInfo>,
}

/// An output stream of a process.
#[api]
pub enum ProcessLogsStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// All output, in the order in which it was read.
    Combined,
    /// The terminal.
    Pty,
}

/// Encoding of output in JSON.
#[api]
pub enum ProcessLogEncoding {
    /// Any bytes, in base64.
    Base64,
    /// Text as it is.
    Utf8,
}

/// One entry of a process's output. Data of the `log` event.
#[api(Eq)]
pub struct ProcessLogEntry {
    /// The entry's number. The first entry has 1.
    pub sequence: u64,
    /// The stream that the output was written to.
    pub stream: ProcessLogsStream,
    /// Time at which the daemon read the output.
    pub timestamp: Timestamp,
    /// `timestamp` in milliseconds since 1970.
    #[schema(deprecated)]
    pub timestamp_ms: u64,
    /// The output.
    pub data: String,
    /// Encoding of `data`: `base64`, or `utf8` with `encoding=text` where the output is UTF-8.
    pub encoding: ProcessLogEncoding,
}

/// Output of a process.
#[api(Eq)]
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
    pub gap: Option<ProcessLogGap>,
}

/// Output that was dropped before it was read. Data of the `gap` event.
#[api(Copy, Eq)]
pub struct ProcessLogGap {
    /// Number of the oldest entry that is kept. Reading continues with it.
    pub oldest: u64,
    /// Number of the newest entry.
    pub newest: u64,
    /// Number of bytes that were dropped, if it is known.
    pub dropped_bytes: Option<u64>,
}

/// Exit of a process. Data of the `exit` event.
#[api(Eq)]
pub struct ProcessExit {
    /// Exit code, if the process exited by itself.
    #[schema(required = true)]
    pub exit_code: Option<i32>,
    /// Number of the signal that ended the process.
    #[schema(required = true)]
    pub signal: Option<i32>,
    /// True if the kernel killed the process for lack of memory.
    pub oom_killed: bool,
}

/// Input for a process: `text`, `data`, or only `eof`.
#[api(strict, Default, Eq)]
pub struct ProcessInputRequest {
    /// The input as text. Excludes `data`.
    #[schema(example = "ls\n")]
    pub text: Option<String>,
    /// The input in the encoding that `encoding` names. Excludes `text`.
    pub data: Option<String>,
    /// Encoding of `data`: `base64` (the default) or `utf8` (also `utf-8`, `text`).
    pub encoding: Option<String>,
    /// Ends the input after this: closes a pipe, presses Ctrl-D on a terminal.
    #[optional]
    pub eof: bool,
}

/// Result of sending input.
#[api(Eq)]
pub struct ProcessInputResponse {
    /// Number of bytes that were accepted.
    pub bytes_written: usize,
}

/// Size of a terminal.
#[api(strict, Copy, Eq)]
pub struct ProcessTerminalSize {
    /// Columns.
    #[schema(minimum = 1, maximum = 65535)]
    pub cols: u16,
    /// Rows.
    #[schema(minimum = 1, maximum = 65535)]
    pub rows: u16,
}

/// Defines the limits on processes, and their changes.
macro_rules! process_limits {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty = $default:expr, $least:tt to $most:tt;)*) => {
        /// Limits on processes.
        #[api(Eq)]
        pub struct ProcessConfig {
            $($(#[doc = $doc])+ pub $name: $type,)*
        }

        impl Default for ProcessConfig {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl ProcessConfig {
            /// Returns the name of each limit, its value, the least and the most that it can be.
            #[allow(clippy::unnecessary_cast, reason = "some limits are counts, others are times")]
            pub fn bounds(&self) -> impl Iterator<Item = (&'static str, u64, u64, u64)> {
                [$((stringify!($name), self.$name as u64, $least, $most),)*].into_iter()
            }
        }

        /// Limits to change. Absent members keep their value.
        #[api(strict, Default, Eq)]
        #[serde(default)]
        pub struct ProcessConfigChange {
            $(
                $(#[doc = $doc])+
                #[schema(minimum = $least, maximum = $most)]
                pub $name: Option<$type>,
            )*
        }

        impl ProcessConfigChange {
            /// Changes the limits that are present.
            pub fn apply(self, config: &mut ProcessConfig) {
                $(config.$name = self.$name.unwrap_or(config.$name);)*
            }
        }
    };
}

process_limits! {
    /// Maximum number of running processes, including those of `run`.
    max_concurrent_processes: usize = 64, 1 to 65536;
    /// Timeout of `run` in milliseconds, if the request has none. At most `maxRunTimeoutMs`.
    default_run_timeout_ms: u64 = 30_000, 1 to 86400000;
    /// Maximum timeout of `run` in milliseconds.
    max_run_timeout_ms: u64 = 300_000, 1 to 86400000;
    /// Maximum number of bytes that `run` keeps of each output stream.
    max_output_bytes: usize = 1 << 20, 1 to 1073741824;
    /// Maximum size of the log of a process in bytes. The oldest output is dropped first. Applies to processes that start
    /// later.
    max_log_bytes_per_process: usize = 10 << 20, 1 to 1073741824;
    /// Maximum size of the input of a request in bytes.
    max_input_bytes_per_request: usize = 64 << 10, 1 to 1073741824;
    /// Maximum number of exited processes that are kept.
    max_ended_processes: usize = 256, 1 to 65536;
    /// Milliseconds between SIGTERM and SIGKILL when a process is stopped.
    stop_grace_ms: u64 = 5_000, 0 to 86400000;
}

/// A text message from the daemon on the WebSocket of a terminal. Output comes as binary messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
// The contract's macro does not read `rename_all_fields`: variants with members of several words say it again.
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TerminalServerFrame {
    /// The first message. Earlier output follows, then new output.
    #[schema(rename_all = "camelCase")]
    Ready {
        /// Id of the process.
        process_id: String,
    },
    /// The process exited. The socket closes after this message.
    #[schema(rename_all = "camelCase")]
    Exit {
        /// Exit code, if the process exited by itself.
        exit_code: Option<i32>,
        /// Number of the signal that ended the process.
        signal: Option<i32>,
        /// True if the kernel killed the process for lack of memory.
        oom_killed: bool,
    },
    /// A message of the client was rejected, or output was dropped because the client did not read it. The socket stays open.
    Error {
        /// Description of the problem.
        message: String,
    },
}

/// A text message from a client on the WebSocket of a terminal. A binary message is input as it is.
#[api(Eq)]
#[serde(tag = "type")]
pub enum TerminalClientFrame {
    /// Input for the terminal.
    Input {
        /// The input.
        data: String,
        /// Encoding of `data`: `utf8` (the default; also `utf-8`, `text`) or `base64`.
        encoding: Option<String>,
    },
    /// A new size of the terminal.
    Resize {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// The client leaves. The process continues.
    Close,
}
