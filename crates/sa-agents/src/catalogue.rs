//! The list of agents a daemon offers: the built-in ones and the user's own.

use std::collections::BTreeMap;

/// One agent: an identity and a way to start it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSpec {
    /// What clients say in `?agent=`.
    pub id: String,
    /// What people read.
    pub name: String,
    /// How a process that speaks ACP on its standard streams comes to be.
    pub launch: Launch,
    /// Entries on top of the environment that every agent gets.
    pub env: BTreeMap<String, String>,
}

/// How an agent is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// This binary itself, as `sandbox-agent acp <id>`.
    Builtin(Builtin),
    /// A command that speaks ACP.
    Command {
        /// Looked up on `PATH` unless it holds a slash.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
}

/// The agents whose code is in this binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Scripted by the prompt's text; needs no model and no key.
    Demo,
}

/// Every agent that can be named, by id.
#[derive(Debug, Clone)]
pub struct Catalogue {
    agents: BTreeMap<String, AgentSpec>,
}

impl Catalogue {
    /// The agents that ship with the daemon.
    pub fn builtin() -> Self {
        let demo = AgentSpec {
            id: Builtin::Demo.id().to_owned(),
            name: "Demo agent".to_owned(),
            launch: Launch::Builtin(Builtin::Demo),
            env: BTreeMap::new(),
        };
        Self { agents: BTreeMap::from([(demo.id.clone(), demo)]) }
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

impl Builtin {
    /// Its id, also the argument of `sandbox-agent acp`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Demo => "demo",
        }
    }

    /// The built-in agent of that id.
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::Demo].into_iter().find(|agent| agent.id() == id)
    }
}
