//! Tool calls, put together from their updates.

use crate::host::Host;
use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

/// A tool call.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) id: String,
    fields: Map<String, Value>,
    /// The statuses that it went through.
    pub(crate) statuses: Vec<String>,
}

impl Tool {
    /// Returns all calls in some messages, in the order in which they were announced.
    pub(crate) fn all(messages: &[Value]) -> Vec<Self> {
        let mut tools: Vec<Self> = Vec::new();
        for update in messages.iter().map(|message| &message["params"]["update"]) {
            let (Some(kind), Some(id)) = (update["sessionUpdate"].as_str(), update["toolCallId"].as_str())
            else {
                continue;
            };
            if !matches!(kind, "tool_call" | "tool_call_update") {
                continue;
            }
            let at = tools.iter().position(|tool| tool.id == id).unwrap_or_else(|| {
                tools.push(Self { id: id.to_owned(), fields: Map::new(), statuses: Vec::new() });
                tools.len() - 1
            });
            if let Some(tool) = tools.get_mut(at) {
                tool.take(update);
            }
        }
        tools
    }

    fn take(&mut self, update: &Value) {
        for (name, value) in update.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            match (self.fields.get_mut(name), value) {
                (Some(Value::Object(old)), Value::Object(new)) if name == "_meta" => merge(old, new),
                _ => drop(self.fields.insert(name.clone(), value.clone())),
            }
        }
        if let Some(status) = update["status"].as_str() {
            self.statuses.push(status.to_owned());
        }
    }

    pub(crate) fn field(&self, name: &str) -> &Value {
        self.fields.get(name).unwrap_or(&Value::Null)
    }

    pub(crate) fn kind(&self) -> &str {
        self.field("kind").as_str().unwrap_or("other")
    }

    pub(crate) fn title(&self) -> &str {
        self.field("title").as_str().unwrap_or_default()
    }

    pub(crate) fn status(&self) -> &str {
        self.statuses.last().map_or("pending", String::as_str)
    }

    fn content(&self) -> impl Iterator<Item = &Value> {
        self.field("content").as_array().into_iter().flatten()
    }

    pub(crate) fn text(&self) -> String {
        let texts = self.content().filter_map(|content| content["content"]["text"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn diff(&self) -> Result<&Value> {
        self.content().find(|content| content["type"] == "diff").with_context(|| format!("no diff: {self:?}"))
    }

    /// Returns the output and the exit code of its command, as a client gets them: from the terminal that it runs for
    /// the agent, or from the agent's report.
    pub(crate) fn ran(&self, host: &Host) -> Result<(String, i64)> {
        if let Some(terminal) = self.content().find_map(|content| content["terminalId"].as_str()) {
            let exit = host.exit(terminal)?.context("a command that ended")?;
            return Ok((host.printed(terminal)?, exit["exitCode"].as_i64().context("an exit code")?));
        }
        let meta = self.field("_meta");
        let drawn = meta["terminal_output"]["data"].as_str().map(str::to_owned);
        let output = drawn.unwrap_or_else(|| self.text());
        ensure!(!output.is_empty(), "no output: {self:?}");
        let code = meta["terminal_exit"]["exit_code"].as_i64();
        Ok((output, code.with_context(|| format!("no exit code: {self:?}"))?))
    }
}

fn merge(old: &mut Map<String, Value>, new: &Map<String, Value>) {
    for (name, value) in new {
        match (old.get_mut(name), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            _ => drop(old.insert(name.clone(), value.clone())),
        }
    }
}
