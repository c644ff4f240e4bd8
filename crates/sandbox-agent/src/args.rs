//! The command line: every command and flag, with the variables that stand in for them. Their meaning is decided in
//! `settings.rs` and in the commands.

mod agents;
mod api;
mod api_agents;
mod config;
mod connections;
mod credentials;
mod daemon;
mod fs;
mod processes;
mod run;
mod server;
mod sessions;
mod welcome;

pub(crate) use agents::*;
pub(crate) use api::*;
pub(crate) use api_agents::*;
pub(crate) use config::*;
pub(crate) use connections::*;
pub(crate) use credentials::*;
pub(crate) use daemon::*;
pub(crate) use fs::*;
pub(crate) use processes::*;
pub(crate) use run::*;
pub(crate) use server::*;
pub(crate) use sessions::*;

use crate::failure::{EXIT_USAGE, Failure};
use clap::builder::{BoolishValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The variable in which the daemon passes a built-in agent the directory where to keep its sessions.
pub(crate) const STATE_DIR_VARIABLE: &str = "SANDBOX_AGENT_STATE_DIR";
/// The variables that say where a daemon's settings and data are.
/// Agents that were added by command line, one per line.
pub(crate) const OWN_AGENTS_VARIABLE: &str = "SANDBOX_AGENT_AGENTS";
pub(crate) const CONFIG_VARIABLE: &str = "SANDBOX_AGENT_CONFIG";
pub(crate) const DATA_DIR_VARIABLE: &str = "SANDBOX_AGENT_DATA_DIR";

/// Run coding agents in a sandbox and drive them over HTTP.
#[derive(Debug, Parser)]
#[command(
    name = "sandbox-agent",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = "Flags without a command start the daemon: 'sandbox-agent --port 3000' is 'sandbox-agent server --port 3000'.\n\
        Exit codes: 0 done, 1 failed, 64 bad usage."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a single prompt and stream the output
    Run(Box<RunPromptArgs>),
    /// Work with an agent interactively
    Chat(Box<ChatArgs>),
    /// Start the daemon in the foreground
    Server(Box<ServerArgs>),
    /// Start, stop and watch a daemon in the background
    #[command(subcommand)]
    Daemon(Box<DaemonCommand>),
    /// Call the HTTP API of a running daemon
    Api(ApiArgs),
    /// Work with sessions of a running daemon (short for 'api sessions')
    Sessions(SessionsArgs),
    /// Run a built-in agent on standard input and output
    Acp(AcpArgs),
    /// Install agents on this machine
    InstallAgent(Box<InstallAgentArgs>),
    /// Remove installed versions of an agent
    UninstallAgent(Box<UninstallAgentArgs>),
    /// List installed agents that have newer versions
    Outdated(Box<OutdatedArgs>),
    /// Find out why an agent does not start
    Doctor(Box<DoctorArgs>),
    /// Serve a scripted model on loopback, to try agents without a key
    #[command(after_help = "The prompt is the script: see docs/model-server.md. Example:\n  \
        sandbox-agent model --port 4000\n  \
        ANTHROPIC_BASE_URL=http://127.0.0.1:4000 ANTHROPIC_API_KEY=scripted sandbox-agent server")]
    Model(ModelArgs),
    /// Find the credentials of agents on this machine
    #[command(subcommand)]
    Credentials(CredentialsCommand),
    /// Print the manual page, or write those of all commands
    #[command(after_help = "Example:\n  sandbox-agent man | man -l -")]
    Man(ManArgs),
    /// Print a shell's completion script
    #[command(after_help = "Agents and sessions are completed, too. Example for bash:\n  \
        echo 'source <(sandbox-agent completions bash)' >> ~/.bashrc")]
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print what the repository keeps in generated form
    #[command(hide = true, subcommand)]
    Gen(GenCommand),
    /// Watch over the daemon's children; started by the daemon itself
    #[command(hide = true)]
    Guardian,
    /// Ask the Amp agent whether a tool may run; started by Amp
    #[command(hide = true)]
    AmpPermission,
}

/// The arguments of `acp`.
#[derive(Debug, clap::Args)]
pub(crate) struct AcpArgs {
    /// Id of the agent
    pub(crate) agent: String,
    /// Directory for the agent's own files [default: state/AGENT in the data directory]
    #[arg(long, value_name = "DIR", env = STATE_DIR_VARIABLE)]
    pub(crate) state_dir: Option<PathBuf>,
    /// Program of the vendor to drive [default: the installed one, installed if missing]
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) local: LocalArgs,
}

/// The arguments of `model`.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
}

