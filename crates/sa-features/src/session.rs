//! A session of an agent, and its turns.

use crate::client::Client;
use crate::log::Entry;
use crate::tools::Tool;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// A session.
pub(crate) struct Session<'a> {
    pub(crate) client: &'a Client,
    pub(crate) id: String,
    /// The answer to the request that opened it.
    pub(crate) opened: Value,
}

/// A prompt that is being worked on.
pub(crate) struct Running<'a> {
    session: &'a Session<'a>,
    request: u64,
    start: usize,
}

/// A prompt that was answered, with everything that was said about its session in between.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) messages: Vec<Value>,
    /// The answer, a result or an error.
    pub(crate) answer: Value,
}

impl<'a> Session<'a> {
    /// Prompts and waits for the answer.
    pub(crate) async fn prompt(&self, text: &str) -> Result<Turn> {
        self.begin(text).await?.end().await
    }

    /// Prompts and waits for the end of the turn.
    pub(crate) async fn turn(&self, text: &str) -> Result<Turn> {
        let turn = self.prompt(text).await?;
        ensure!(turn.stop_reason() == "end_turn", "the turn ended with {}", turn.answer);
        Ok(turn)
    }

    /// Prompts without waiting.
    pub(crate) async fn begin(&self, text: &str) -> Result<Running<'_>> {
        self.begin_with(&json!([{ "type": "text", "text": text }])).await
    }

    /// Prompts and waits until the agent asks something. Returns the request, too.
    pub(crate) async fn begin_asked(&self, text: &str) -> Result<(Running<'_>, Value)> {
        let running = self.begin(text).await?;
        let question = running.asked().await?;
        Ok((running, question))
    }

    /// Prompts with any content, without waiting.
    pub(crate) async fn begin_with(&self, content: &Value) -> Result<Running<'_>> {
        let start = self.client.log().len();
        let params = json!({ "sessionId": self.id, "prompt": content });
        let request = self.client.send("session/prompt", &params).await?;
        Ok(Running { session: self, request, start })
    }

    pub(crate) async fn cancel(&self) -> Result<()> {
        self.client.notify("session/cancel", &json!({ "sessionId": self.id })).await
    }

    pub(crate) async fn set_mode(&self, mode: &str) -> Result<()> {
        self.client.call("session/set_mode", &json!({ "sessionId": self.id, "modeId": mode })).await?;
        Ok(())
    }

    /// Sets an option and gives all of them.
    pub(crate) async fn set_option(&self, option: &str, value: &str) -> Result<Value> {
        let params = json!({ "sessionId": self.id, "configId": option, "value": value });
        let answer = self.client.call("session/set_config_option", &params).await?;
        Ok(answer["configOptions"].clone())
    }

    /// Returns the option of this category, as it was when the session was opened.
    pub(crate) fn option(&self, category: &str) -> Result<&Value> {
        let options = self.opened["configOptions"].as_array().context("options")?;
        let option = options.iter().find(|option| option["category"] == category);
        option.with_context(|| format!("an option of the category {category}: {options:?}"))
    }

    /// Waits for a message about this session, from the very first on.
    pub(crate) async fn hear<T>(&self, what: &str, mut fits: impl FnMut(&Value) -> Option<T>) -> Result<T> {
        let look = |entries: &[Entry]| {
            let messages = entries.iter().filter_map(Entry::message);
            messages.filter(|message| message["params"]["sessionId"] == self.id.as_str()).find_map(&mut fits)
        };
        self.client.log().find(what, 0, look).await
    }

    /// Returns the messages about this session from a position of the log on.
    pub(crate) fn messages_since(&self, start: usize) -> Vec<Value> {
        let entries = self.client.log().since(start);
        messages_of(&self.id, entries.iter())
    }
}

fn messages_of<'e>(session: &str, entries: impl Iterator<Item = &'e Entry>) -> Vec<Value> {
    let messages = entries.filter_map(Entry::message);
    messages.filter(|message| message["params"]["sessionId"] == session).cloned().collect()
}

