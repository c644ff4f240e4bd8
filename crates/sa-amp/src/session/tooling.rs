//! Tool calls: called, allowed, done.

use super::Session;
use crate::core::Core;
use crate::tools;
use agent_client_protocol_schema::v1::ToolCallStatus;
use sa_acp::absolute;
use serde_json::{Value, json};

/// The tool calls of a session, each with whether the CLI told of it itself, so that it will tell its result, too.
pub(super) type Tools = sa_acp::RememberedTools<bool>;

impl Session {
    /// The model calls a tool.
    pub(super) fn tool_called(
        &mut self,
        core: &mut Core,
        id: &str,
        name: &str,
        input: &Value,
        parent: Option<&str>,
    ) {
        match self.tools.get_mut(id) {
            Some(tool) => tool.note = true,
            None => self.new_tool(core, id, name, input, parent.map(str::to_owned), true),
        }
    }

    /// A tool is asked about of which the CLI has not told: a sub-agent's.
    pub(super) fn tool_asked(&mut self, core: &mut Core, id: &str, name: &str, input: &Value) {
        if self.tools.get(id).is_none() {
            let parent = self.only_agent();
            self.new_tool(core, id, name, input, parent, false);
        }
    }

    /// The call of a sub-agent that is under way, if it is the only one.
    fn only_agent(&self) -> Option<String> {
        let mut agents = self.tools.open().filter(|(_, tool)| tools::is_agent(&tool.name));
        let (only, _) = agents.next()?;
        agents.next().is_none().then(|| only.to_owned())
    }

    fn new_tool(
        &mut self,
        core: &mut Core,
        id: &str,
        name: &str,
        input: &Value,
        parent: Option<String>,
        told: bool,
    ) {
        let path = tools::changed_file(name, input);
        let before = path.and_then(|path| core.host.disk.read(&absolute(path, &self.workspace.cwd)));
        let described = tools::call(name, input, &self.workspace.cwd, before.as_deref());
        self.tools.begin(&mut core.client, &self.conversation.id, id, described, parent, told);
    }

    pub(super) fn tool_done(&mut self, core: &mut Core, id: &str, content: &Value, failed: bool) {
        if self.tools.get(id).is_none() {
            // The call was made before this process was there.
            self.new_tool(core, id, "unknown", &json!({}), None, true);
        }
        let Some(tool) = self.tools.get(id) else { return };
        let outcome = tools::outcome(id, &tool.name, content, failed);
        self.tools.done(&mut core.client, &self.conversation.id, id, outcome);
    }

    /// A call of which the CLI will tell no result was not allowed.
    pub(super) fn tool_refused(&mut self, core: &mut Core, id: &str, reason: &str) {
        if self.tools.get(id).is_some_and(|tool| !tool.note) {
            self.tool_done(core, id, &json!(reason), true);
        }
    }

    /// The turn is over, and with it what was allowed to sub-agents: of that the CLI tells nothing.
    pub(super) fn finish_unseen(&mut self, core: &mut Core) {
        self.tools.end(&mut core.client, &self.conversation.id, ToolCallStatus::Completed, None);
    }
}
