//! Tool calls: started, printing, done.

use super::Session;
use crate::core::{Core, PROFILE};
use crate::limits::{PRINT_EVERY, PRINT_TAIL};
use crate::native::message::Part;
use crate::tools::{self, Described};
use agent_client_protocol_schema::v1::{
    Meta, SessionUpdate, ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A tool call that is not done.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) described: Described,
    pub(super) parent: Option<String>,
    /// What a command has printed.
    output: String,
    /// Whether there is more of it than was told.
    has_news: bool,
}

/// Those of a session, by the ids of their calls.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: BTreeMap<String, Tool>,
    /// Those of the turn that are done: events about them may come late.
    done: BTreeSet<String>,
    /// Changes of files that were asked about before the call was told.
    changes: BTreeMap<String, Vec<ToolCallContent>>,
    /// Files that were written in this turn.
    written: BTreeSet<PathBuf>,
    /// When what commands have printed is told next.
    print_at: Option<Duration>,
    /// Sessions of sub-agents, each with the call that sent it.
    senders: BTreeMap<String, String>,
}

impl Tools {
    pub(super) fn get(&self, id: &str) -> Option<&Tool> {
        self.open.get(id)
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        self.print_at
    }

    /// The call that sent a sub-agent, by its session.
    pub(super) fn sender_of(&self, session: &str) -> Option<&str> {
        self.senders.get(session).map(String::as_str)
    }

    pub(super) fn written(&self) -> impl Iterator<Item = &Path> {
        self.written.iter().map(PathBuf::as_path)
    }
}

/// What is told about a call beside the protocol.
fn about(parent: Option<&str>) -> Option<Meta> {
    parent.map(|parent| PROFILE.meta(json!({ "parentToolUseId": parent })))
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
                    self.printed(core, call, printed);
                }
            }
            _ => {
                self.start_part(core, part, parent);
                self.tool_done(core, part);
            }
        }
    }

    fn start_part(&mut self, core: &mut Core, part: &Part, parent: Option<&str>) {
        let described = tools::describe(part, &self.place.cwd);
        self.tools.written.extend(described.locations.iter().map(|place| place.path.clone()));
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
        if let Some(tool) = self.tools.open.get_mut(id) {
            tool.parent = tool.parent.take().or_else(|| parent.map(str::to_owned));
            return;
        }
        if let Some(changes) = self.tools.changes.remove(id) {
            described.content = changes;
        }
        let call = described.clone().into_call(id.to_owned()).status(ToolCallStatus::InProgress);
        self.emit(core, &SessionUpdate::ToolCall(call.meta(about(parent))));
        let parent = parent.map(str::to_owned);
        let tool = Tool { described, parent, output: String::new(), has_news: false };
        self.tools.open.insert(id.to_owned(), tool);
    }

    /// What a call changes is known.
    pub(super) fn tool_changes(&mut self, core: &mut Core, id: &str, diffs: Vec<ToolCallContent>) {
        let Some(tool) = self.tools.open.get_mut(id) else {
            self.tools.changes.insert(id.to_owned(), diffs);
            return;
        };
        tool.described.content.clone_from(&diffs);
        let update = ToolCallUpdate::new(id.to_owned(), ToolCallUpdateFields::new().content(diffs));
        let update = update.meta(about(tool.parent.as_deref()));
        self.emit(core, &SessionUpdate::ToolCallUpdate(update));
    }

    /// A command has printed this by now.
    fn printed(&mut self, core: &Core, id: &str, text: &str) {
        let Some(tool) = self.tools.open.get_mut(id) else { return };
        if tool.output != text {
            text.clone_into(&mut tool.output);
            tool.has_news = true;
            self.tools.print_at.get_or_insert(core.now.elapsed + PRINT_EVERY);
        }
    }

    /// Tells what running commands have printed, if it is time to.
    pub(super) fn tell_printed(&mut self, core: &mut Core) {
        if self.tools.print_at.is_some_and(|at| at <= core.now.elapsed) {
            self.tell_printed_now(core);
        }
    }

    pub(super) fn tell_printed_now(&mut self, core: &mut Core) {
        self.tools.print_at = None;
        let mut updates = Vec::new();
        for (id, tool) in &mut self.tools.open {
            if std::mem::take(&mut tool.has_news) {
                let fields = ToolCallUpdateFields::new().content(sa_acp::printed(tail(&tool.output)));
                updates.push(ToolCallUpdate::new(id.clone(), fields).meta(about(tool.parent.as_deref())));
            }
        }
        for update in updates {
            self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        }
    }

    fn tool_done(&mut self, core: &mut Core, part: &Part) {
        let Some(tool) = self.tools.open.remove(&part.call) else { return };
        self.tools.done.insert(part.call.clone());
        let known = !tool.described.content.is_empty();
        let outcome = tools::outcome(part, known, &self.place.cwd, core.host.disk.as_ref());
        let mut update = outcome.into_update(part.call.clone());
        if let Some(parent) = about(tool.parent.as_deref()) {
            update.meta.get_or_insert_default().extend(parent);
        }
        self.emit(core, &SessionUpdate::ToolCallUpdate(update));
    }

    /// Tells that a call runs that was waiting for permission.
    pub(super) fn tool_runs(&self, core: &mut Core, id: &str) {
        if let Some(tool) = self.tools.open.get(id) {
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
            let update = ToolCallUpdate::new(id.to_owned(), fields).meta(about(tool.parent.as_deref()));
            self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        }
    }

    /// Nothing stays open behind a turn.
    pub(super) fn close_tools(&mut self, core: &mut Core, reason: &str) {
        let tools = std::mem::take(&mut self.tools);
        for (id, tool) in tools.open {
            let fields = ToolCallUpdateFields::new()
                .status(ToolCallStatus::Failed)
                .raw_output(json!({ "reason": reason }));
            let update = ToolCallUpdate::new(id, fields).meta(about(tool.parent.as_deref()));
            self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        }
    }
}

/// The last characters of a text.
fn tail(text: &str) -> &str {
    let skipped = text.chars().count().saturating_sub(PRINT_TAIL);
    text.char_indices().nth(skipped).and_then(|(start, _)| text.get(start..)).unwrap_or_default()
}
