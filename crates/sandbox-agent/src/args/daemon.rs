//! The flags of `sandbox-agent daemon`.

use super::{CONFIG_VARIABLE, DATA_DIR_VARIABLE, ServerArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Operations on the daemon in the background. Each data directory has one.
#[derive(Debug, Subcommand)]
pub(crate) enum DaemonCommand {
    /// Start the daemon in the background and print its address
    #[command(
        after_help = "Does nothing if the daemon already runs. The commands 'api', 'sessions' and 'run' find it without \
        --endpoint and --token. Example:\n  \
        sandbox-agent daemon start --port 3000"
    )]
    Start(Box<ServerArgs>),
    /// Stop the daemon and all of its agents
    #[command(after_help = "Does nothing if no daemon runs. Sessions are kept and can be resumed.")]
    Stop {
        /// Seconds that the daemon gets to stop its agents; then it is killed, and they with it
        #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
        timeout: u64,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Show if the daemon runs, and where
    #[command(after_help = "Exit codes: 0 it runs and answers, 1 it does not, 64 bad usage.")]
    Status {
        /// Print the status as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Print the end of the daemon's log
    #[command(
        after_help = "The log is begun again at 10 MiB; one older file is kept next to it, with .1 after its name. Example:\n  \
        sandbox-agent daemon logs -f -n 20"
    )]
    Logs {
        /// Print new lines as they come, until Ctrl-C
        #[arg(short, long)]
        follow: bool,
        /// Lines to print from the end
        #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
        lines: usize,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Restart the daemon with this version of sandbox-agent
    #[command(
        after_help = "Address, token, settings, environment and sessions stay the same. Agents and processes that run are \
        ended; agents start again with the next message. Example:\n  \
        sandbox-agent daemon upgrade --wait"
    )]
    Upgrade {
        /// Restart even if turns are running or sessions are in memory only; running turns are interrupted
        #[arg(long)]
        force: bool,
        /// Wait until no turn is running
        #[arg(long, conflicts_with = "force")]
        wait: bool,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Be the daemon in the background; started by 'daemon start'
    #[command(hide = true)]
    Serve {
        /// File that says how to start
        launch: PathBuf,
    },
}

/// The daemon that a command is about.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// The daemon's configuration file, for its data directory
    #[arg(long, value_name = "FILE", env = CONFIG_VARIABLE)]
    pub(crate) config: Option<PathBuf>,
    /// The daemon's data directory [default: $XDG_DATA_HOME/sandbox-agent]
    #[arg(long, value_name = "DIR", env = DATA_DIR_VARIABLE)]
    pub(crate) data_dir: Option<PathBuf>,
}
