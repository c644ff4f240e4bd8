//! Tool calls that run, with their output so far: for CLIs that report a call when it begins.

use crate::protocol::client::Client;
use crate::tools::terminal::printed;
use crate::tools::tool::{Described, Outcome};
use agent_client_protocol_schema::v1::{
    Meta, SessionId, SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// The time in which output is gathered before the first update about it.
const PRINT_SOON: Duration = Duration::from_millis(100);

/// The time between two updates about what commands print. Each update is kept in the session's log, so a command that
/// prints for an hour must not fill it.
const PRINT_EVERY: Duration = Duration::from_secs(1);

/// The longest tail of a running command's output that an update shows, in characters.
const PRINT_TAIL: usize = 2 << 10;

/// A tool call that is not done.
#[derive(Debug)]
pub struct RunningTool {
    pub described: Described,
    /// The call that a sub-agent works for who made it.
    pub parent: Option<String>,
    output: String,
    /// Set if a part of the output was not reported.
    has_news: bool,
}

/// The calls of a session, by id.
#[derive(Debug, Default)]
pub struct RunningTools {
    open: BTreeMap<String, RunningTool>,
    /// The time of the next report of output.
    print_at: Option<Duration>,
    /// The earliest time of the next update about it.
    not_before: Duration,
}

impl RunningTools {
    pub fn get(&self, id: &str) -> Option<&RunningTool> {
        self.open.get(id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut RunningTool> {
        self.open.get_mut(id)
    }

    /// Returns when [`RunningTools::report_output`] is due.
    pub fn deadline(&self) -> Option<Duration> {
        self.print_at
    }

    pub fn start(
        &mut self,
        client: &mut Client,
        session: &SessionId,
        id: &str,
        described: Described,
        parent: Option<&str>,
    ) {
        let call = described.clone().into_call(id.to_owned()).status(ToolCallStatus::InProgress);
        client.update(session, &SessionUpdate::ToolCall(call.meta(about(client, parent))));
        let parent = parent.map(str::to_owned);
        let tool = RunningTool { described, parent, output: String::new(), has_news: false };
        self.open.insert(id.to_owned(), tool);
    }

    /// A command has printed something: `change` adds it to what is known, and says whether that is new.
    pub fn printed(&mut self, id: &str, now: Duration, change: impl FnOnce(&mut String) -> bool) {
        let Some(tool) = self.open.get_mut(id) else { return };
        if change(&mut tool.output) {
            tool.has_news = true;
            self.print_at.get_or_insert(self.not_before.max(now + PRINT_SOON));
        }
    }

    /// Reports new output of commands if it is time to.
    pub fn report_due_output(&mut self, client: &mut Client, session: &SessionId, now: Duration) {
        if self.print_at.is_some_and(|at| at <= now) {
            self.report_output(client, session, now);
        }
    }

    /// Reports new output of commands.
    pub fn report_output(&mut self, client: &mut Client, session: &SessionId, now: Duration) {
        self.print_at = None;
        for (id, tool) in &mut self.open {
            if std::mem::take(&mut tool.has_news) {
                self.not_before = now + PRINT_EVERY;
                let fields = ToolCallUpdateFields::new().content(printed(tail(&tool.output)));
                tool.report(client, session, id, fields);
            }
        }
    }

    /// Reports that a call runs that was waiting for permission.
    pub fn runs(&self, client: &mut Client, session: &SessionId, id: &str) {
        if let Some(tool) = self.open.get(id) {
            tool.report(client, session, id, ToolCallUpdateFields::new().status(ToolCallStatus::InProgress));
        }
    }

    /// Reports the result of a call.
    pub fn done(&mut self, client: &mut Client, session: &SessionId, id: &str, outcome: Outcome) {
        let Some(tool) = self.open.remove(id) else { return };
        let mut update = outcome.into_update(id.to_owned());
        if let Some(parent) = about(client, tool.parent.as_deref()) {
            update.meta.get_or_insert_default().extend(parent);
        }
        client.update(session, &SessionUpdate::ToolCallUpdate(update));
    }

    /// Fails all open calls, for this reason.
    pub fn close(&mut self, client: &mut Client, session: &SessionId, reason: &str) {
        self.print_at = None;
        for (id, tool) in std::mem::take(&mut self.open) {
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            tool.report(client, session, &id, fields.raw_output(json!({ "reason": reason })));
        }
    }
}

impl RunningTool {
    /// Reports a change of the call.
    pub fn report(&self, client: &mut Client, session: &SessionId, id: &str, fields: ToolCallUpdateFields) {
        let update = ToolCallUpdate::new(id.to_owned(), fields).meta(about(client, self.parent.as_deref()));
        client.update(session, &SessionUpdate::ToolCallUpdate(update));
    }
}

/// Returns details of a call that the protocol has no member for.
fn about(client: &Client, parent: Option<&str>) -> Option<Meta> {
    parent.map(|parent| client.profile().meta(json!({ "parentToolUseId": parent })))
}

/// The last characters of a text.
fn tail(text: &str) -> &str {
    let skipped = text.chars().count().saturating_sub(PRINT_TAIL);
    text.char_indices().nth(skipped).and_then(|(start, _)| text.get(start..)).unwrap_or_default()
}
