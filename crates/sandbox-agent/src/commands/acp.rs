//! `sandbox-agent acp <agent>`: a built-in agent on standard input and output, for the daemon and for editors.

use crate::args::AcpArgs;
use crate::failure::Failure;
use sa_agents::Builtin;
use std::process::ExitCode;

pub(crate) fn run(args: AcpArgs) -> Result<ExitCode, Failure> {
    match Builtin::from_id(&args.agent) {
        Some(Builtin::Demo) => Ok(sa_demo::run_stdio(sa_demo::Options {
            state_dir: args.state_dir,
            env: Box::new(|name| std::env::var(name).ok()),
        })),
        None => {
            let known = Builtin::ALL.map(Builtin::id).join(", ");
            Err(Failure::usage(format_args!("'{}' is not a built-in agent; there is: {known}", args.agent)))
        }
    }
}
