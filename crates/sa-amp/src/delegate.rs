//! The helper program that the CLI starts to ask whether a tool may run. It asks the agent, waits, and exits with the verdict.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

/// The environment variable that names the permission socket.
pub const SOCKET: &str = "SANDBOX_AGENT_AMP_SOCKET";

/// The exit code that the CLI takes for a refusal. Any other but 0 makes it ask at a terminal, which there is none.
const REFUSED: u8 = 2;

/// A question whether a tool may run.
#[derive(Debug, Serialize, Deserialize)]
pub struct PermissionQuery {
    pub tool: String,
    /// The call, if the CLI says which.
    pub call: Option<String>,
    pub thread: String,
    #[serde(default)]
    pub input: Value,
}

/// The answer to a [`PermissionQuery`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Verdict {
    pub(crate) allow: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl Verdict {
    pub(crate) fn line(&self) -> Vec<u8> {
        // It always has a JSON form; without one, nothing would be allowed.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// Asks at the permission socket. The tool's input is on standard input. Whatever goes wrong means no.
pub fn ask_permission(socket: &Path, query: PermissionQuery) -> ExitCode {
    match ask(socket, query) {
        Ok(Verdict { allow: true, .. }) => ExitCode::SUCCESS,
        Ok(Verdict { reason, .. }) => refuse(reason.as_deref().unwrap_or("not allowed")),
        Err(error) => refuse(&format!("nobody could be asked: {error}")),
    }
}

fn ask(socket: &Path, mut query: PermissionQuery) -> io::Result<Verdict> {
    let mut input = String::new();
    io::stdin().lock().read_to_string(&mut input)?;
    query.input = serde_json::from_str(&input)?;
    let mut stream = UnixStream::connect(socket)?;
    let mut line = serde_json::to_vec(&query)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    Ok(serde_json::from_str(&answer)?)
}

fn refuse(reason: &str) -> ExitCode {
    // The CLI passes this on to the model.
    let _ = writeln!(io::stderr(), "{reason}");
    ExitCode::from(REFUSED)
}
