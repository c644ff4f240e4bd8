//! What a universal session gives its agent beside the conversation: a credential, skills, MCP servers. With real agents, as
//! only they tell whether they take it where the daemon puts it.

mod provider;
mod rules;
mod scene;
mod servers;
mod skills;
mod token;

use crate::subject::Subject;
use crate::way::Way;
use anyhow::{Result, ensure};

/// One thing that is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// A credential of the session's own.
    Token,
    /// Skills from a directory and from a repository.
    Skills,
    /// MCP servers of the directory.
    Servers,
    /// Rules about permissions.
    Rules,
}

impl Given {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Token, Self::Skills, Self::Servers, Self::Rules];

    /// Whether it is tried with this agent: it takes a model to tell what arrived.
    pub fn tries(self, subject: &Subject) -> bool {
        (Way::has_sessions(subject) && subject.has_model()) || (self == Self::Rules && subject.name == "amp")
    }

    /// The name of a trial.
    pub fn trial(self, subject: &Subject) -> String {
        let name = match self {
            Self::Token => "token",
            Self::Skills => "skills",
            Self::Servers => "directory_mcp",
            Self::Rules => "rules",
        };
        format!("sessions::{}::{name}", subject.name)
    }

    /// Gives it to an agent, and looks whether it arrives.
    pub fn run(self, subject: &'static Subject) -> Result<()> {
        ensure!(self.tries(subject), "not tried with {}", subject.name);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.block_on(async {
            match self {
                Self::Token => token::arrives(subject).await,
                Self::Skills => skills::arrive(subject).await,
                Self::Servers => servers::arrive(subject).await,
                Self::Rules => rules::hold(subject).await,
            }
        })
    }
}
