//! Where each agent looks for skills: the one table of it.

use std::collections::BTreeMap;
use std::path::{Component, Path};

/// The directory of agents that are not in the table: the one that most of them share.
const SHARED: &str = ".agents/skills";

/// Agents with a place of their own, beneath the directory they work in.
const OWN: [(&str, &str); 14] = [
    ("auggie", ".augment/skills"),
    ("autohand", ".autohand/skills"),
    ("claude", ".claude/skills"),
    ("codebuddy", ".codebuddy/skills"),
    ("cortex", ".cortex/skills"),
    ("devin", ".devin/skills"),
    ("goose", ".goose/skills"),
    ("grok", ".grok/skills"),
    ("junie", ".junie/skills"),
    // It also reads the shared places, unless that is disabled.
    ("opencode", ".opencode/skills"),
    ("pi", ".pi/skills"),
    ("qoder", ".qoder/skills"),
    ("qwen", ".qwen/skills"),
    ("vibe", ".vibe/skills"),
];

/// The directories in which agents look for skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    by_agent: BTreeMap<String, String>,
}

impl Places {
    /// Returns the table with another line. A place that is absolute or climbs is not taken: `None`.
    pub fn with(mut self, agent: impl Into<String>, directory: impl Into<String>) -> Option<Self> {
        let directory = directory.into();
        let mut parts = Path::new(&directory).components();
        if directory.is_empty() || !parts.all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        self.by_agent.insert(agent.into(), directory);
        Some(self)
    }

    /// Returns the place of an agent, relative to the directory it works in.
    pub fn of(&self, agent: &str) -> &str {
        self.by_agent.get(agent).map_or(SHARED, String::as_str)
    }
}

/// The directories of the agents in the catalog.
impl Default for Places {
    fn default() -> Self {
        let own = OWN.iter().map(|(agent, place)| ((*agent).to_owned(), (*place).to_owned()));
        Self { by_agent: own.collect() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_agent_has_its_place_or_the_shared_one() {
        let places = Places::default();
        assert_eq!(places.of("claude"), ".claude/skills");
        assert_eq!(places.of("opencode"), ".opencode/skills");
        for agent in ["codex", "amp", "somebody-new"] {
            assert_eq!(places.of(agent), ".agents/skills", "{agent}");
        }
    }

    #[test]
    fn only_places_beneath_the_directory_are_taken() {
        let places = Places::default().with("mine", "tools/skills").unwrap();
        assert_eq!(places.of("mine"), "tools/skills");
        for bad in ["", "/etc", "../up", "a/../../b"] {
            assert_eq!(Places::default().with("mine", bad), None, "{bad}");
        }
    }
}
