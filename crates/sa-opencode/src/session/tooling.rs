//! Tool calls: started, printing, done.

use super::Session;
use crate::core::Core;
use crate::native::message::Part;
use crate::tools::{self, Shown};
use agent_client_protocol_schema::v1::{ToolCallContent, ToolCallUpdateFields};
use sa_acp::{Described, RunningTools};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Those of a session, by the ids of their calls.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) running: RunningTools,
    /// Those of the turn that are done: events about them may come late.
    done: BTreeSet<String>,
    /// Changes of files that were asked about before the call was reported.
    changes: BTreeMap<String, Vec<ToolCallContent>>,
    /// Files that were written in this turn.
    written: BTreeSet<PathBuf>,
    /// Sessions of sub-agents, each with the call that sent it.
    senders: BTreeMap<String, String>,
}

impl Tools {
    /// The call that sent a sub-agent, by its session.
    pub(super) fn sender_of(&self, session: &str) -> Option<&str> {
        self.senders.get(session).map(String::as_str)
    }

    pub(super) fn written(&self) -> impl Iterator<Item = &Path> {
        self.written.iter().map(PathBuf::as_path)
    }
}

impl Session {
    /// A tool call, as it is now; `parent` is the call that a sub-agent works for.
    pub(super) fn tool(&mut self, core: &mut Core, part: &Part, parent: Option<&str>) {
        let (call, state) = (&part.call, &part.state);
        if self.tools.done.contains(call) {
            return;
        }
        if let Some(session) = state.metadata["sessionId"].as_str().filter(|_| part.tool == "task") {
            self.tools.senders.insert(session.to_owned(), call.clone());
        }
        match state.status.as_str() {
            // Nothing is known of it yet.
            "pending" => {}
            "running" => {
                self.start_part(core, part, parent);
                if let Some(printed) = state.metadata["output"].as_str() {
                    self.on_output(core, call, printed);
                }
            }
            _ => {
                self.start_part(core, part, parent);
                self.tool_done(core, part);
            }
        }
    }

    fn start_part(&mut self, core: &mut Core, part: &Part, parent: Option<&str>) {
        let described = tools::describe(part, &self.workspace.cwd);
        self.tools.written.extend(described.locations.iter().map(|location| location.path.clone()));
        self.tool_started(core, &part.call, described, parent);
    }

    /// A call begins, or is asked about: the server may ask first.
    pub(super) fn tool_started(
        &mut self,
        core: &mut Core,
        id: &str,
        mut described: Described,
        parent: Option<&str>,
    ) {
        if let Some(tool) = self.tools.running.get_mut(id) {
            tool.parent = tool.parent.take().or_else(|| parent.map(str::to_owned));
            return;
        }
        if let Some(changes) = self.tools.changes.remove(id) {
            described.content = changes;
        }
        self.tools.running.start(&mut core.io.client, &self.conversation.id, id, described, parent);
    }

    /// Shows the changes of files that a call makes, now or once the call is reported.
    pub(super) fn tool_changes(&mut self, core: &mut Core, id: &str, diffs: Vec<ToolCallContent>) {
        let Some(tool) = self.tools.running.get_mut(id) else {
            self.tools.changes.insert(id.to_owned(), diffs);
            return;
        };
        tool.described.content.clone_from(&diffs);
        tool.report(
            &mut core.io.client,
            &self.conversation.id,
            id,
            ToolCallUpdateFields::new().content(diffs),
        );
    }

    /// A command has printed this by now.
    fn on_output(&mut self, core: &Core, id: &str, text: &str) {
        self.tools.running.printed(id, core.io.now.elapsed, |output| {
            let is_new = output != text;
            text.clone_into(output);
            is_new
        });
    }

    fn tool_done(&mut self, core: &mut Core, part: &Part) {
        let Some(tool) = self.tools.running.get(&part.call) else { return };
        let shown = if tool.described.content.is_empty() { Shown::Nothing } else { Shown::Content };
        let outcome = tools::outcome(part, shown, &self.workspace.cwd, core.host.disk.as_ref());
        self.tools.done.insert(part.call.clone());
        self.tools.running.done(&mut core.io.client, &self.conversation.id, &part.call, outcome);
    }

    /// Nothing stays open behind a turn.
    pub(super) fn close_tools(&mut self, core: &mut Core, reason: &str) {
        let mut tools = std::mem::take(&mut self.tools);
        tools.running.close(&mut core.io.client, &self.conversation.id, reason);
    }
}
