//! Tasks for an agent, in words that fit every agent. `render` turns them into prompts.

use serde_json::{Value, json};
use std::time::Duration;

/// One thing that the agent's model does.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Say(String),
    /// Says a text in several pieces.
    Stream {
        pieces: usize,
    },
    /// Says what the last tool gave to the model.
    SayResult,
    /// Says which model and which effort are in use.
    SaySettings,
    /// Says how many images came with the prompt, and of which types.
    SayImages,
    Think(String),
    Shell {
        command: String,
        background: bool,
    },
    Write {
        path: String,
        content: String,
    },
    Edit {
        path: String,
        old: String,
        new: String,
    },
    Read {
        path: String,
    },
    /// Writes a list of things to do, the first of which is under way.
    Todo(Vec<String>),
    /// Asks which color: Red, Green or Blue.
    Question,
    /// Writes a plan and asks to leave plan mode.
    LeavePlan {
        plan: String,
    },
    /// Has another agent do something.
    Delegate {
        script: Script,
        background: bool,
    },
    /// Calls a tool of an MCP server.
    Mcp {
        server: String,
        tool: String,
        input: Value,
    },
    /// Calls a tool by the agent's own name for it.
    Own {
        tool: &'static str,
        input: Value,
    },
    /// Ends for this reason.
    Stop(&'static str),
    /// The numbers of tokens that the model reports.
    Usage {
        input: u64,
        output: u64,
    },
    Hang,
    /// Is silent for so long.
    Pause(Duration),
    /// The model's API fails with this status, so many times or always.
    Fail {
        status: u16,
        times: Option<u32>,
    },
    /// The connection to the model breaks, so many times or always.
    Cut {
        times: Option<u32>,
    },
    /// Sums the conversation up.
    Compact,
    /// The agent's own program writes something that nobody knows.
    Noise,
}

/// Steps in order. A model does those of one turn at once and sees the results of its tools after `then`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub(crate) turns: Vec<Vec<Step>>,
}

/// Returns a script without steps.
pub(crate) fn script() -> Script {
    Script { turns: vec![Vec::new()] }
}

pub(crate) fn say(text: &str) -> Script {
    script().say(text)
}

impl Script {
    pub(crate) fn step(mut self, step: Step) -> Self {
        if let Some(turn) = self.turns.last_mut() {
            turn.push(step);
        }
        self
    }

    /// Returns the model sees the results so far and continues.
    pub(crate) fn then(mut self) -> Self {
        self.turns.push(Vec::new());
        self
    }

    pub(crate) fn say(self, text: &str) -> Self {
        self.step(Step::Say(text.to_owned()))
    }

    pub(crate) fn think(self, text: &str) -> Self {
        self.step(Step::Think(text.to_owned()))
    }

    pub(crate) fn shell(self, command: &str) -> Self {
        self.step(Step::Shell { command: command.to_owned(), background: false })
    }

    pub(crate) fn write(self, path: &str, content: &str) -> Self {
        self.step(Step::Write { path: path.to_owned(), content: content.to_owned() })
    }

    pub(crate) fn edit(self, path: &str, old: &str, new: &str) -> Self {
        self.step(Step::Edit { path: path.to_owned(), old: old.to_owned(), new: new.to_owned() })
    }

    pub(crate) fn read(self, path: &str) -> Self {
        self.step(Step::Read { path: path.to_owned() })
    }

    pub(crate) fn leave_plan(self, plan: &str) -> Self {
        self.step(Step::LeavePlan { plan: plan.to_owned() })
    }

    /// Calls the only tool of the suite's MCP server.
    pub(crate) fn greet_by_mcp(self, server: &str, who: &str) -> Self {
        let (server, tool) = (server.to_owned(), crate::mcp::TOOL.to_owned());
        self.step(Step::Mcp { server, tool, input: json!({ "who": who }) })
    }
}
