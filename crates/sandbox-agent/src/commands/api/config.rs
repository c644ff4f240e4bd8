//! `sandbox-agent api config …`.

use super::sessions::read_text;
use super::{explain, show};
use crate::args::{ConfigCommand, McpCommand, SetArgs, SkillsCommand};
use crate::commands::render::{Table, command_line, print_json};
use crate::failure::Failure;
use anyhow::Context;
use sa_api::{McpServerConfig, SkillsConfig};
use sa_client::Client;
use serde_json::Value;

pub(super) async fn call(client: &Client, command: ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Mcp(command) => mcp(client, command).await,
        ConfigCommand::Skills(command) => skills(client, command).await,
    }
}

async fn mcp(client: &Client, command: McpCommand) -> Result<(), Failure> {
    match command {
        McpCommand::List(args) => {
            show(args.output, client.list_mcp_configs(&args.directory), |list| {
                let mut table = Table::new(&["NAME", "TYPE", "SERVER"]);
                for (name, server) in &list.servers {
                    table.add(&[name, server.name(), &described(server)]);
                }
                table.print()
            })
            .await
        }
        McpCommand::Get(entry) => {
            let server = client.get_mcp_config(&entry.directory, &entry.name).await?;
            Ok(print_json(&server)?)
        }
        McpCommand::Set(args) => {
            let server = read(&args)?;
            client.set_mcp_config(&args.entry.directory, &args.entry.name, &server).await.map_err(explain)
        }
        McpCommand::Delete(entry) => {
            client.delete_mcp_config(&entry.directory, &entry.name).await.map_err(explain)
        }
    }
}

fn described(server: &McpServerConfig) -> String {
    match server {
        McpServerConfig::Local(local) => command_line(&local.command, &local.args),
        McpServerConfig::Remote(remote) => remote.url.clone(),
    }
}

async fn skills(client: &Client, command: SkillsCommand) -> Result<(), Failure> {
    match command {
        SkillsCommand::List(args) => {
            show(args.output, client.list_skills_configs(&args.directory), |list| {
                let mut table = Table::new(&["NAME", "SOURCES"]);
                for (name, skills) in &list.skills {
                    table.add(&[name, &sources(skills)]);
                }
                table.print()
            })
            .await
        }
        SkillsCommand::Get(entry) => {
            let skills = client.get_skills_config(&entry.directory, &entry.name).await?;
            Ok(print_json(&skills)?)
        }
        SkillsCommand::Set(args) => {
            let skills = read(&args)?;
            client.set_skills_config(&args.entry.directory, &args.entry.name, &skills).await.map_err(explain)
        }
        SkillsCommand::Delete(entry) => {
            client.delete_skills_config(&entry.directory, &entry.name).await.map_err(explain)
        }
    }
}

fn sources(skills: &SkillsConfig) -> String {
    let sources = skills.sources.iter().map(|source| format!("{}:{}", source.kind, source.source));
    sources.collect::<Vec<_>>().join(" ")
}

/// The entry to keep, which must be JSON; whether it is right the daemon decides.
fn read(args: &SetArgs) -> Result<Value, Failure> {
    let text = match (&args.json, &args.file) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) => {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?
        }
        (None, None) => read_text("the entry")?,
    };
    serde_json::from_str(&text).map_err(|error| Failure::usage(format!("the entry is not JSON: {error}")))
}
