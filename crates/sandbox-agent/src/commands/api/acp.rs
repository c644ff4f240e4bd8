//! `sandbox-agent api acp …`.

use super::{connections, show};
use crate::args::{AcpCommand, MessageSource, Output, StreamArgs};
use crate::commands::render::{Table, age, exited, or_none, print_text};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use anyhow::Context;
use sa_api::{AcpServer, AcpServerStatus, Timestamp};
use sa_client::{Client, EventStream, PostOptions, Posted, SseEvent};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, Read, Write};

pub(super) async fn call(client: &Client, command: AcpCommand) -> Result<(), Failure> {
    match command {
        AcpCommand::List(output) => {
            show(output, client.list_acp_servers(), |list| server_table(&list.servers).print()).await
        }
        AcpCommand::Post { server_id, agent, agent_version, respond_async, wait, message } => {
            let message = read_message(message)?;
            let (agent, agent_version) = (agent.as_deref(), agent_version.as_deref());
            let options = PostOptions { agent, agent_version, respond_async, wait };
            match client.post_acp(&server_id, options, message).await? {
                Posted::Answered(answer) => Ok(write_line(&answer)?),
                Posted::Accepted => Ok(()),
            }
        }
        AcpCommand::Stream(args) => stream(client, args).await,
        AcpCommand::Connection(command) => connections::call(client, command).await,
        AcpCommand::Delete { server_id } => Ok(client.delete_acp(&server_id).await?),
    }
}

fn server_table(servers: &[AcpServer]) -> Table {
    let mut table = Table::new(&["SERVER", "AGENT", "STATUS", "PID", "PENDING", "LAST EVENT", "AGE"]);
    let now = Timestamp::now().as_millis();
    for server in servers {
        table.add(&[
            &server.server_id,
            &server.agent,
            &status(server),
            &or_none(server.pid),
            &server.pending_requests.to_string(),
            &server.last_event_id.to_string(),
            &age(now.saturating_sub(server.created_at.as_millis())),
        ]);
    }
    table
}

fn status(server: &AcpServer) -> String {
    match &server.exit {
        Some(exit) if server.status == AcpServerStatus::Exited => exited(exit.code, exit.signal),
        _ => server.status.name().to_owned(),
    }
}

pub(super) fn read_message(source: MessageSource) -> Result<Vec<u8>, Failure> {
    let message = match (source.json, source.file) {
        (Some(text), _) => text.into_bytes(),
        (None, Some(path)) => std::fs::read(&path)
            .with_context(|| format!("cannot read the message from {}", path.display()))?,
        (None, None) => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).context("cannot read the message from standard input")?;
            bytes
        }
    };
    if message.trim_ascii().is_empty() {
        return Err(Failure::usage("there is no message to send"));
    }
    Ok(message)
}

async fn stream(client: &Client, args: StreamArgs) -> Result<(), Failure> {
    let after = args.last_event_id.map(|id| id.to_string());
    let output = Output { json: args.json };
    if !args.follow_reconnect {
        let events = client.stream_acp(&args.server_id, after.as_deref()).await?;
        return print_messages(events, output).await;
    }
    let mut events = client.follow_acp(&args.server_id, after.as_deref()).await?;
    while let Some(event) = events.next().await? {
        print_message(&event, output)?;
    }
    Ok(())
}

/// Prints the messages of one connection to its end.
pub(super) async fn print_messages(mut events: EventStream, output: Output) -> Result<(), Failure> {
    while let Some(event) = events.next().await? {
        print_message(&event, output)?;
    }
    Ok(())
}

/// Prints a message of the agent as it is, and on standard error what the transport says; as JSON, both alike.
fn print_message(event: &SseEvent, output: Output) -> Result<(), Failure> {
    match event.event.as_str() {
        _ if output.json => print_event(event)?,
        "message" => write_line(event.data.as_bytes())?,
        name => diagnose!("{name}: {}", event.data),
    }
    Ok(())
}

/// An event as one line of JSON; its data is passed on as it came, unless it is no JSON itself.
pub(super) fn print_event(event: &SseEvent) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Line<'a, T> {
        event: &'a str,
        id: Option<&'a str>,
        data: T,
    }
    let (name, id) = (event.event.as_str(), event.id.as_deref());
    let line = match serde_json::from_str::<&RawValue>(&event.data) {
        Ok(data) => serde_json::to_string(&Line { event: name, id, data }),
        Err(_) => serde_json::to_string(&Line { event: name, id, data: &event.data }),
    };
    Ok(print_text(&line.context("cannot write an event as JSON")?)?)
}

fn write_line(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.write_all(b"\n")?;
    out.flush()
}
