//! The flags of `sandbox-agent api processes`.

use super::Output;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The operations on processes.
#[derive(Debug, Subcommand)]
pub(crate) enum ProcessesCommand {
    /// Run a command, print what it prints and exit as it does (POST /v1/processes/run)
    Run(RunArgs),
    /// Start a process and print its id (POST /v1/processes)
    Start(StartArgs),
    /// List them (GET /v1/processes)
    List {
        /// Only those that run on behalf of this owner
        #[arg(long)]
        owner: Option<Owner>,
        #[command(flatten)]
        output: Output,
    },
    /// Show one (GET /v1/processes/{processId})
    Get {
        /// The process's id
        id: String,
        #[command(flatten)]
        output: Output,
    },
    /// Delete one that has ended (DELETE /v1/processes/{processId})
    Rm {
        /// The process's id
        id: String,
    },
    /// Ask one to end, and kill it after a grace (POST /v1/processes/{processId}/stop)
    Stop {
        /// The process's id
        id: String,
        /// Come back after so many milliseconds at the latest [default: when it has ended]
        #[arg(long, value_name = "N")]
        wait_ms: Option<u64>,
        /// Milliseconds between SIGTERM and SIGKILL [default: the daemon's stopGraceMs]
        #[arg(long, value_name = "N")]
        grace_ms: Option<u64>,
        #[command(flatten)]
        output: Output,
    },
    /// Kill one and all that it started (POST /v1/processes/{processId}/kill)
    Kill {
        /// The process's id
        id: String,
        /// Come back after so many milliseconds at the latest [default: when it has ended]
        #[arg(long, value_name = "N")]
        wait_ms: Option<u64>,
        #[command(flatten)]
        output: Output,
    },
    /// Print what one has written (GET /v1/processes/{processId}/logs)
    Logs(LogsArgs),
    /// Write to one's standard input (POST /v1/processes/{processId}/input)
    Input(InputArgs),
    /// Resize one's terminal (POST /v1/processes/{processId}/terminal/resize)
    Resize {
        /// The process's id
        id: String,
        /// Columns
        cols: u16,
        /// Rows
        rows: u16,
    },
    /// Use one's terminal from this one (GET /v1/processes/{processId}/terminal/ws)
    Attach(AttachArgs),
    /// Show the limits, or change them (GET, POST /v1/processes/config)
    Config(ConfigArgs),
}

/// What to start, and where.
#[derive(Debug, Args)]
pub(crate) struct CommandLine {
    /// Directory to start in [default: the daemon's workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Variable to set (repeatable)
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
    after_help = "Exits as the command does: with its exit code, with 128 + the number of the signal that ended it, or with 124 when \
    its time was over."
)]
pub(crate) struct RunArgs {
    /// Milliseconds after which it is killed [default: the daemon's defaultRunTimeoutMs]
    #[arg(long, value_name = "N")]
    pub(crate) timeout_ms: Option<u64>,
    /// How much is kept of each of its outputs [default: the daemon's maxOutputBytes]
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
    /// Mark it as waiting for input
    #[arg(short, long)]
    pub(crate) interactive: bool,
    /// Give it a terminal, of this one's size if there is one
    #[arg(long)]
    pub(crate) tty: bool,
    /// Give it a terminal and use it at once, as `attach` does
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
    /// The process's id
    pub(crate) id: String,
    /// Only this output
    #[arg(long)]
    pub(crate) stream: Option<Stream>,
    /// Start with the last N entries
    #[arg(long, value_name = "N", conflicts_with = "after")]
    pub(crate) tail: Option<usize>,
    /// Start after entry N
    #[arg(long, value_name = "N", alias = "since")]
    pub(crate) after: Option<u64>,
    /// Print at most N entries
    #[arg(long, value_name = "N", conflicts_with = "follow")]
    pub(crate) limit: Option<usize>,
    /// Continue until the process ends (GET /v1/processes/{processId}/logs/sse)
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Print entries as JSON, with --follow every event as one line
    #[arg(long)]
    pub(crate) json: bool,
    /// With --json: print entries that are UTF-8 as text instead of base64
    #[arg(long, requires = "json")]
    pub(crate) text: bool,
}

/// The arguments of `api processes input`.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// The process's id
    pub(crate) id: String,
    /// The input itself [default: read from standard input]
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub(crate) text: Option<String>,
    /// File that holds the input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// End the process's input after it
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
    /// The process's id
    pub(crate) id: String,
    /// Key that detaches; 'none' passes every key on
    #[arg(long, value_name = "KEY", default_value = "ctrl-]", value_parser = DetachKey::parse)]
    pub(crate) detach_key: DetachKey,
    /// How many bytes of what was printed before are shown first [default: a mebibyte]
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
    /// Processes that run at once
    #[arg(long, value_name = "N")]
    pub(crate) max_concurrent_processes: Option<usize>,
    /// Milliseconds that `run` waits when the request does not say
    #[arg(long, value_name = "N")]
    pub(crate) default_run_timeout_ms: Option<u64>,
    /// The most milliseconds that `run` waits
    #[arg(long, value_name = "N")]
    pub(crate) max_run_timeout_ms: Option<u64>,
    /// How much `run` keeps of each output
    #[arg(long, value_name = "N")]
    pub(crate) max_output_bytes: Option<usize>,
    /// Log of one process
    #[arg(long, value_name = "N")]
    pub(crate) max_log_bytes_per_process: Option<usize>,
    /// Input that one request may carry
    #[arg(long, value_name = "N")]
    pub(crate) max_input_bytes_per_request: Option<usize>,
    /// Ended processes that are remembered
    #[arg(long, value_name = "N")]
    pub(crate) max_ended_processes: Option<usize>,
    /// Milliseconds between SIGTERM and SIGKILL
    #[arg(long, value_name = "N")]
    pub(crate) stop_grace_ms: Option<u64>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// On whose behalf a process runs. What the names say needs no help text.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Owner {
    User,
    Desktop,
    System,
}

/// The outputs of a process. What the names say needs no help text.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
    Combined,
    Pty,
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
