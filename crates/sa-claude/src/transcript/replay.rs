//! Replays a conversation as the updates that a client would have seen.

use super::TranscriptError;
use super::chain::{Chain, Link};
use super::speech::Speech;
use crate::tools::{self, Todos};
use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, SessionUpdate, TextContent, ToolCallId, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};
use serde_json::Value;
use std::path::Path;

/// Said by the CLI in place of a model, where the conversation needs a turn of its own.
const FILLER: &str = "No response requested.";

pub(super) fn replay(mut chain: Chain, cwd: &Path) -> Result<Vec<SessionUpdate>, TranscriptError> {
    let mut replay =
        Replay { cwd, updates: Vec::new(), todos: Todos::default(), open: Vec::new(), hush: false };
    if chain.cut {
        let words = "[The beginning of this conversation is too long to be shown.]";
        replay.updates.push(SessionUpdate::AgentMessageChunk(chunk(text(words), None)));
    }
    while let Some(link) = chain.next()? {
        replay.line(&link);
    }
    replay.close();
    Ok(replay.updates)
}

struct Replay<'a> {
    cwd: &'a Path,
    updates: Vec<SessionUpdate>,
    todos: Todos,
    /// Tool calls without a result.
    open: Vec<Call>,
    /// Set if the output of a command that nobody typed is next.
    hush: bool,
}

struct Call {
    id: String,
    name: String,
    input: Value,
}

impl Replay<'_> {
    fn line(&mut self, Link { line, results_only }: &Link) {
        let flagged = |key: &str| line[key] == true;
        if flagged("isMeta") || flagged("isCompactSummary") {
            return;
        }
        let id = line["uuid"].as_str();
        match line["type"].as_str() {
            Some("user") => {
                self.results(line);
                if !results_only {
                    self.user(&line["message"]["content"], id);
                }
            }
            Some("assistant") if !results_only && !flagged("isApiErrorMessage") => {
                self.assistant(&line["message"])
            }
            Some("system") if !results_only && line["subtype"] == "local_command" => {
                self.speech(line["content"].as_str().unwrap_or_default(), id);
            }
            _ => {}
        }
    }

    fn user(&mut self, content: &Value, id: Option<&str>) {
        if let Some(words) = content.as_str() {
            return self.speech(words, id);
        }
        for block in content.as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("text") => self.speech(block["text"].as_str().unwrap_or_default(), id),
                Some("tool_result") => {}
                _ => {
                    let block = tools::content_block(block).map(|block| chunk(block, id));
                    self.updates.extend(block.map(SessionUpdate::UserMessageChunk));
                }
            }
        }
    }

    fn speech(&mut self, words: &str, id: Option<&str>) {
        let hush = std::mem::take(&mut self.hush);
        match Speech::read(words) {
            Speech::Said(words) => self.updates.push(SessionUpdate::UserMessageChunk(chunk(text(words), id))),
            // The CLI writes every change of the model down as a command.
            Speech::Command { name, .. } if name == "model" => self.hush = true,
            Speech::Command { typed, .. } => {
                self.updates.push(SessionUpdate::UserMessageChunk(chunk(text(typed), id)));
            }
            Speech::Printed(_) if hush => {}
            Speech::Printed(words) => {
                self.updates.push(SessionUpdate::AgentMessageChunk(chunk(text(words), id)))
            }
            Speech::Silence => {}
        }
    }

    fn assistant(&mut self, message: &Value) {
        let id = message["id"].as_str();
        let synthetic = message["model"] == "<synthetic>";
        for block in message["content"].as_array().into_iter().flatten() {
            let words = |key: &str| block[key].as_str().filter(|words| !words.is_empty());
            match block["type"].as_str() {
                Some("text") => {
                    let words = words("text").filter(|words| !(synthetic && *words == FILLER));
                    let said = words.map(|words| chunk(text(words), id));
                    self.updates.extend(said.map(SessionUpdate::AgentMessageChunk));
                }
                Some("thinking") => {
                    let thought = words("thinking").map(|words| chunk(text(words), id));
                    self.updates.extend(thought.map(SessionUpdate::AgentThoughtChunk));
                }
                Some("tool_use") => self.call(block),
                _ => {}
            }
        }
    }

    fn call(&mut self, block: &Value) {
        let (Some(id), Some(name)) = (block["id"].as_str(), block["name"].as_str()) else { return };
        let input = block["input"].clone();
        let call = tools::call(name, &input, self.cwd).into_call(ToolCallId::new(id));
        self.updates.push(SessionUpdate::ToolCall(call.status(ToolCallStatus::InProgress)));
        self.open.push(Call { id: id.to_owned(), name: name.to_owned(), input });
    }

    fn results(&mut self, line: &Value) {
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            let id = block["tool_use_id"].as_str().filter(|_| block["type"] == "tool_result");
            let open = id.and_then(|id| self.open.iter().position(|call| call.id == id));
            let Some(call) = open.map(|at| self.open.remove(at)) else { continue };
            let structured = line.get("toolUseResult");
            let outcome = tools::result(&call.name, &call.input, block, structured, self.cwd);
            let succeeded = outcome.status == ToolCallStatus::Completed;
            self.updates.push(SessionUpdate::ToolCallUpdate(outcome.into_update(ToolCallId::new(call.id))));
            if succeeded {
                let plan = self.todos.note(&call.name, &call.input, structured);
                self.updates.extend(plan.map(SessionUpdate::Plan));
            }
        }
    }

    /// Ends the calls whose result was never written: their process is gone.
    fn close(&mut self) {
        for call in self.open.drain(..) {
            let fields = ToolCallUpdateFields::new()
                .status(ToolCallStatus::Failed)
                .content(vec![sa_acp::paragraph("It was not heard of again.")]);
            self.updates
                .push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(ToolCallId::new(call.id), fields)));
        }
    }
}

fn text(words: impl Into<String>) -> ContentBlock {
    ContentBlock::Text(TextContent::new(words))
}

fn chunk(block: ContentBlock, id: Option<&str>) -> ContentChunk {
    ContentChunk::new(block).message_id(id.map(|id| id.to_owned().into()))
}
