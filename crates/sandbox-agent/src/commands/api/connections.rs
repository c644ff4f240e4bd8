//! `sandbox-agent api acp connection …` and `api agents connection …`.

use super::acp::{print_messages, read_message};
use crate::args::{
    AgentConnectionCommand, ConnectionCommand, ConnectionPostArgs, ConnectionStreamArgs, Output,
};
use crate::commands::render::print_text;
use crate::failure::Failure;
use anyhow::Context;
use sa_client::{AcpRoute, Client, ConnectionPost, ConnectionPosted};
use serde::Serialize;
use serde_json::value::RawValue;

const STANDARD: AcpRoute<'_> = AcpRoute::Standard { agent: None };

pub(super) async fn call(client: &Client, command: ConnectionCommand) -> Result<(), Failure> {
    match command {
        ConnectionCommand::Post { agent, post: args } => {
            post(client, AcpRoute::Standard { agent: agent.as_deref() }, args).await
        }
        ConnectionCommand::Stream(args) => stream(client, STANDARD, args).await,
        ConnectionCommand::Close { connection } => Ok(client.close_connection(STANDARD, &connection).await?),
    }
}

pub(super) async fn call_of_agent(client: &Client, command: AgentConnectionCommand) -> Result<(), Failure> {
    match command {
        AgentConnectionCommand::Post { agent, post: args } => {
            post(client, AcpRoute::OfAgent(&agent), args).await
        }
        AgentConnectionCommand::Stream { agent, stream: args } => {
            stream(client, AcpRoute::OfAgent(&agent), args).await
        }
        AgentConnectionCommand::Close { agent, connection } => {
            Ok(client.close_connection(AcpRoute::OfAgent(&agent), &connection).await?)
        }
    }
}

async fn post(client: &Client, route: AcpRoute<'_>, args: ConnectionPostArgs) -> Result<(), Failure> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Opened<'a> {
        connection_id: &'a str,
        response: &'a RawValue,
    }
    let message = read_message(args.message)?;
    let options = ConnectionPost {
        connection: args.connection.as_deref(),
        session: args.session.as_deref(),
        agent_version: args.agent_version.as_deref(),
    };
    match client.post_connection(route, options, message).await? {
        ConnectionPosted::Accepted => Ok(()),
        ConnectionPosted::Opened { connection, answer } => {
            let response = serde_json::from_slice(&answer).context("the agent's answer is not JSON")?;
            let opened = Opened { connection_id: &connection, response };
            Ok(print_text(&serde_json::to_string(&opened).context("cannot print the answer")?)?)
        }
    }
}

async fn stream(client: &Client, route: AcpRoute<'_>, args: ConnectionStreamArgs) -> Result<(), Failure> {
    let after = args.last_event_id.map(|id| id.to_string());
    let (session, after) = (args.session.as_deref(), after.as_deref());
    let events = client.stream_connection(route, &args.connection, session, after).await?;
    print_messages(events, Output { json: args.json }).await
}
