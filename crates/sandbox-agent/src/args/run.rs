//! The flags of `sandbox-agent run` and `sandbox-agent chat`.

use super::{ChoiceArgs, DATA_DIR_VARIABLE, PermissionArg};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const DAEMON: &str = "Daemon";

/// The daemon to use: a running one, or one that lives as long as the command.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Use the daemon at this address [default: the daemon of the data directory or at http://127.0.0.1:2468, else a private one]
    #[arg(short, long, value_name = "URL", env = "SANDBOX_AGENT_ENDPOINT", help_heading = DAEMON)]
    pub(crate) endpoint: Option<String>,
    /// The daemon's token; other users can see it here, so prefer the variable
    #[arg(short, long, env = "SANDBOX_AGENT_TOKEN", help_heading = DAEMON)]
    pub(crate) token: Option<String>,
    /// Start a private daemon even if another one runs; 'chat' needs another --data-dir then
    #[arg(long, conflicts_with = "endpoint", help_heading = DAEMON)]
    pub(crate) private: bool,
    /// Data directory of a private daemon [default: $XDG_DATA_HOME/sandbox-agent]
    #[arg(long, value_name = "DIR", env = DATA_DIR_VARIABLE, help_heading = DAEMON)]
    pub(crate) data_dir: Option<PathBuf>,
}

/// The beginning and the look of a session.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// The agent [default: the installed one that has credentials]
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Directory to work in [default: the current one; with --endpoint the daemon's workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Print no colors; NO_COLOR does the same
    #[arg(long)]
    pub(crate) no_color: bool,
}

/// The arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
On a terminal the answer is rendered. Otherwise its text goes to standard output as it is, everything else to standard error.\n\
Ctrl-C cancels the turn, a second one ends the command. A private daemon and its agents end with the command.\n\n\
Exit codes: 0 finished, 1 failed, 2 refused by the model, 3 a limit was reached, 4 not logged in, 64 bad usage,\n\
130 cancelled, 143 SIGTERM, 129 SIGHUP.\n\n\
Examples:\n  \
sandbox-agent run --agent demo 'say Hello!'\n  \
git diff | sandbox-agent run --agent claude --output-format json > review.json")]
pub(crate) struct RunPromptArgs {
    /// Prompt [default: read from standard input]
    pub(crate) prompt: Option<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    /// Decide on permissions like this instead of asking; questions are rejected then [default: ask at the terminal; reject
    /// without one]
    #[arg(long, value_name = "DECISION")]
    pub(crate) permission: Option<PermissionArg>,
    /// Keep the session under this id instead of deleting it
    #[arg(long, value_name = "ID")]
    pub(crate) keep: Option<String>,
    /// Form of the output: text, one JSON object at the end, or one event per line
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output_format: OutputFormat,
    /// Print one event per line; the same as --output-format stream-json
    #[arg(long, conflicts_with = "output_format")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

impl RunPromptArgs {
    pub(crate) fn format(&self) -> OutputFormat {
        if self.json { OutputFormat::StreamJson } else { self.output_format }
    }
}

/// The forms of output. Their names need no help text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    Text,
    Json,
    StreamJson,
}

/// The arguments of `chat`.
#[derive(Debug, Args)]
#[command(after_help = "\
Enter sends, Alt-Enter or a backslash before Enter begins a new line, Up recalls earlier messages.\n\
While the agent works, messages are queued. Ctrl-C cancels the turn; at an empty prompt twice, or Ctrl-D, it leaves.\n\
/help lists the commands. The session stays: 'sandbox-agent chat ID' continues it.\n\n\
Example:\n  \
sandbox-agent chat --agent demo")]
pub(crate) struct ChatArgs {
    /// Session to continue [default: a new one]
    #[arg(value_name = "SESSION", conflicts_with_all = ["agent", "cwd"])]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}
