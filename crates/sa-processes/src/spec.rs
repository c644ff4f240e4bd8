//! A command to start.

use sa_supervisor::{CommandSpec, TerminalSize};
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// The kind of terminal that programs see.
const TERM: &str = "xterm-256color";

/// A command.
#[derive(Clone, Default)]
pub struct Spec {
    /// A path, or a name to be found in `PATH`.
    pub command: String,
    pub args: Vec<String>,
    /// The working directory. A relative path begins at the workspace, which is also the default.
    pub cwd: Option<String>,
    /// Variables on top of what every process gets.
    pub env: Vec<(String, String)>,
    /// Set if the standard input stays open.
    pub interactive: bool,
    /// The terminal it starts on, if it is to have one.
    pub terminal: Option<TerminalSize>,
}

impl Spec {
    pub(crate) fn for_supervisor(&self, workspace: &Path) -> CommandSpec {
        let mut command = CommandSpec::new(&self.command);
        command.args = self.args.iter().map(Into::into).collect();
        command.cwd = Some(self.cwd.as_ref().map_or_else(|| workspace.to_owned(), |cwd| workspace.join(cwd)));
        if self.terminal.is_some() {
            command.env.push(("TERM".into(), TERM.into()));
        }
        // The caller's variables override all others.
        command.env.extend(self.env.iter().map(|(name, value)| (name.into(), value.into())));
        command
    }
}

/// Arguments and values may be secrets: names only.
impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Spec")
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("cwd", &self.cwd)
            .field("env", &names)
            .field("terminal", &self.terminal)
            .finish_non_exhaustive()
    }
}

/// Bounds of `run`. The configuration supplies absent ones and caps the others.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunBounds {
    pub timeout: Option<Duration>,
    /// The most bytes of each output stream.
    pub output_bytes: Option<usize>,
}
