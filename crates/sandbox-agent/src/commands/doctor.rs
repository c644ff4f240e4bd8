//! `sandbox-agent doctor`: why an agent will not start.

use crate::agents::Agents;
use crate::args::{DoctorArgs, STATE_DIR_VARIABLE};
use crate::commands::install_agent::{load_with, named, runtime};
use crate::commands::render::{print_json, print_text};
use crate::failure::Failure;
use anyhow::Context;
use sa_agents::AgentSpec;
use sa_doctor::{Doctor, Finding, Machine, Report, Verdict};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

pub(crate) fn run(args: DoctorArgs) -> Result<(), Failure> {
    let settings = load_with(args.local, args.agent)?;
    let chosen = named(&settings.catalog, &args.agents)?;
    runtime()?.block_on(async {
        let (parts, supervisor) = Agents::standalone(&settings)?;
        let installer = parts.launcher.installer().clone();
        // Those that somebody uses here; `demo` always is.
        let in_use = |agent: &&AgentSpec| {
            agent.program().is_none() || installer.find(agent, None).is_ok_and(|found| found.is_some())
        };
        let agents: Vec<&AgentSpec> =
            if chosen.is_empty() { settings.catalog.iter().filter(in_use).collect() } else { chosen };
        let doctor = Doctor {
            launcher: parts.launcher,
            probe: parts.probe,
            supervisor: supervisor.clone(),
            host: parts.host,
            machine: Machine {
                search_path: std::env::var_os("PATH"),
                temporary: std::env::temp_dir(),
                data_dir: settings.data_dir.clone(),
            },
            offline: args.offline,
        };
        let mut reports = vec![doctor.examine_machine()];
        // An examination starts agents; the sessions that they keep then are nobody's.
        let scratch = tempfile::tempdir().context("cannot create a temporary directory")?;
        for agent in agents {
            reports.push(doctor.examine(&keeping_state_in(scratch.path(), agent)).await);
        }
        supervisor.shutdown(Duration::ZERO).await;
        if args.json {
            print_json(&reports)?;
        } else {
            print_text(&in_words(&reports))?;
        }
        if reports.iter().all(Report::is_fine) { Ok(()) } else { Err(Failure::Exit(1)) }
    })
}

/// Returns the agent with a directory of its own for what it keeps, if it is one that keeps something.
fn keeping_state_in(directory: &Path, agent: &AgentSpec) -> AgentSpec {
    let mut agent = agent.clone();
    if let Some(state_dir) = agent.env.get_mut(STATE_DIR_VARIABLE) {
        *state_dir = directory.join(&agent.id).to_string_lossy().into_owned();
    }
    agent
}

fn in_words(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        let title = report.agent.as_deref().unwrap_or("this machine");
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{title}");
        for Finding { check, verdict, detail, advice } in &report.findings {
            let sign = match verdict {
                Verdict::Fine => "ok  ",
                Verdict::Note => "note",
                Verdict::Wrong => "BAD ",
            };
            let _ = writeln!(text, "  {sign}  {check}: {detail}");
            if let Some(advice) = advice {
                let _ = writeln!(text, "        -> {advice}");
            }
        }
    }
    text.trim_end().to_owned()
}
