//! `sandbox-agent` without arguments: the first things to try.

use crate::failure::Failure;
use std::io::{self, Write};
use std::process::ExitCode;

const TEXT: &str = concat!(
    "sandbox-agent ",
    env!("CARGO_PKG_VERSION"),
    r#": run coding agents in a sandbox and drive them over HTTP

Three things to try:

  sandbox-agent run --agent demo "hello"
      Run one prompt. The demo agent needs no key; claude, codex, opencode and
      amp work the same way. 'sandbox-agent chat' is interactive.

  sandbox-agent server
      Start the daemon, then open the inspector that it prints:
      http://127.0.0.1:2468/ui/. 'sandbox-agent daemon start' does it in the
      background.

  sandbox-agent api --help
      Every operation of the HTTP API as a command. The TypeScript SDK has the
      same operations.

'sandbox-agent --help' lists every command.
"#
);

/// Prints the text; a reader that closes its end has read enough.
pub(super) fn print() -> ExitCode {
    match io::stdout().lock().write_all(TEXT.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failure::from(error).report(),
    }
}
