//! `sandbox-agent daemon …`: the life of a daemon in the background.

mod activity;
mod launch;
mod logs;
mod start;
mod status;
mod stop;
mod upgrade;

use crate::args::{DaemonCommand, PlaceArgs};
use crate::commands::api::client_runtime;
use crate::failure::Failure;
use crate::local_daemon::{DaemonFolder, Found, Operation, Record, Registration};
use crate::settings::data_dir_of;
use anyhow::{Context, anyhow};
use launch::Launch;
use sa_client::Client;
use std::path::Path;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time for a daemon until it answers: it may have a large store to recover.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

pub(crate) fn run(command: DaemonCommand) -> Result<ExitCode, Failure> {
    match command {
        DaemonCommand::Start(args) => start::run(*args),
        DaemonCommand::Stop(args) => stop::run(args),
        DaemonCommand::Status(args) => status::run(args),
        DaemonCommand::Logs(args) => logs::run(args),
        DaemonCommand::Upgrade(args) => upgrade::run(args),
        DaemonCommand::Serve { launch } => serve(&launch),
    }
}

/// Becomes the daemon: takes the place first, so that a second one ends at once and changes nothing.
fn serve(launch: &Path) -> Result<ExitCode, Failure> {
    sa_supervisor::leave_session().context("cannot leave the terminal")?;
    let place = DaemonFolder::at(launch.parent().unwrap_or(launch).to_owned());
    let launch = Launch::take(launch)?;
    let taken = || anyhow!("another daemon already uses {}", place.folder().display());
    let claim = Registration::claim(&place)?.ok_or_else(taken)?;
    let args = launch.keep(&place)?;
    crate::server(args, Some((place, claim)))
}

fn place(args: PlaceArgs) -> Result<DaemonFolder, Failure> {
    let data_dir = data_dir_of(args.config.as_deref(), args.data_dir, |name| std::env::var_os(name));
    Ok(DaemonFolder::of(&data_dir.map_err(|error| Failure::Usage(error.into()))?))
}

/// The daemon, once it is decided whether there is one.
enum Settled {
    Running(Record),
    Nobody,
}

/// Waits for a daemon that is about to start or to end. Only the command whose turn it is may ask.
fn settled(place: &DaemonFolder, _turn: &Operation) -> Result<Settled, Failure> {
    let began = Instant::now();
    loop {
        match place.find()? {
            Found::Running(record) => return Ok(Settled::Running(record)),
            Found::Nobody => return Ok(Settled::Nobody),
            Found::Unready if began.elapsed() > START_TIMEOUT => {
                let seconds = START_TIMEOUT.as_secs();
                let log = place.log();
                return Err(Failure::Failed(anyhow!(
                    "a daemon holds {} but is not ready after {seconds} s; see {}",
                    place.folder().display(),
                    log.display()
                )));
            }
            Found::Unready => sleep(POLL),
        }
    }
}

fn client(record: &Record) -> Result<Client, Failure> {
    Client::new(&record.endpoint(), record.token()?.as_deref()).map_err(super::api::explain)
}

/// Runs a few calls of a daemon to their end.
fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    Ok(client_runtime()?.block_on(work))
}
