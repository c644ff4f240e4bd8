//! The flags of `sandbox-agent api processes`.

use super::{Output, wire};
use clap::{Args, Subcommand};
use sa_api::{ProcessLogsStream, ProcessOwner};
use std::path::PathBuf;

/// The operations on processes.
#[derive(Debug, Subcommand)]
pub(crate) enum ProcessesCommand {
    /// Run a command to its end, with its output and exit code (POST /v1/processes/run)
    Run(RunArgs),
    /// Start a process and print its id (POST /v1/processes)
    Start(StartArgs),
    /// List processes (GET /v1/processes)
    List {
        /// List only processes of this owner
        #[arg(long, value_parser = wire(ProcessOwner::ALL, ProcessOwner::name))]
        owner: Option<ProcessOwner>,
        #[command(flatten)]
        output: Output,
    },
    /// Show a process (GET /v1/processes/{processId})
    Get {
        /// Id of the process
        id: String,
        #[command(flatten)]
        output: Output,
    },
    /// Delete a process that has ended (DELETE /v1/processes/{processId})
    Rm {
        /// Id of the process
        id: String,
    },
    /// Stop a process; kill it after a grace period (POST /v1/processes/{processId}/stop)
    Stop {
        /// Id of the process
        id: String,
        /// Return after at most N milliseconds [default: wait until it has ended]
        #[arg(long, value_name = "N")]
        wait_ms: Option<u64>,
        /// Milliseconds between SIGTERM and SIGKILL [default: stopGraceMs of 'config']
        #[arg(long, value_name = "N")]
        grace_ms: Option<u64>,
        #[command(flatten)]
        output: Output,
    },
    /// Kill a process and its children (POST /v1/processes/{processId}/kill)
    Kill {
        /// Id of the process
        id: String,
        /// Return after at most N milliseconds [default: wait until it has ended]
        #[arg(long, value_name = "N")]
        wait_ms: Option<u64>,
        #[command(flatten)]
        output: Output,
    },
    /// Print the output of a process (GET /v1/processes/{processId}/logs)
    Logs(LogsArgs),
    /// Write to the standard input of a process (POST /v1/processes/{processId}/input)
    Input(InputArgs),
    /// Resize the terminal of a process (POST /v1/processes/{processId}/terminal/resize)
    Resize {
        /// Id of the process
        id: String,
        /// Columns
        cols: u16,
        /// Rows
        rows: u16,
    },
    /// Attach to the terminal of a process (GET /v1/processes/{processId}/terminal/ws)
    Attach(AttachArgs),
    /// Show or change the limits of processes (GET /v1/processes/config, POST /v1/processes/config)
    Config(ConfigArgs),
}

/// A program to start, and its directory.
#[derive(Debug, Args)]
pub(crate) struct CommandLine {
    /// Directory to start in [default: the daemon's workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Environment variable to set (repeatable)
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// The program and its arguments; no shell reads them
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

pub(super) fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a variable is written NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The arguments of `api processes run`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: that of the command, 128 plus the number of the signal that ended it, or 124 after the timeout. Example:\n  \
    sandbox-agent api processes run -- ls -l"
)]
pub(crate) struct RunArgs {
    /// Milliseconds after which the command is killed [default: defaultRunTimeoutMs of 'config']
    #[arg(long, value_name = "N")]
    pub(crate) timeout_ms: Option<u64>,
    /// Bytes to keep of each output [default: maxOutputBytes of 'config']
    #[arg(long, value_name = "N")]
    pub(crate) max_output_bytes: Option<usize>,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) line: CommandLine,
}

/// The arguments of `api processes start`.
#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// Mark the process as interactive
    #[arg(short, long)]
    pub(crate) interactive: bool,
    /// Give the process a terminal of the size of this one
    #[arg(long)]
    pub(crate) tty: bool,
    /// Give the process a terminal and attach to it
    #[arg(long, conflicts_with = "json")]
    pub(crate) attach: bool,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) line: CommandLine,
}

