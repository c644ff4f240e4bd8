//! `sandbox-agent`: the daemon, the commands that call it, and the agents that are built in.

#![warn(clippy::print_stderr, clippy::print_stdout)] // They panic when nobody reads.

mod agents;
mod announce;
mod args;
mod commands;
mod daemon;
mod diagnostics;
mod failure;
mod lifeline;
mod local_daemon;
mod memory;
mod sessions;
mod settings;
mod signals;
mod telemetry;

use anyhow::Context;
use args::{Command, ServerArgs};
use daemon::Daemon;
use failure::Failure;
use lifeline::Lifeline;
use local_daemon::{DaemonFolder, Registration, Role};
use sa_otlp::LogLayer;
use settings::Settings;
use signals::Signals;
use std::process::ExitCode;
use std::time::Duration;
use telemetry::LogGuard;
use tokio::runtime::{Builder, Runtime};

/// Time for threads that are blocked in the system, when everything else is done.
const LEFTOVERS: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    commands::completions::answer_shell();
    let command = match args::parse() {
        Ok(command) => command,
        Err(code) => return code,
    };
    let outcome = match command {
        // It forks, so no thread may exist yet.
        Command::Guardian => return sa_supervisor::guardian_main(),
        Command::AmpPermission => return commands::acp::amp_permission(),
        Command::Acp(args) => return commands::acp::run(args).unwrap_or_else(Failure::report),
        Command::Server(args) => server(*args, None),
        Command::Daemon(command) => commands::daemon::run(*command),
        Command::Api(args) => commands::api::run(args),
        Command::Run(args) => commands::run::run(*args),
        Command::Chat(args) => commands::chat::run(*args),
        Command::Sessions(args) => commands::api::run_sessions(args),
        Command::Credentials(command) => commands::credentials::run(command),
        Command::InstallAgent(args) => commands::install_agent::install(*args),
        Command::UninstallAgent(args) => commands::install_agent::uninstall(*args),
        Command::Outdated(args) => commands::install_agent::outdated(*args),
        Command::Doctor(args) => commands::doctor::run(*args),
        Command::Model(args) => commands::model::run(args),
        Command::Man(args) => commands::man::run(args),
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Gen(what) => commands::gen_docs::run(what),
    };
    outcome.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}

/// Runs a daemon: in the foreground, unless it is one in the background with a place of its own.
fn server(args: ServerArgs, background: Option<(DaemonFolder, Registration)>) -> Result<(), Failure> {
    memory::configure();
    let settings = Settings::load(args, |name| std::env::var_os(name))?;
    let exported = settings.telemetry.as_ref().map(|_| LogLayer::default());
    let log = telemetry::start(settings.log_format, &settings.log, exported)?;
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    let role = match background {
        Some((place, claim)) => Role::Background(place, claim),
        None => Role::foreground(&settings),
    };
    run_to_end(life(settings, role, &log))
}

/// Runs a daemon, or a command that has one of its own.
fn run_to_end(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_timeout(LEFTOVERS);
    outcome
}

/// The daemon's whole life: build, announce, serve, and at the first signal or the end of its lifeline stop in good
/// order.
async fn life(settings: Settings, role: Role, log: &LogGuard) -> Result<(), Failure> {
    tokio::spawn(memory::return_freed());
    let mut signals = Signals::install().context("cannot handle signals")?;
    let mut lifeline = Lifeline::open(settings.lifetime).context("cannot watch standard input")?;
    let mut daemon = Daemon::build(settings).await?;
    daemon.export_log(log);
    let _registration = role.register(daemon.address(), daemon.access())?;
    daemon.announce();
    let reason = tokio::select! {
        // Signals first: one that comes with the end of the input must not count as the second.
        biased;
        signal = signals.next() => signal.name(),
        () = lifeline.closed() => "standard input closed",
        ended = daemon.serve() => return Err(ended.into()),
    };
    tracing::info!("{reason}: stopping; a second signal ends at once");
    tokio::select! {
        () = daemon.stop() => {}
        // The guardian ends the agents.
        signal = signals.next() => std::process::exit(signal.exit_code().into()),
    }
    tracing::info!("stopped");
    Ok(())
}

/// As many workers as this process may use cores; a container's share counts, not the machine's.
///
/// Threads that wait for the disk live a little longer than the pause between two looks at the heap, so one of them is
/// always there. Without any, and where the system starts no further thread, work for the disk would never begin.
fn runtime() -> anyhow::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut builder = Builder::new_multi_thread();
    builder
        .worker_threads(cores)
        .thread_name("sandbox-agent")
        .thread_keep_alive(memory::INTERVAL + Duration::from_secs(5))
        .enable_all()
        .build()
        .context("cannot start threads")
}