/// The arguments of `man`.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Directory to write one page for each command to [default: print the main page]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// The documents that are generated from the code.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum GenCommand {
    /// The reference of every command and flag, as Markdown
    CliReference,
}

/// Returns the whole command line.
pub(crate) fn command() -> clap::Command {
    complete(Cli::command())
}

/// Adds what arguments of a kind have in common. Values of variables may be secret. A flag with an optional value takes `true`,
/// `yes`, `on`, `1` and their opposites.
fn complete(command: clap::Command) -> clap::Command {
    let complete_arg = |arg: Arg| {
        let is_bool = arg.get_value_parser().type_id() == TypeId::of::<bool>();
        if is_bool && matches!(arg.get_action(), ArgAction::Set) {
            arg.value_name("BOOL")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
                .value_parser(BoolishValueParser::new())
                .hide_possible_values(true)
                .hide_env_values(true)
        } else {
            arg.hide_env_values(true)
        }
    };
    command.mut_args(complete_arg).mut_subcommands(complete)
}

/// Parses one of these values of the API, by its name in JSON.
fn wire<T: Copy + Send + Sync + 'static>(
    values: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let named = move |text: String| values.iter().copied().find(|value| name(*value) == text);
    PossibleValuesParser::new(values.iter().map(move |value| name(*value)))
        .try_map(move |text| named(text).ok_or("unknown value"))
}

/// Returns a group of arguments as if nothing was typed, so that only variables count.
pub(crate) fn from_environment<T: clap::Args>() -> Result<T, clap::Error> {
    let command = complete(T::augment_args(clap::Command::new("sandbox-agent")));
    T::from_arg_matches(&command.try_get_matches_from(["sandbox-agent"])?)
}

/// Reads the process's own arguments; what cannot be read was already reported when this returns an exit code.
pub(crate) fn parse() -> Result<Command, ExitCode> {
    if std::env::args_os().len() <= 1 {
        return Err(welcome::print());
    }
    parse_from(std::env::args_os()).map_err(|error| {
        let printed = error.print();
        match printed {
            _ if error.use_stderr() => ExitCode::from(EXIT_USAGE),
            // `--help | head` has been read as far as anyone wanted.
            Err(cause) if cause.kind() != std::io::ErrorKind::BrokenPipe => Failure::from(cause).report(),
            _ => ExitCode::SUCCESS,
        }
    })
}

fn parse_from(words: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let matches = command().try_get_matches_from(with_command(words))?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    match (&mut cli.command, matches.subcommand()) {
        (Command::Server(args), Some((_, given))) => args.let_flags_decide_auth(given),
        (Command::Daemon(command), Some((_, given))) => {
            if let (DaemonCommand::Start(args), Some((_, given))) = (command.as_mut(), given.subcommand()) {
                args.let_flags_decide_auth(given);
            }
        }
        _ => {}
    }
    Ok(cli.command)
}

/// Makes `server` the command of a line that begins with a flag. Only the flags for help and version stand alone.
fn with_command(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let starts_daemon = words.get(1).and_then(|word| word.to_str()).is_some_and(|word| {
        word.starts_with('-') && !matches!(word, "-" | "--" | "-h" | "--help" | "-V" | "--version")
    });
    if starts_daemon {
        words.insert(1, "server".into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_without_a_command_start_the_daemon() {
        let parse = |line: &str| {
            parse_from(line.split_whitespace().map(OsString::from)).map_err(|error| error.kind())
        };
        let Ok(Command::Server(args)) = parse("sandbox-agent --host 0.0.0.0 --port 3000 --token t") else {
            panic!("not the daemon");
        };
        assert_eq!((args.port, args.token.as_deref()), (Some(3000), Some("t")));
        for line in ["sandbox-agent --port=3000", "sandbox-agent -p 3000", "sandbox-agent -p3000"] {
            assert!(matches!(parse(line), Ok(Command::Server(args)) if args.port == Some(3000)), "{line}");
        }
        for (line, kind) in [
            ("sandbox-agent --help", clap::error::ErrorKind::DisplayHelp),
            ("sandbox-agent -h", clap::error::ErrorKind::DisplayHelp),
            ("sandbox-agent --version", clap::error::ErrorKind::DisplayVersion),
            ("sandbox-agent", clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand),
            ("sandbox-agent --prot 3000", clap::error::ErrorKind::UnknownArgument),
            ("sandbox-agent --", clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand),
        ] {
            assert_eq!(parse(line).err(), Some(kind), "{line}");
        }
    }

    #[test]
    fn the_definitions_are_consistent() {
        command().debug_assert();
    }
}
