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
use crate::commands::render::Format;
use crate::failure::Failure;
use crate::local_daemon::{DaemonFolder, Found, Operation, Record, Registration};
use crate::settings::data_dir_of;
use anyhow::{Context, anyhow};
use launch::Launch;
use sa_client::Client;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};
use upgrade::WhenBusy;

/// Time for a daemon until it answers: it may have a large store to recover.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

pub(crate) fn run(command: DaemonCommand) -> Result<(), Failure> {
    match command {
        DaemonCommand::Start(args) => start::run(*args),
        DaemonCommand::Stop { timeout, place } => stop::run(&folder(place)?, Duration::from_secs(timeout)),
        DaemonCommand::Status { json, place } => status::run(&folder(place)?, Format::of_flag(json)),
        DaemonCommand::Logs { follow, lines, place } => {
            let mut tail = logs::print_last(&folder(place)?, lines)?;
            if follow { tail.follow() } else { Ok(()) }
        }
        DaemonCommand::Upgrade { force, wait, place } => {
            let when_busy = match (force, wait) {
                (true, _) => WhenBusy::Interrupt,
                (false, true) => WhenBusy::Wait,
                (false, false) => WhenBusy::Refuse,
            };
            upgrade::run(&folder(place)?, when_busy)
        }
        DaemonCommand::Serve { launch } => serve(&launch),
    }
}

/// Becomes the daemon: takes the place first, so that a second one ends at once and changes nothing.
fn serve(launch: &Path) -> Result<(), Failure> {
    sa_supervisor::leave_session().context("cannot leave the terminal")?;
    let place = DaemonFolder::at(launch.parent().unwrap_or(launch).to_owned());
    let launch = Launch::take(launch)?;
    let taken = || anyhow!("another daemon already uses {}", place.folder().display());
    let claim = Registration::claim(&place)?.ok_or_else(taken)?;
    let args = launch.keep(&place)?;
    crate::server(args, Some((place, claim)))
}

fn folder(args: PlaceArgs) -> Result<DaemonFolder, Failure> {
    let data_dir = data_dir_of(args.config.as_deref(), args.data_dir, |name| std::env::var_os(name))?;
    Ok(DaemonFolder::of(&data_dir))
}

/// Returns the running daemon, if there is one. Waits for one that is about to start or to end. Only the command whose
/// turn it is may ask.
fn settled(place: &DaemonFolder, _turn: &Operation) -> Result<Option<Record>, Failure> {
    let began = Instant::now();
    loop {
        match place.find()? {
            Found::Running(record) => return Ok(Some(record)),
            Found::Nobody => return Ok(None),
            Found::Unready if began.elapsed() > START_TIMEOUT => {
                return Err(Failure::Failed(anyhow!(
                    "a daemon holds {} but is not ready after {} s; see {}",
                    place.folder().display(),
                    START_TIMEOUT.as_secs(),
                    place.log().display()
                )));
            }
            Found::Unready => sleep(POLL),
        }
    }
}

fn client(record: &Record) -> Result<Client, Failure> {
    Ok(Client::new(&record.endpoint(), record.token()?.as_deref())?)
}

/// Runs a few calls of a daemon to their end.
fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    Ok(client_runtime()?.block_on(work))
}