impl Running<'_> {
    pub(crate) fn request(&self) -> u64 {
        self.request
    }

    /// Waits for the answer.
    pub(crate) async fn end(self) -> Result<Turn> {
        let answer = self.session.client.answer_to(self.request).await?;
        let entries = self.session.client.log().since(self.start);
        let until = entries.iter().position(|entry| entry.message() == Some(&answer));
        let within = entries.iter().take(until.unwrap_or(entries.len()));
        let messages = messages_of(&self.session.id, within);
        Ok(Turn { messages, answer })
    }

    /// Waits for a message about the session since the prompt.
    pub(crate) async fn hear<T>(&self, what: &str, mut fits: impl FnMut(&Value) -> Option<T>) -> Result<T> {
        let look = |entries: &[Entry]| {
            let messages = entries.iter().filter_map(Entry::message);
            let own = messages.filter(|message| message["params"]["sessionId"] == self.session.id.as_str());
            own.into_iter().find_map(&mut fits)
        };
        self.session.client.log().find(what, self.start, look).await
    }

    /// Waits until the agent has said a text that contains this.
    pub(crate) async fn said(&self, text: &str) -> Result<()> {
        let mut all = String::new();
        let mut seen = 0;
        let session = self.session.id.as_str();
        let look = |entries: &[Entry]| {
            for entry in entries.iter().skip(seen) {
                seen += 1;
                if let Some(message) = entry.message().filter(|it| it["params"]["sessionId"] == session) {
                    all.push_str(said_by(message).unwrap_or_default());
                }
            }
            all.contains(text).then_some(())
        };
        self.session.client.log().find(&format!("the words {text:?}"), self.start, look).await
    }

    /// Waits until the agent asks for a permission, or something in a form.
    pub(crate) async fn asked(&self) -> Result<Value> {
        self.hear("a question", |message| is_question(message).then(|| message.clone())).await
    }

    /// Returns whether the answer has come.
    pub(crate) fn is_over(&self) -> bool {
        let entries = self.session.client.log().since(self.start);
        let mut messages = entries.iter().filter_map(Entry::message);
        messages.any(|message| message["id"] == self.request && !message["method"].is_string())
    }
}

impl Turn {
    /// Returns the agent's text.
    pub(crate) fn text(&self) -> String {
        self.messages.iter().filter_map(said_by).collect()
    }

    pub(crate) fn thoughts(&self) -> String {
        let chunks = self.updates("agent_thought_chunk");
        chunks.iter().filter_map(|update| update["content"]["text"].as_str()).collect()
    }

    pub(crate) fn updates(&self, kind: &str) -> Vec<&Value> {
        updates(&self.messages, kind)
    }

    pub(crate) fn questions(&self) -> Vec<&Value> {
        self.messages.iter().filter(|message| is_question(message)).collect()
    }

    /// Returns the tool calls, as their last updates left them.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        Tool::all(&self.messages)
    }

    /// Returns the only tool call of this kind.
    pub(crate) fn tool(&self, kind: &str) -> Result<Tool> {
        let mut tools = self.tools().into_iter().filter(|tool| tool.kind() == kind);
        let tool = tools.next().with_context(|| format!("no tool of the kind {kind}: {:?}", self.tools()))?;
        ensure!(tools.next().is_none(), "several tools of the kind {kind}: {:?}", self.tools());
        Ok(tool)
    }

    /// Returns the stop reason; `error` if the prompt failed.
    pub(crate) fn stop_reason(&self) -> &str {
        self.answer["result"]["stopReason"].as_str().unwrap_or("error")
    }

    /// Returns the error of a prompt that must have failed.
    pub(crate) fn error(&self) -> Result<&Value> {
        self.answer.get("error").with_context(|| format!("the prompt did not fail: {}", self.answer))
    }
}

/// Returns the updates of one kind among messages.
pub(crate) fn updates<'m>(messages: &'m [Value], kind: &str) -> Vec<&'m Value> {
    let updates = messages.iter().map(|message| &message["params"]["update"]);
    updates.filter(|update| update["sessionUpdate"] == kind).collect()
}

/// Returns the text of a message of the agent.
pub(crate) fn said_by(message: &Value) -> Option<&str> {
    let update = &message["params"]["update"];
    (update["sessionUpdate"] == "agent_message_chunk").then(|| update["content"]["text"].as_str())?
}

pub(crate) fn is_question(message: &Value) -> bool {
    message["method"] == "session/request_permission" || message["method"] == "elicitation/create"
}
