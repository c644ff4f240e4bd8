//! Lets schemathesis make up requests from the contract and compare the answers with it.

use super::DOCUMENT;
use super::daemon::{Daemon, Programs, TOKEN};
use crate::shell::root;
use crate::tools::Tools;
use anyhow::{Context, Result};

/// Sets how many examples schemathesis makes for each operation and phase, for a longer search by hand.
const EXAMPLES: &str = "SA_EXAMPLES";

/// Runs all checks and phases; `clients/schemathesis/schemathesis.toml` configures them.
pub(crate) fn run() -> Result<()> {
    let tools = Tools::python("clients")?;
    let daemon = Daemon::start(Programs::None)?;
    let mut program = tools
        .program("schemathesis")
        .args(&["--config-file", "schemathesis.toml", "run"])
        .args(&[&root().join(DOCUMENT)])
        .args(&["--url", &daemon.url])
        .env("SANDBOX_AGENT_TOKEN", TOKEN)
        .folder(&root().join("clients/schemathesis"));
    if let Ok(examples) = std::env::var(EXAMPLES) {
        program = program.args(&["--max-examples", &examples]);
    }
    program.run().with_context(|| format!("the daemon wrote:\n{}", daemon.log()))?;
    daemon.stop()
}
