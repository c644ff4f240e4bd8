//! Tool calls: called, allowed, done.

use super::Session;
use crate::core::Core;
use crate::tools;
use agent_client_protocol_schema::v1::ToolCallStatus;
use sa_acp::absolute;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallSource {
    /// The CLI reported the call, and will report its result.
    Cli,
    /// A helper asked about the call.
    Helper,
}

/// The tool calls of a session, each with its source.
pub(super) type Tools = sa_acp::RememberedTools<CallSource>;

impl Session {
    pub(super) fn tool_called(
        &mut self,
        core: &mut Core,
        id: &str,
        name: &str,
        input: &Value,
        parent: Option<&str>,
    ) {
        match self.tools.get_mut(id) {
            Some(tool) => tool.note = CallSource::Cli,
            None => self.new_tool(core, id, name, input, parent.map(str::to_owned), CallSource::Cli),
        }
    }

    /// Reports a call that a helper asks about and the CLI did not report: one of a sub-agent.
    pub(super) fn tool_asked(&mut self, core: &mut Core, id: &str, name: &str, input: &Value) {
        if self.tools.get(id).is_none() {
            let parent = self.only_agent();
            self.new_tool(core, id, name, input, parent, CallSource::Helper);
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
        source: CallSource,
    ) {
        let path = tools::changed_file(name, input);
        let before = path.and_then(|path| core.host.disk.read(&absolute(path, &self.workspace.cwd)));
        let described = tools::call(name, input, &self.workspace.cwd, before.as_deref());
        self.tools.begin(&mut core.io.client, &self.conversation.id, id, described, parent, source);
    }

    pub(super) fn tool_done(&mut self, core: &mut Core, id: &str, content: &Value, status: ToolCallStatus) {
        if self.tools.get(id).is_none() {
            // The call was made before this process was there.
            self.new_tool(core, id, "unknown", &json!({}), None, CallSource::Cli);
        }
        let Some(tool) = self.tools.get(id) else { return };
        let outcome = tools::outcome(id, &tool.name, content, status);
        self.tools.done(&mut core.io.client, &self.conversation.id, id, outcome);
    }

    /// Fails a call that was not allowed, if the CLI will not report its result.
    pub(super) fn tool_refused(&mut self, core: &mut Core, id: &str, reason: &str) {
        if self.tools.get(id).is_some_and(|tool| tool.note == CallSource::Helper) {
            self.tool_done(core, id, &json!(reason), ToolCallStatus::Failed);
        }
    }

    /// Completes the calls of sub-agents at the end of a turn: the CLI does not report their results.
    pub(super) fn finish_unseen(&mut self, core: &mut Core) {
        self.tools.end(&mut core.io.client, &self.conversation.id, ToolCallStatus::Completed, None);
    }
}
