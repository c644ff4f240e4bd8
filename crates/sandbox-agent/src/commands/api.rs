//! `sandbox-agent api …`: each operation of the HTTP API as a command.

mod acp;
mod agents;
mod config;
mod connections;
mod explain;
mod fs;
mod processes;
pub(crate) mod sessions;
mod usage;

pub(crate) use explain::explain;

use crate::args::{ApiArgs, ApiCommand, Connection, Output, SessionsArgs};
use crate::commands::render::{Table, age, print_json, print_text};
use crate::failure::Failure;
use acp::print_event;
use anyhow::Context;
use sa_api::TicketRequest;
use sa_client::{Client, ClientError};
use serde::Serialize;
use std::io;
use tokio::runtime::{Builder, Runtime};

pub(crate) fn run(args: ApiArgs) -> Result<(), Failure> {
    with_client(&args.connection, async |client| call(client, args.command).await)
}

/// `sandbox-agent sessions …`.
pub(crate) fn run_sessions(args: SessionsArgs) -> Result<(), Failure> {
    with_client(&args.connection, async |client| sessions::call(client, *args.command).await)
}

/// Does something with a client of that daemon.
pub(crate) fn with_client(
    connection: &Connection,
    work: impl AsyncFnOnce(&Client) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let client = connection.target()?.client()?;
    let runtime = client_runtime()?;
    let outcome = runtime.block_on(work(&client));
    // A thread that waits for input at a terminal would not end by itself.
    runtime.shutdown_background();
    outcome
}

/// Starts what calls of a daemon run on.
pub(crate) fn client_runtime() -> anyhow::Result<Runtime> {
    Builder::new_current_thread().enable_all().build().context("cannot start the client's runtime")
}

async fn call(client: &Client, command: ApiCommand) -> Result<(), Failure> {
    match command {
        ApiCommand::Health(output) => {
            show(output, client.health(), |health| {
                let up = age(health.uptime_ms);
                print_text(&format!("{}  version {}  up {up}", health.status, health.version))
            })
            .await
        }
        ApiCommand::Info(output) => {
            show(output, client.info(), |info| {
                let links = &info.links;
                let rows = [
                    ("name", &info.name),
                    ("version", &info.version),
                    ("health", &links.health),
                    ("openapi", &links.openapi),
                    ("agents", &links.agents),
                    ("sessions", &links.sessions),
                    ("acp servers", &links.acp_servers),
                    ("acp", &links.acp),
                    ("metrics", &links.metrics),
                ];
                Table::of_pairs(rows).print()
            })
            .await
        }
        ApiCommand::Openapi => Ok(print_text(&client.openapi().await?)?),
        ApiCommand::Metrics => Ok(print_text(&client.metrics().await?)?),
        ApiCommand::Usage(args) => usage::sum_up(client, args).await,
        ApiCommand::Ticket { path, lifetime_ms, output } => {
            let request = TicketRequest { path, lifetime_ms };
            show(output, client.create_ticket(&request), |ticket| print_text(&ticket.ticket)).await
        }
        ApiCommand::RevokeTicket { ticket } => Ok(client.revoke_ticket(&ticket).await?),
        ApiCommand::Agents(command) => agents::call(client, command).await,
        ApiCommand::Sessions(command) => sessions::call(client, *command).await,
        ApiCommand::Acp(command) => acp::call(client, command).await,
        ApiCommand::Fs(command) => fs::call(client, *command).await,
        ApiCommand::Config(command) => config::call(client, *command).await,
        ApiCommand::Processes(command) => processes::call(client, *command).await,
    }
}

/// Calls the daemon and prints its answer.
async fn show<T: Serialize>(
    output: Output,
    call: impl Future<Output = Result<T, ClientError>>,
    for_people: impl FnOnce(&T) -> io::Result<()>,
) -> Result<(), Failure> {
    print(output, &call.await?, for_people)
}

/// Prints an answer as JSON, or the way people read it.
fn print<T: Serialize>(
    output: Output,
    answer: &T,
    for_people: impl FnOnce(&T) -> io::Result<()>,
) -> Result<(), Failure> {
    if output.json {
        print_json(answer)?
    } else {
        for_people(answer)?
    }
    Ok(())
}
