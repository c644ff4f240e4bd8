//! `sandbox-agent api agents …`.

use super::{connections, show};
use crate::args::{AgentDetail, AgentsCommand, InstallChoice, OfferArgs};
use crate::commands::progress::Bar;
use crate::commands::render::{
    Format, NONE, Table, command_line, or_none, print_json, print_text, yes_or_no,
};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use anyhow::anyhow;
use sa_api::sessions::OptionValue;
use sa_api::{
    AgentChoice, AgentInfo, AgentLaunch, AgentModels, AgentModes, AgentPatch, CredentialStatus, InstallAgent,
    InstallEvent, InstalledAgent, ModeEffect, ModeEnforcer,
};
use sa_client::{AgentQuery, Client, ClientError};
use serde_json::Value;
use std::io;

pub(super) async fn call(client: &Client, command: AgentsCommand) -> Result<(), Failure> {
    match command {
        AgentsCommand::List { detail, output } => {
            let listed = client.list_agents(query(detail));
            show(output, listed, |list| list_table(&list.agents, detail).print()).await
        }
        AgentsCommand::Get { agent, detail, output } => {
            show(output, client.get_agent(&agent, query(detail)), print_facts).await
        }
        AgentsCommand::Install { agent, choice, json } => {
            install(client, &agent, choice, Format::of_flag(json)).await
        }
        AgentsCommand::Use { agent, version, output } => {
            let patch = AgentPatch { current_version: Some(version) };
            show(output, client.update_agent(&agent, &patch), |agent| {
                print_text(&format!("{} starts version {}", agent.id, installed_version(agent)))
            })
            .await
        }
        AgentsCommand::Uninstall { agent, version, output } => {
            let uninstalled = client.uninstall_agent(&agent, version.as_deref());
            show(output, uninstalled, |gone| match gone.removed.as_slice() {
                [] => print_text(&format!("{}: nothing to remove", gone.agent)),
                removed => print_text(&format!("removed {} {}", gone.agent, removed.join(", "))),
            })
            .await
        }
        AgentsCommand::Latest { agent, output } => {
            show(output, client.latest_agent_version(&agent), |latest| {
                let mut table = Table::new(&["AGENT", "INSTALLED", "LATEST"]);
                table.add(&[&latest.agent, latest.installed.as_deref().unwrap_or(NONE), &latest.latest]);
                table.print()
            })
            .await
        }
        AgentsCommand::Connection(command) => connections::call_of_agent(client, command).await,
        AgentsCommand::Modes(OfferArgs { agent, no_cache, output }) => {
            show(output, client.agent_modes(&agent, no_cache), |modes| {
                modes_table(modes).print()?;
                print_text("")?;
                combinations_table(modes).print()?;
                note(modes.reason.as_deref())
            })
            .await
        }
        AgentsCommand::Models(OfferArgs { agent, no_cache, output }) => {
            show(output, client.agent_models(&agent, no_cache), |models| {
                models_table(models).print()?;
                note(models.reason.as_deref())
            })
            .await
        }
    }
}

fn query(detail: AgentDetail) -> AgentQuery {
    AgentQuery { config: detail.config, no_cache: detail.no_cache }
}

async fn install(client: &Client, id: &str, choice: InstallChoice, format: Format) -> Result<(), Failure> {
    let wanted = InstallAgent {
        agent_version: choice.version,
        reinstall: choice.reinstall.then_some(true),
        source: choice.source,
        make_current: choice.make_current,
        agent_process_version: None,
    };
    if format == Format::Json {
        return Ok(print_json(&client.install_agent(id, &wanted).await?)?);
    }
    let InstalledAgent { agent, version, path, source, already_installed, built_in, .. } =
        follow(client, id, &wanted).await?;
    if built_in {
        return Ok(print_text(&format!("{agent} is built in; nothing to install"))?);
    }
    let how = if already_installed { "was installed before" } else { "installed" };
    Ok(print_text(&format!("{agent} {version} {how} from {source}: {path}"))?)
}

/// Shows an installation until its end.
async fn follow(client: &Client, agent: &str, wanted: &InstallAgent) -> Result<InstalledAgent, Failure> {
    let mut events = client.install_agent_events(agent, wanted).await?;
    let mut bar = Bar::new(agent, Format::Text);
    let outcome = loop {
        match events.next().await {
            Ok(Some(InstallEvent::Done(installed))) => break Ok(installed),
            Ok(Some(InstallEvent::Failed(problem))) => break Err(ClientError::from(problem).into()),
            Ok(Some(step)) => bar.show(&step),
            Ok(None) => break Err(Failure::Failed(anyhow!("the daemon stopped before the end"))),
            Err(error) => break Err(error.into()),
        }
    };
    bar.finish();
    outcome
}

/// Lists agents. Their offer is the last column, if it was asked for.
fn list_table(agents: &[AgentInfo], detail: AgentDetail) -> Table {
    let columns = if detail.config { 8 } else { 7 };
    let headings = ["ID", "NAME", "INSTALLED", "SOURCE", "CREDENTIALS", "RUNNING", "LAUNCH", "OFFERS"];
    let mut table = Table::new(headings.get(..columns).unwrap_or(&headings));
    for agent in agents {
        let cells = [
            &agent.id,
            &agent.name,
            &installed_version(agent),
            agent.source.as_deref().unwrap_or(NONE),
            credential_status(agent),
            &agent.running.to_string(),
            &launch(agent),
            &offers(agent),
        ];
        table.add(cells.get(..columns).unwrap_or(&cells));
    }
    table
}

