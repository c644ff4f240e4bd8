//! Credentials as the environment that an agent is started with.

use crate::agents::{AUTH_CONTENT, merged_content};
use crate::{Credential, Secret, Variable};

/// Returns the variables that hand these credentials, found for one agent, to it: of each provider the first that is
/// not expired and has variables, so that the agent uses elsewhere what it would use here.
pub fn environment(credentials: &[Credential], now_ms: u64) -> Vec<Variable> {
    let mut providers: Vec<&str> = Vec::new();
    let mut variables: Vec<Variable> = Vec::new();
    let mut contents: Vec<&Secret> = Vec::new();
    for credential in credentials {
        if credential.variables.is_empty()
            || credential.is_expired(now_ms)
            || providers.contains(&credential.provider.as_str())
        {
            continue;
        }
        providers.push(&credential.provider);
        for variable in &credential.variables {
            if variable.name == AUTH_CONTENT {
                contents.push(&variable.value);
            } else if !variables.iter().any(|known| known.name == variable.name) {
                variables.push(variable.clone());
            }
        }
    }
    if !contents.is_empty() {
        variables.push(Variable { name: AUTH_CONTENT, value: merged_content(&contents) });
    }
    variables
}
