//! Credentials as assignments for a shell.

use super::Found;
use sa_credentials::{Variable, environment};

/// Variables for a shell, and those that were left out.
pub(super) struct HandedOn {
    pub(super) variables: Vec<Variable>,
    pub(super) warnings: Vec<String>,
}

/// One environment for all agents. Where two want a variable for different values the first gets it.
pub(super) fn handed_on(found: &[Found], now_ms: u64) -> HandedOn {
    let mut handed = HandedOn { variables: Vec::new(), warnings: Vec::new() };
    for Found { agent, findings } in found {
        let variables = environment(&findings.credentials, now_ms);
        for credential in &findings.credentials {
            let reason = match credential.variables.is_empty() {
                true => "cannot be handed on by variables",
                // Credentials that cannot be renewed were reported already.
                false if credential.is_expired(now_ms) && credential.renewable => {
                    "has expired and is left out"
                }
                false => continue,
            };
            handed.warnings.push(format!("{agent}: {} {reason}", credential.origin));
        }
        for variable in variables {
            match handed.variables.iter().find(|known| known.name == variable.name) {
                None => handed.variables.push(variable),
                Some(known) if known.value == variable.value => {}
                Some(_) => {
                    let name = variable.name;
                    let warning = format!("{agent}: another agent has {name} for another value; use --agent");
                    handed.warnings.push(warning);
                }
            }
        }
    }
    handed
}

/// A word that every POSIX shell reads as exactly this text.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
