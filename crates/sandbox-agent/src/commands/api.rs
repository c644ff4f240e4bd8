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
use sa_client::Client;
use serde::Serialize;
use std::io;
use std::process::ExitCode;

pub(crate) fn run(args: ApiArgs) -> Result<ExitCode, Failure> {
    with_client(&args.connection, async |client| call(client, args.command).await)
}

/// `sandbox-agent sessions …`.
pub(crate) fn run_sessions(args: SessionsArgs) -> Result<ExitCode, Failure> {
    with_client(&args.connection, async |client| sessions::call(client, *args.command).await)
}

/// Does something with a client of that daemon.
pub(crate) fn with_client(
    connection: &Connection,
    work: impl AsyncFnOnce(&Client) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let target = connection.target()?;
    let client = Client::new(&target.endpoint, target.token.as_deref()).map_err(explain)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the client's runtime")?;
    let outcome = runtime.block_on(work(&client));
    // A thread that waits for input at a terminal would not end by itself.
    runtime.shutdown_background();
    outcome?;
    Ok(ExitCode::SUCCESS)
}

async fn call(client: &Client, command: ApiCommand) -> Result<(), Failure> {
    match command {
        ApiCommand::Health(output) => {
            let health = client.health().await.map_err(explain)?;
            print(output, &health, |health| {
                print_text(&format!(
                    "{}  version {}  up {}",
                    health.status,
                    health.version,
                    age(health.uptime_ms)
                ))
            })
        }
        ApiCommand::Info(output) => {
            let info = client.info().await.map_err(explain)?;
            print(output, &info, |info| {
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
        }
        ApiCommand::Openapi => Ok(print_text(&client.openapi().await.map_err(explain)?)?),
        ApiCommand::Metrics => Ok(print_text(&client.metrics().await.map_err(explain)?)?),
        ApiCommand::Usage(args) => usage::show(client, args).await,
        ApiCommand::Ticket(args) => {
            let request = TicketRequest { path: args.path, lifetime_ms: args.lifetime_ms };
            let ticket = client.create_ticket(&request).await.map_err(explain)?;
            print(args.output, &ticket, |ticket| print_text(&ticket.ticket))
        }
        ApiCommand::RevokeTicket { ticket } => client.revoke_ticket(&ticket).await.map_err(explain),
        ApiCommand::Agents(command) => agents::call(client, command).await,
        ApiCommand::Sessions(command) => sessions::call(client, *command).await,
        ApiCommand::Acp(command) => acp::call(client, command).await,
        ApiCommand::Fs(command) => fs::call(client, *command).await,
        ApiCommand::Config(command) => config::call(client, *command).await,
        ApiCommand::Processes(command) => processes::call(client, *command).await,
    }
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