/// The arguments of `api processes logs`.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// Id of the process
    pub(crate) id: String,
    /// Print only this output [default: all]
    #[arg(long, value_parser = wire(ProcessLogsStream::ALL, ProcessLogsStream::name))]
    pub(crate) stream: Option<ProcessLogsStream>,
    /// Print the last N entries [default: all]
    #[arg(long, value_name = "N", conflicts_with = "after")]
    pub(crate) tail: Option<usize>,
    /// Print entries after entry N
    #[arg(long, value_name = "N", alias = "since")]
    pub(crate) after: Option<u64>,
    /// Print at most N entries
    #[arg(long, value_name = "N", conflicts_with = "follow")]
    pub(crate) limit: Option<usize>,
    /// Print new output until the process ends (GET /v1/processes/{processId}/logs/sse)
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Print entries as JSON; with --follow, one event per line
    #[arg(long)]
    pub(crate) json: bool,
    /// With --json, print UTF-8 entries as text instead of base64
    #[arg(long, requires = "json")]
    pub(crate) text: bool,
}

/// The arguments of `api processes input`.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Id of the process
    pub(crate) id: String,
    /// Input to send [default: read from standard input]
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub(crate) text: Option<String>,
    /// File with the input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Close the input of the process afterwards
    #[arg(long)]
    pub(crate) eof: bool,
}

/// The arguments of `api processes attach`.
#[derive(Debug, Args)]
#[command(
    after_help = "The process continues when you detach. When it exits, this command exits with its exit code, or with 128 \
    plus the number of its signal."
)]
pub(crate) struct AttachArgs {
    /// Id of the process
    pub(crate) id: String,
    /// Key that detaches; 'none' for no key
    #[arg(long, value_name = "KEY", default_value = "ctrl-]", value_parser = DetachKey::parse)]
    pub(crate) detach_key: DetachKey,
    /// Bytes of earlier output to show first [default: 1048576]
    #[arg(long, value_name = "N")]
    pub(crate) scrollback: Option<u64>,
}

/// The key that detaches, as the byte that a terminal sends for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DetachKey(pub(crate) Option<u8>);

impl DetachKey {
    /// Ctrl-].
    pub(crate) const USUAL: Self = Self(Some(0x1d));

    fn parse(text: &str) -> Result<Self, String> {
        let text = text.to_ascii_lowercase();
        if text == "none" {
            return Ok(Self(None));
        }
        let key = text.strip_prefix("ctrl-").filter(|key| key.len() == 1).and_then(|key| key.bytes().next());
        match key.map(|key| key.to_ascii_uppercase()) {
            Some(key @ b'@'..=b'_') => Ok(Self(Some(key & 0x1f))),
            _ => Err("a key is written ctrl-<letter or one of @ [ \\ ] ^ _>, or none".to_owned()),
        }
    }
}

/// The arguments of `api processes config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Maximum number of running processes
    #[arg(long, value_name = "N")]
    pub(crate) max_concurrent_processes: Option<usize>,
    /// Milliseconds that 'run' waits by default
    #[arg(long, value_name = "N")]
    pub(crate) default_run_timeout_ms: Option<u64>,
    /// Maximum of milliseconds that 'run' waits
    #[arg(long, value_name = "N")]
    pub(crate) max_run_timeout_ms: Option<u64>,
    /// Bytes that 'run' keeps of each output
    #[arg(long, value_name = "N")]
    pub(crate) max_output_bytes: Option<usize>,
    /// Bytes of the log of a process
    #[arg(long, value_name = "N")]
    pub(crate) max_log_bytes_per_process: Option<usize>,
    /// Bytes of input in one request
    #[arg(long, value_name = "N")]
    pub(crate) max_input_bytes_per_request: Option<usize>,
    /// Maximum number of ended processes to keep
    #[arg(long, value_name = "N")]
    pub(crate) max_ended_processes: Option<usize>,
    /// Milliseconds between SIGTERM and SIGKILL
    #[arg(long, value_name = "N")]
    pub(crate) stop_grace_ms: Option<u64>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_bytes_that_terminals_send() {
        assert_eq!(DetachKey::parse("ctrl-]"), Ok(DetachKey::USUAL));
        assert_eq!(DetachKey::parse("Ctrl-A"), Ok(DetachKey(Some(1))));
        assert_eq!(DetachKey::parse("ctrl-\\"), Ok(DetachKey(Some(0x1c))));
        assert_eq!(DetachKey::parse("none"), Ok(DetachKey(None)));
        for bad in ["a", "ctrl-", "ctrl-ab", "ctrl-1", "alt-a", "ctrl-ü"] {
            assert!(DetachKey::parse(bad).is_err(), "{bad}");
        }
    }
}
