//! `sandbox-agent credentials …`: what the agents would find on this machine. A secret is printed only with `--reveal`.

mod list;
mod shell;

use super::api::client_runtime;
use super::render::{Format, print_json, print_text};
use crate::agents::{environment, host_with};
use crate::args::{CredentialsCommand, Scope};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use anyhow::{Context, anyhow};
use list::{Entry, List, Secrets};
use sa_credentials::{Findings, Host, Validity};
use std::collections::BTreeMap;
use tokio::task::JoinSet;

pub(crate) fn run(command: CredentialsCommand) -> Result<(), Failure> {
    match command {
        CredentialsCommand::Extract { scope, validate: checks, json } => {
            let host = host(&scope)?;
            let found = search(&scope, &host);
            let mut list = List::of(&found);
            if checks {
                validate(&mut list.entries)?;
            }
            print_list(&list, Secrets::of_flag(scope.reveal), host.now_ms, Format::of_flag(json))
        }
        CredentialsCommand::ExtractEnv { scope, export } => {
            let host = host(&scope)?;
            let prefix = if export { "export " } else { "" };
            print_variables(&search(&scope, &host), Secrets::of_flag(scope.reveal), host.now_ms, prefix)
        }
    }
}

/// Credentials that one agent would find.
struct Found {
    agent: String,
    findings: Findings,
}

fn print_list(list: &List<'_>, secrets: Secrets, now_ms: u64, format: Format) -> Result<(), Failure> {
    if format == Format::Json {
        print_json(&list.as_json(secrets, now_ms))?;
    } else {
        warn_of_problems(list.found);
        if !list.entries.is_empty() {
            list.as_table(secrets, now_ms).print()?;
        }
    }
    if list.entries.is_empty() {
        return Err(Failure::Failed(anyhow!("no credentials found")));
    }
    let refused = |entry: &Entry| matches!(entry.validity, Some(Validity::Invalid { .. }));
    if list.entries.iter().all(refused) {
        return Err(Failure::Failed(anyhow!("every credential that was found is refused")));
    }
    Ok(())
}

fn print_variables(found: &[Found], secrets: Secrets, now_ms: u64, prefix: &str) -> Result<(), Failure> {
    warn_of_problems(found);
    let handed = shell::handed_on(found, now_ms);
    for warning in &handed.warnings {
        diagnose!("warning: {warning}");
    }
    if handed.variables.is_empty() {
        return Err(Failure::Failed(anyhow!("no credentials found that an environment can hand on")));
    }
    let lines = handed.variables.iter().map(|variable| match secrets {
        Secrets::Revealed => format!("{prefix}{}={}", variable.name, shell::quoted(variable.value.expose())),
        Secrets::Hidden => format!("# {prefix}{}={}", variable.name, variable.value),
    });
    print_text(&lines.collect::<Vec<_>>().join("\n"))?;
    if secrets == Secrets::Hidden {
        return Err(Failure::Failed(anyhow!("secrets are printed only with --reveal")));
    }
    Ok(())
}

/// The machine to search: this one as the user sees it, or a home folder without an environment.
fn host(scope: &Scope) -> Result<Host, Failure> {
    let (home, environment) = match &scope.home {
        Some(home) if !home.is_dir() => {
            return Err(Failure::usage(format!("'{}' is not a folder", home.display())));
        }
        Some(home) => (home.clone(), BTreeMap::new()),
        None => {
            let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
            (home.context("there is no home folder; name one with --home")?, environment())
        }
    };
    Ok(host_with(home, environment))
}

fn search(scope: &Scope, host: &Host) -> Vec<Found> {
    let every: Vec<String> = sa_credentials::agents().map(str::to_owned).collect();
    let agents = if scope.agent.is_empty() { &every } else { &scope.agent };
    let mut found: Vec<Found> = Vec::new();
    for agent in agents {
        let Some(mut findings) = sa_credentials::extract(agent, host) else { continue };
        let wanted = |provider: &str| scope.provider.as_deref().is_none_or(|wanted| wanted == provider);
        findings.credentials.retain(|credential| wanted(&credential.provider));
        if !found.iter().any(|known| known.agent == *agent) {
            found.push(Found { agent: agent.clone(), findings });
        }
    }
    found
}

fn warn_of_problems(found: &[Found]) {
    for Found { agent, findings } in found {
        for problem in &findings.problems {
            diagnose!("warning: {agent}: {} {}", problem.origin, problem.reason);
        }
    }
}

/// Asks the providers, all at once and for each credential only once, however many agents would use it.
fn validate(entries: &mut [Entry]) -> Result<(), Failure> {
    client_runtime()?.block_on(async {
        let mut calls = JoinSet::new();
        for at in 0..entries.len() {
            let (before, rest) = entries.split_at(at);
            let Some(entry) = rest.first() else { break };
            if before.iter().any(|known| known.asks_the_same(entry)) {
                continue;
            }
            let credential = entry.credential.clone();
            calls.spawn(async move {
                let validity = match &credential.secret {
                    Some(secret) => {
                        let base_url = credential.base_url.as_deref();
                        sa_credentials::validate(&credential.provider, credential.kind, secret, base_url)
                            .await
                    }
                    None => Validity::Unknown { reason: "there is no secret to ask with".to_owned() },
                };
                (at, validity)
            });
        }
        for (at, validity) in calls.join_all().await {
            let Some(asked) = entries.get(at).cloned() else { continue };
            let same = entries.iter_mut().filter(|entry| entry.asks_the_same(&asked));
            same.for_each(|entry| entry.validity = Some(validity.clone()));
        }
    });
    Ok(())
}