/// The version that would start; only the program itself knows that of one the user put there.
fn installed_version(agent: &AgentInfo) -> String {
    match (&agent.version, agent.installed) {
        (Some(version), _) => version.clone(),
        (None, true) => "yes".to_owned(),
        (None, false) => NONE.to_owned(),
    }
}

fn print_facts(agent: &AgentInfo) -> io::Result<()> {
    let filled = |text: Option<String>| or_none(text.filter(|text| !text.is_empty()));
    let versions = agent.versions.iter().map(|known| {
        let mark = if known.current { " (current)" } else { "" };
        format!("{}{mark}", known.version)
    });
    let found = agent
        .credentials
        .iter()
        .map(|credential| format!("{} ({}) in {}", credential.provider, credential.kind, credential.origin));
    let (versions, found): (Vec<_>, Vec<_>) = (versions.collect(), found.collect());
    let status = credential_status(agent);
    let credentials =
        if found.is_empty() { status.to_owned() } else { format!("{status}: {}", found.join(", ")) };
    let mut facts = vec![
        ("id", agent.id.clone()),
        ("name", agent.name.clone()),
        ("description", filled(agent.description.clone())),
        ("launch", launch(agent)),
        ("installed", installed_version(agent)),
        ("installable", yes_or_no(agent.installable)),
        ("source", filled(agent.source.clone())),
        ("path", filled(agent.path.clone())),
        ("versions", filled(Some(versions.join(", ")))),
        ("credentials", credentials),
        ("can", filled(Some(abilities(agent)))),
        ("running", agent.running.to_string()),
    ];
    if agent.config_options.is_some() || agent.config_error.is_some() {
        facts.push(("offers", offers(agent)));
    }
    Table::of_pairs(facts).print()
}

/// Says whether the agent has what it needs to call its model.
fn credential_status(agent: &AgentInfo) -> &'static str {
    match agent.credential_status {
        CredentialStatus::Available => "available",
        CredentialStatus::Missing => "missing",
        CredentialStatus::Unknown => "unknown",
        CredentialStatus::NotNeeded => "not needed",
    }
}

/// The names of what it can do, as the contract has them.
fn abilities(agent: &AgentInfo) -> String {
    let named = serde_json::to_value(agent.capabilities).unwrap_or_default();
    let able = named.as_object().into_iter().flatten().filter(|(_, can)| **can == Value::Bool(true));
    able.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Describes the choices and the current ones, or why they are not known.
fn offers(agent: &AgentInfo) -> String {
    if let Some(error) = &agent.config_error {
        return error.clone();
    }
    let value = |value: &OptionValue| match value {
        OptionValue::Choice(id) => id.clone(),
        OptionValue::Switch(on) => on.to_string(),
    };
    let options = agent.config_options.iter().flatten();
    let words: Vec<String> =
        options.map(|option| format!("{}={}", option.id, value(&option.current_value))).collect();
    or_none((!words.is_empty()).then(|| words.join(" ")))
}

fn modes_table(modes: &AgentModes) -> Table {
    let mut table = Table::new(&["ID", "NAME", "CURRENT", "DESCRIPTION"]);
    for mode in &modes.modes {
        table.add(&choice(mode, modes.current.as_deref()));
    }
    table
}

fn combinations_table(modes: &AgentModes) -> Table {
    let mut table = Table::new(&["AGENT MODE", "PERMISSION MODE", "NATIVE", "EFFECT", "BY"]);
    for combination in &modes.combinations {
        let options = combination.native_options.iter().map(|(id, value)| format!("{id}={value}"));
        let native: Vec<String> = combination.native_mode.iter().cloned().chain(options).collect();
        let effect = match combination.supported {
            true => combination.effect.map_or(NONE, ModeEffect::name),
            false => "refused",
        };
        table.add(&[
            &combination.agent_mode,
            combination.permission_mode.name(),
            &or_none((!native.is_empty()).then(|| native.join(" "))),
            effect,
            combination.enforced_by.map_or(NONE, ModeEnforcer::name),
        ]);
    }
    table
}

/// Says on standard error why a list is not complete.
fn note(reason: Option<&str>) -> std::io::Result<()> {
    if let Some(reason) = reason {
        diagnose!("note: the list may be incomplete: {reason}");
    }
    Ok(())
}

fn models_table(models: &AgentModels) -> Table {
    let mut table = Table::new(&["KIND", "ID", "NAME", "CURRENT", "DESCRIPTION"]);
    let lists = [
        ("model", &models.models, models.current.as_deref()),
        ("variant", &models.variants, models.current_variant.as_deref()),
    ];
    for (kind, choices, current) in lists {
        for entry in choices {
            let [id, name, current, description] = choice(entry, current);
            table.add(&[kind, id, name, current, description]);
        }
    }
    table
}

fn choice<'a>(choice: &'a AgentChoice, current: Option<&str>) -> [&'a str; 4] {
    let is_current = if current == Some(&choice.id) { "yes" } else { NONE };
    [&choice.id, &choice.name, is_current, choice.description.as_deref().unwrap_or(NONE)]
}

fn launch(agent: &AgentInfo) -> String {
    match &agent.launch {
        AgentLaunch::Builtin { .. } => "built in".to_owned(),
        AgentLaunch::InstallOnly { .. } => "install only".to_owned(),
        AgentLaunch::Command { program, args } => command_line(program, args),
    }
}
