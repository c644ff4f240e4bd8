//! Tool calls that the client knows of, done or not: for CLIs that report a call when the model makes it.

use crate::protocol::client::Client;
use crate::tools::tool::{Described, Outcome};
use agent_client_protocol_schema::v1::{
    Meta, SessionId, SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Calls that are remembered after they are done, for what is said about them later.
const REMEMBERED: usize = 256;

/// A tool call that the client knows of; `X` is what one agent notes about it.
#[derive(Debug)]
pub struct RememberedTool<X> {
    pub name: String,
    /// The call that a sub-agent works for who made it.
    pub parent: Option<String>,
    pub status: ToolCallStatus,
    pub note: X,
    number: u64,
}

impl<X> RememberedTool<X> {
    /// Returns whether it is not done.
    pub fn is_open(&self) -> bool {
        matches!(self.status, ToolCallStatus::Pending | ToolCallStatus::InProgress)
    }

    /// Returns details of the call that the protocol has no member for.
    fn meta(&self, client: &Client) -> Meta {
        let mut about = Map::from_iter([("toolName".to_owned(), json!(self.name))]);
        if let Some(parent) = &self.parent {
            about.insert("parentToolUseId".to_owned(), json!(parent));
        }
        client.profile().meta(Value::Object(about))
    }

    /// Reports a change of the call.
    pub fn report(&self, client: &mut Client, session: &SessionId, id: &str, fields: ToolCallUpdateFields) {
        let update = ToolCallUpdate::new(id.to_owned(), fields).meta(self.meta(client));
        client.update(session, &SessionUpdate::ToolCallUpdate(update));
    }

    /// Reports something about the call that the protocol has no field for.
    pub fn remark(&self, client: &mut Client, session: &SessionId, id: &str, name: &str, value: Value) {
        let about = merged(self.meta(client), client.profile().meta(json!({ name: value })));
        let update = ToolCallUpdate::new(id.to_owned(), ToolCallUpdateFields::new()).meta(about);
        client.update(session, &SessionUpdate::ToolCallUpdate(update));
    }
}

/// The calls of a session, by id.
#[derive(Debug)]
pub struct RememberedTools<X> {
    last: u64,
    calls: BTreeMap<String, RememberedTool<X>>,
}

impl<X> Default for RememberedTools<X> {
    fn default() -> Self {
        Self { last: 0, calls: BTreeMap::new() }
    }
}

impl<X> RememberedTools<X> {
    pub fn get(&self, id: &str) -> Option<&RememberedTool<X>> {
        self.calls.get(id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut RememberedTool<X>> {
        self.calls.get_mut(id)
    }

    /// Those that are not done.
    pub fn open(&self) -> impl Iterator<Item = (&str, &RememberedTool<X>)> {
        self.calls.iter().filter(|(_, tool)| tool.is_open()).map(|(id, tool)| (id.as_str(), tool))
    }

    /// Reports a new call. The oldest one that is done is forgotten if there are too many.
    pub fn begin(
        &mut self,
        client: &mut Client,
        session: &SessionId,
        id: &str,
        described: Described,
        parent: Option<String>,
        note: X,
    ) {
        if self.calls.len() >= REMEMBERED {
            let done = self.calls.iter().filter(|(_, tool)| !tool.is_open());
            let oldest = done.min_by_key(|(_, tool)| tool.number).map(|(id, _)| id.clone());
            oldest.map(|id| self.calls.remove(&id));
        }
        self.last += 1;
        let (name, status, number) = (described.name.clone(), ToolCallStatus::Pending, self.last);
        let tool = RememberedTool { name, parent, status, note, number };
        let call = described.into_call(id.to_owned()).meta(tool.meta(client));
        client.update(session, &SessionUpdate::ToolCall(call));
        self.calls.insert(id.to_owned(), tool);
    }

    /// Reports that a call runs, unless it is known to run or to be done.
    pub fn runs(&mut self, client: &mut Client, session: &SessionId, id: &str) {
        let is_pending = |tool: &&mut RememberedTool<X>| tool.status == ToolCallStatus::Pending;
        let Some(tool) = self.calls.get_mut(id).filter(is_pending) else { return };
        tool.status = ToolCallStatus::InProgress;
        tool.report(client, session, id, ToolCallUpdateFields::new().status(ToolCallStatus::InProgress));
    }

    /// Reports the result of a call.
    pub fn done(&mut self, client: &mut Client, session: &SessionId, id: &str, outcome: Outcome) {
        let Some(tool) = self.calls.get_mut(id) else { return };
        tool.status = outcome.status;
        let mut update = outcome.into_update(id.to_owned());
        let own = update.meta.take().unwrap_or_default();
        update.meta = Some(merged(own, tool.meta(client)));
        client.update(session, &SessionUpdate::ToolCallUpdate(update));
    }

    /// Ends all open calls with this status.
    pub fn end(
        &mut self,
        client: &mut Client,
        session: &SessionId,
        status: ToolCallStatus,
        output: Option<&Value>,
    ) {
        for (id, tool) in self.calls.iter_mut().filter(|(_, tool)| tool.is_open()) {
            tool.status = status;
            let fields = ToolCallUpdateFields::new().status(status).raw_output(output.cloned());
            tool.report(client, session, id, fields);
        }
    }

    /// Fails all open calls, for this reason.
    pub fn close(&mut self, client: &mut Client, session: &SessionId, reason: &str) {
        self.end(client, session, ToolCallStatus::Failed, Some(&json!({ "reason": reason })));
    }
}

/// Merges metadata, including that under the agent's own name.
fn merged(mut first: Meta, second: Meta) -> Meta {
    for (name, value) in second {
        match (first.get_mut(&name), value) {
            (Some(Value::Object(own)), Value::Object(more)) => own.extend(more),
            (_, value) => {
                first.insert(name, value);
            }
        }
    }
    first
}
