//! Trials through universal sessions of more than the conversation: a credential, skills, MCP servers, variables, cancels.
//! They run with real agents, as only those show that they take it where the daemon puts it.

mod cancelling;
mod harm;
mod modes;
mod moving;
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
    /// MCP servers that are slow, or do not work.
    LostServers,
    /// Other variables in the middle of a conversation.
    Place,
    /// Variables that make each session a separate process, all at once.
    Crowd,
    /// A cancel right after a message.
    Cancel,
    Rules,
    /// Commands and tools that change files.
    Harm,
    Modes,
    /// Options, and an agent that the user has defined.
    Options,
}

impl Given {
    /// Every case.
    pub const ALL: [Self; 11] = [
        Self::Token,
        Self::Skills,
        Self::Servers,
        Self::LostServers,
        Self::Place,
        Self::Crowd,
        Self::Cancel,
        Self::Rules,
        Self::Harm,
        Self::Modes,
        Self::Options,
    ];

    /// Returns whether it is tried with this agent: it takes a model to see what arrived.
    pub fn tries(self, subject: &Subject) -> bool {
        if self == Self::Harm {
            return harm::tries(subject);
        }
        if matches!(self, Self::Rules | Self::Modes) && subject.name == "amp" {
            return true;
        }
        let concerns = match self {
            Self::LostServers => ["codex", "opencode"].contains(&subject.agent),
            // Others have nothing in their homes that processes make at their start.
            Self::Crowd => subject.agent == "codex",
            // Versions do not differ in this.
            Self::Modes => subject.version.is_none(),
            Self::Options => ["claude", "opencode"].contains(&subject.name),
            _ => true,
        };
        Way::has_sessions(subject) && subject.has_model() && concerns
    }

    pub fn trial(self, subject: &Subject) -> String {
        let name = match self {
            Self::Token => "token",
            Self::Skills => "skills",
            Self::Servers => "directory_mcp",
            Self::LostServers => "lost_mcp",
            Self::Place => "moved",
            Self::Crowd => "crowd",
            Self::Cancel => "cancel_at_once",
            Self::Rules => "rules",
            Self::Harm => "harm",
            Self::Modes => "modes",
            Self::Options => "options",
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
                Self::LostServers => servers::are_missed(subject).await,
                Self::Place => moving::keeps_the_conversation(subject).await,
                Self::Crowd => moving::starts_together(subject).await,
                Self::Cancel => cancelling::holds(subject).await,
                Self::Rules => rules::hold(subject).await,
                Self::Harm => harm::is_prevented(subject).await,
                Self::Modes => modes::do_what_the_table_says(subject).await,
                Self::Options => modes::options_arrive(subject).await,
            }
        })
    }
}
