//! Runs the machine on a pair of streams and a real process.

use super::core::{Core, Host};
use super::launch::Launch;
use sa_acp::{Cli, Limits, LocalDisk, Machine, Program, Secret};
use std::fs;
use std::path::PathBuf;

#[derive(Debug)]
pub struct Options {
    pub cli: Cli,
    /// The place in which the CLI keeps its files: `CODEX_HOME`, or `.codex` in the home directory. It is made if it is missing. The CLI
    /// does without some of its helpers if this is a directory for temporary files.
    pub codex_home: PathBuf,
    /// The key for the model's API. It is given to the CLI without being stored. Without one, the CLI's own login counts.
    pub api_key: Option<Secret>,
    /// The variable that holds the key if the client gave it for its sessions: it comes before all others, also with a
    /// provider of the user's own.
    pub token_variable: Option<String>,
    /// The address of the model's API, if not the CLI's own.
    pub base_url: Option<String>,
    /// Set if a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// Set if a client may choose models that the CLI does not list.
    pub any_model: bool,
    pub limits: Limits,
}

impl Options {
    /// The CLI at that path with its files in that directory, an empty environment, and nothing allowed that is not safe.
    pub fn new(program: impl Into<PathBuf>, codex_home: impl Into<PathBuf>) -> Self {
        Self {
            cli: Cli::new(program),
            codex_home: codex_home.into(),
            api_key: None,
            token_variable: None,
            base_url: None,
            allow_bypass: false,
            any_model: false,
            limits: Limits::USUAL,
        }
    }

    /// Returns the agent, ready to run.
    pub fn into_program(mut self) -> Program<Core> {
        let (cli, home, limits) = (std::mem::take(&mut self.cli), self.codex_home.clone(), self.limits);
        let host = Host { options: self, disk: Box::new(LocalDisk) };
        Program::new(Machine::new(host), cli, limits, move |cli, launch: &Launch| {
            // The CLI refuses to start without it, and says so.
            let _ = fs::create_dir_all(&home);
            let env = vec![("CODEX_HOME".into(), home.clone().into_os_string())];
            cli.command(launch.arguments(), env, Some(home.clone()))
        })
    }
}
