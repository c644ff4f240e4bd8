//! The list of agents a daemon offers: the files in `catalog/` and the user's own.

use crate::names::closest;
use crate::{AgentDefinition, AgentSpec};
use std::collections::BTreeMap;
use thiserror::Error;

/// Every agent that can be named, by id.
#[derive(Debug, Clone)]
pub struct Catalog {
    agents: BTreeMap<String, AgentSpec>,
}

/// The reason why a file of definitions was refused.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// The file is not TOML, or not of this form.
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
        &[$(($id, include_str!(concat!("../catalog/", $id, ".toml"))),)*]
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

/// The catalog has no such agent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no agent '{agent}'{hint}")]
pub struct UnknownAgent {
    /// The id that was asked for.
    pub agent: String,
    hint: String,
}

impl Catalog {
    /// Returns the agents that ship with the daemon.
    pub fn shipped() -> Result<Self, CatalogError> {
        let mut catalog = Self { agents: BTreeMap::new() };
        for (id, text) in FILES {
            let definition: AgentDefinition = toml::from_str(text)
                .map_err(|error| CatalogError::Form { id: (*id).to_owned(), reason: error.to_string() })?;
            catalog.add(definition.into_spec(id)?);
        }
        Ok(catalog)
    }

    /// Adds an agent; one of the same id is replaced.
    pub fn add(&mut self, agent: AgentSpec) {
        self.agents.insert(agent.id.clone(), agent);
    }

    /// Returns the agent of that id.
    pub fn get(&self, id: &str) -> Option<&AgentSpec> {
        self.agents.get(id)
    }

    /// Returns the agent of that id, or an error that says which id was probably meant.
    pub fn find(&self, id: &str) -> Result<&AgentSpec, UnknownAgent> {
        self.get(id).ok_or_else(|| UnknownAgent { agent: id.to_owned(), hint: self.hint(id) })
    }

    /// Returns a hint: a close id, or else all ids. Programs and packages have names such as `claude-code`.
    fn hint(&self, id: &str) -> String {
        let ids: Vec<&str> = self.agents.keys().map(String::as_str).collect();
        let program = id.split_once(['-', '_', '@']).and_then(|(start, _)| closest(start, &ids));
        match closest(id, &ids).or(program) {
            Some(close) => format!(", did you mean '{close}'?"),
            None => format!("; known are: {}", ids.join(", ")),
        }
    }

    /// Returns all agents, in the order of their ids.
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
    fn an_unknown_agent_gets_the_closest_id_or_all() {
        let catalog = Catalog::shipped().unwrap();
        let refusal = |id: &str| catalog.find(id).unwrap_err().to_string();
        for (given, meant) in [
            ("cladue", "claude"),
            ("Claude", "claude"),
            ("claude-code", "claude"),
            ("open-code", "opencode"),
            ("gemini-cli", "gemini"),
        ] {
            assert_eq!(refusal(given), format!("there is no agent '{given}', did you mean '{meant}'?"));
        }
        let all = refusal("nobody");
        assert!(
            all.starts_with("there is no agent 'nobody'; known are: ") && all.contains(", claude, "),
            "{all}"
        );
        assert_eq!(catalog.find("demo").unwrap().id, "demo");
    }

    #[test]
    fn every_file_is_listed_and_makes_sense() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/catalog");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap().replace(".toml", ""))
            .collect();
        files.sort();
        let catalog = Catalog::shipped().unwrap();
        assert_eq!(catalog.iter().map(|agent| agent.id.clone()).collect::<Vec<_>>(), files);
    }

    /// The table of platforms that the reference agents are published for.
    #[test]
    fn the_reference_agents_have_builds_for_their_platforms() {
        let catalog = Catalog::shipped().unwrap();
        for id in ["claude", "codex", "opencode", "amp"] {
            let sources = &catalog.get(id).unwrap().install.as_ref().unwrap().sources;
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
