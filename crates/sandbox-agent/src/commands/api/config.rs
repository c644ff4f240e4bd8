//! `sandbox-agent api config …`.

use super::{explain, print};
use crate::args::{ConfigCommand, McpCommand, SetArgs, SkillsCommand};
use crate::commands::render::{Table, print_json};
use crate::failure::Failure;
use anyhow::Context;
use sa_api::{McpServerConfig, SkillsConfig};
use sa_client::Client;
use serde_json::Value;
use std::io::Read;

pub(super) async fn call(client: &Client, command: ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Mcp(command) => mcp(client, command).await,
        ConfigCommand::Skills(command) => skills(client, command).await,
    }
}

async fn mcp(client: &Client, command: McpCommand) -> Result<(), Failure> {
    match command {
        McpCommand::List(args) => {
            let list = client.list_mcp_configs(&args.directory).await.map_err(explain)?;
            print(args.output, &list, |list| {
                let mut table = Table::new(["NAME", "TYPE", "SERVER"]);
                for (name, server) in &list.servers {
                    let (kind, what) = described(server);
                    table.add([name, &kind.to_owned(), &what]);
                }
                table.print()
            })
        }
        McpCommand::Get(entry) => {
            let server = client.get_mcp_config(&entry.directory, &entry.name).await.map_err(explain)?;
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

fn described(server: &McpServerConfig) -> (&'static str, String) {
    match server {
        McpServerConfig::Local(local) => {
            let words = std::iter::once(&local.command).chain(&local.args);
            ("local", words.map(String::as_str).collect::<Vec<_>>().join(" "))
        }
        McpServerConfig::Remote(remote) => ("remote", remote.url.clone()),
    }
}

async fn skills(client: &Client, command: SkillsCommand) -> Result<(), Failure> {
    match command {
        SkillsCommand::List(args) => {
            let list = client.list_skills_configs(&args.directory).await.map_err(explain)?;
            print(args.output, &list, |list| {
                let mut table = Table::new(["NAME", "SOURCES"]);
                for (name, skills) in &list.skills {
                    table.add([name, &sources(skills)]);
                }
                table.print()
            })
        }
        SkillsCommand::Get(entry) => {
            let skills = client.get_skills_config(&entry.directory, &entry.name).await.map_err(explain)?;
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
        (None, None) => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .context("cannot read the entry from standard input")?;
            text
        }
    };
    serde_json::from_str(&text).map_err(|error| Failure::usage(format!("the entry is not JSON: {error}")))
}
