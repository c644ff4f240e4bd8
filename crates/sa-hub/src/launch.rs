//! From an agent's description to a command line.

use sa_agents::{AgentSpec, Launch};
use sa_supervisor::CommandSpec;
use std::ffi::OsString;
use std::path::Path;

/// The command that starts this agent; `this_program` is the daemon's own binary.
pub(crate) fn command(agent: &AgentSpec, this_program: &Path) -> CommandSpec {
    let (program, arg0, args) = match &agent.launch {
        Launch::Builtin { builtin, .. } => {
            let args = vec![OsString::from("acp"), OsString::from(builtin.id())];
            (this_program.as_os_str().to_owned(), Some(OsString::from("sandbox-agent")), args)
        }
        Launch::Command { program, args } => {
            (OsString::from(program), None, args.iter().map(OsString::from).collect())
        }
        Launch::InstallOnly { program } => (OsString::from(program), None, Vec::new()),
    };
    let env = agent.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    CommandSpec { program, arg0, args, env, cwd: None }
}
