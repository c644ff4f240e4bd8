//! `sandbox-agent api config …`.

use super::sessions::read_text;
use super::show;
use crate::args::{ConfigCommand, EntryArgs, McpCommand, SetArgs, SkillsCommand};
use crate::commands::render::{Table, command_line, print_json};
use crate::failure::Failure;
use anyhow::Context;
use sa_api::{McpServerConfig, SkillsConfig};
use sa_client::{Client, ConfigKind};
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
        McpCommand::Get(EntryArgs { name, directory }) => {
            Ok(print_json(&client.get_mcp_config(&directory, &name).await?)?)
        }
        McpCommand::Set(args) => set(client, ConfigKind::Mcp, &args).await,
        McpCommand::Delete(entry) => delete(client, ConfigKind::Mcp, &entry).await,
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
        SkillsCommand::Get(EntryArgs { name, directory }) => {
            Ok(print_json(&client.get_skills_config(&directory, &name).await?)?)
        }
        SkillsCommand::Set(args) => set(client, ConfigKind::Skills, &args).await,
        SkillsCommand::Delete(entry) => delete(client, ConfigKind::Skills, &entry).await,
    }
}

fn sources(skills: &SkillsConfig) -> String {
    let sources = skills.sources.iter().map(|source| format!("{}:{}", source.kind, source.source));
    sources.collect::<Vec<_>>().join(" ")
}

async fn set(client: &Client, kind: ConfigKind, args: &SetArgs) -> Result<(), Failure> {
    Ok(client.set_config(kind, &args.entry.directory, &args.entry.name, &read(args)?).await?)
}

async fn delete(client: &Client, kind: ConfigKind, entry: &EntryArgs) -> Result<(), Failure> {
    Ok(client.delete_config(kind, &entry.directory, &entry.name).await?)
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
