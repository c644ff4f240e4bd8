//! The list of agents a daemon offers: the files in `catalogue/` and the user's own.

use crate::{AgentDefinition, AgentSpec};
use std::collections::BTreeMap;
use thiserror::Error;

/// Every agent that can be named, by id.
#[derive(Debug, Clone)]
pub struct Catalogue {
    agents: BTreeMap<String, AgentSpec>,
}

/// Why a file of definitions was refused.
#[derive(Debug, Error)]
pub enum CatalogueError {
    /// It is no TOML, or not of this form.
    #[error("agent '{id}': {reason}")]
    Form {
        /// The agent.
        id: String,
        /// The parser's words.
        reason: String,
    },
    /// A definition makes no sense.
    #[error(transparent)]
    Definition(#[from] crate::DefinitionError),
}

macro_rules! files {
    ($($id:literal,)*) => {
        &[$(($id, include_str!(concat!("../catalogue/", $id, ".toml"))),)*]
    };
}

/// The agents that ship with the daemon. A test compares this list with the directory.
const FILES: &[(&str, &str)] = files![
    "agoragentic",
    "amp",
    "antigravity",
    "auggie",
    "autohand",
    "claude",
    "cline",
    "codebuddy",
    "codex",
    "copilot",
    "cortex",
    "corust",
    "cursor",
    "deepagents",
    "demo",
    "devin",
    "dimcode",
    "dirac",
    "droid",
    "fast-agent",
    "gemini",
    "glm",
    "goose",
    "grok",
    "harn",
    "junie",
    "kilo",
    "kimi",
    "minion",
    "nova",
    "opencode",
    "pi",
    "poolside",
    "qoder",
    "qwen",
    "sigit",
    "stakpak",
    "vibe",
    "vtcode",
];

impl Catalogue {
    /// The agents that ship with the daemon.
    pub fn shipped() -> Result<Self, CatalogueError> {
        let mut catalogue = Self { agents: BTreeMap::new() };
        for (id, text) in FILES {
            let definition: AgentDefinition = toml::from_str(text)
                .map_err(|error| CatalogueError::Form { id: (*id).to_owned(), reason: error.to_string() })?;
            catalogue.add(definition.into_spec(id)?);
        }
        Ok(catalogue)
    }

    /// Adds an agent; one of the same id is replaced.
    pub fn add(&mut self, agent: AgentSpec) {
        self.agents.insert(agent.id.clone(), agent);
    }

    /// The agent of that id.
    pub fn get(&self, id: &str) -> Option<&AgentSpec> {
        self.agents.get(id)
    }

    /// All agents, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &AgentSpec> {
        self.agents.values()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Platform, Source};

    #[test]
    fn every_file_is_listed_and_makes_sense() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/catalogue");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap().replace(".toml", ""))
            .collect();
        files.sort();
        let catalogue = Catalogue::shipped().unwrap();
        assert_eq!(catalogue.iter().map(|agent| agent.id.clone()).collect::<Vec<_>>(), files);
    }

    /// The table of platforms that the reference agents are published for.
    #[test]
    fn the_reference_agents_have_builds_for_their_platforms() {
        let catalogue = Catalogue::shipped().unwrap();
        for id in ["claude", "codex", "opencode", "amp"] {
            let sources = &catalogue.get(id).unwrap().install.as_ref().unwrap().sources;
            for platform in Platform::ALL {
                let published = sources.iter().any(|source| {
                    matches!(source, Source::Vendor(_) | Source::Github(_))
                        && source.build_for(platform).is_some()
                });
                let musl = platform.name().contains("musl");
                assert_eq!(published, id != "amp" || !musl, "{id} on {platform}");
            }
        }
    }
}
