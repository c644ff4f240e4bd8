//! An ACP client on plain HTTP: requests are POSTs, what the agent says comes on one event stream.

use anyhow::{Context, Result, bail, ensure};
use sa_e2e::{notification, request, response};
use sa_testkit::{Acp, Daemon, Event, Reply, Sse};
use serde_json::{Value, json};

/// Permission is asked for with this.
pub(crate) const PERMISSION: &str = "session/request_permission";
/// Questions are asked with this.
pub(crate) const QUESTION: &str = "elicitation/create";

/// One connection to a demo agent.
pub(crate) struct Client {
    pub(crate) acp: Acp,
    pub(crate) stream: Sse,
    ids: u64,
}

/// A request and everything that came on the stream before its answer did.
pub(crate) struct Turn {
    pub(crate) messages: Vec<Value>,
    /// The answer, as the POST got it.
    pub(crate) answer: Value,
}

impl Client {
    /// Starts or joins a demo agent and greets it with these capabilities.
    pub(crate) async fn start(daemon: &Daemon, server: &str, capabilities: Value) -> Result<Self> {
        let acp = daemon.acp(server);
        let hello = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        let reply = acp.post_to("demo", request(0, "initialize", &hello.to_string())).await?;
        let answer = reply.expect_status(200)?.json()?;
        assert_eq!(answer["result"]["agentInfo"]["name"], json!("demo"), "{answer}");
        let stream = acp.events().await?;
        Ok(Self { acp, stream, ids: 0 })
    }

    /// Returns a client without capabilities, and its first session.
    pub(crate) async fn open(daemon: &Daemon) -> Result<(Self, String)> {
        let mut client = Self::start(daemon, "demo", json!({})).await?;
        let session = client.new_session().await?;
        Ok((client, session))
    }

    /// Returns a new session, once its commands are announced, so that they do not come in between later.
    pub(crate) async fn new_session(&mut self) -> Result<String> {
        let turn = self.call("session/new", &json!({"cwd": "/project", "mcpServers": []})).await?;
        let session = turn.answer["result"]["sessionId"].as_str().context("a session")?.to_owned();
        self.commands_of(&session).await?;
        Ok(session)
    }

    /// Waits for the announcement of commands that follows a new or loaded session.
    pub(crate) async fn commands_of(&mut self, session: &str) -> Result<()> {
        let message = self.message().await?;
        let params = &message["params"];
        ensure!(params["sessionId"] == session, "of another session: {message}");
        ensure!(
            params["update"]["sessionUpdate"] == "available_commands_update",
            "something else: {message}"
        );
        Ok(())
    }

    /// Returns the next message on the stream.
    pub(crate) async fn message(&mut self) -> Result<Value> {
        let event = self.stream.event().await?;
        ensure!(event.event == "message", "no message but {event:?}");
        event.json()
    }

    /// Returns the next transport fact on the stream, after any number of messages.
    pub(crate) async fn fact(&mut self) -> Result<Event> {
        self.stream.find("a fact", |event| event.event != "message").await
    }

    fn next_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    /// Sends a request that the agent answers without asking anything itself.
    pub(crate) async fn call(&mut self, method: &str, params: &Value) -> Result<Turn> {
        self.call_answering(method, params, |question| bail!("an unexpected question: {question}")).await
    }

    /// Sends a request and answers what the agent asks meanwhile.
    pub(crate) async fn call_answering(
        &mut self,
        method: &str,
        params: &Value,
        mut answer: impl FnMut(&Value) -> Result<Value>,
    ) -> Result<Turn> {
        let id = self.next_id();
        let posting = self.acp.posting(request(id, method, &params.to_string())).send();
        let reading = async {
            let mut messages = Vec::new();
            loop {
                let event = self.stream.event().await?;
                ensure!(event.event == "message", "no message but {event:?}");
                let message = event.json()?;
                let asks = message["method"].is_string();
                if message["id"] == id && !asks {
                    return anyhow::Ok((messages, message));
                }
                if asks && !message["id"].is_null() {
                    let answer = response(&message["id"], &answer(&message)?.to_string());
                    self.acp.post(answer).await?.expect_status(202)?;
                }
                messages.push(message);
            }
        };
        let (reply, read) = tokio::join!(posting, reading);
        let answer = reply?.expect_status(200)?.json()?;
        let (messages, streamed) = read?;
        assert_eq!(answer, streamed, "the stream has the same answer");
        Ok(Turn { messages, answer })
    }

    pub(crate) async fn prompt(&mut self, session: &str, script: &str) -> Result<Turn> {
        self.call("session/prompt", &prompt(session, script)).await
    }

    /// Prompts, and answers the agent's requests.
    pub(crate) async fn prompt_answering(
        &mut self,
        session: &str,
        script: &str,
        answer: impl FnMut(&Value) -> Result<Value>,
    ) -> Result<Turn> {
        self.call_answering("session/prompt", &prompt(session, script), answer).await
    }

    /// Prompts without waiting; the answer comes on the stream under the id.
    pub(crate) async fn prompt_async(&mut self, session: &str, script: &str) -> Result<u64> {
        let id = self.next_id();
        let message = request(id, "session/prompt", &prompt(session, script).to_string());
        self.acp.post_async(message).await?.expect_status(202)?;
        Ok(id)
    }

    /// Prompts and gives the reply of the POST, whatever it is. Nothing of the stream is read.
    pub(crate) async fn post_prompt(&mut self, session: &str, script: &str) -> Result<Reply> {
        let id = self.next_id();
        self.acp.post(request(id, "session/prompt", &prompt(session, script).to_string())).await
    }

    pub(crate) async fn cancel(&self, session: &str) -> Result<()> {
        let message = notification("session/cancel", &json!({"sessionId": session}).to_string());
        self.acp.post(message).await?.expect_status(202)?;
        Ok(())
    }

    /// Reads on until the agent says this.
    pub(crate) async fn hear(&mut self, text: &str) -> Result<()> {
        while said_by(&self.message().await?) != Some(text) {}
        Ok(())
    }

    /// Reads on until the agent asks this.
    pub(crate) async fn asked(&mut self, method: &str) -> Result<Value> {
        loop {
            let message = self.message().await?;
            if message["method"] == method {
                return Ok(message);
            }
        }
    }

    /// Reads on until the answer to that request.
    pub(crate) async fn answer_to(&mut self, id: u64) -> Result<Value> {
        loop {
            let message = self.message().await?;
            if message["id"] == id && !message["method"].is_string() {
                return Ok(message);
            }
        }
    }
}

impl Turn {
    /// Returns the agent's text, chunk by chunk.
    pub(crate) fn said(&self) -> Vec<&str> {
        self.messages.iter().filter_map(said_by).collect()
    }

    pub(crate) fn updates(&self, kind: &str) -> Vec<&Value> {
        let updates = self.messages.iter().map(|message| &message["params"]["update"]);
        updates.filter(|update| update["sessionUpdate"] == kind).collect()
    }

    /// Returns the kinds of all updates, in order.
    pub(crate) fn kinds(&self) -> Vec<&str> {
        self.messages
            .iter()
            .filter_map(|message| message["params"]["update"]["sessionUpdate"].as_str())
            .collect()
    }

    pub(crate) fn stop_reason(&self) -> &str {
        self.answer["result"]["stopReason"].as_str().unwrap_or("none")
    }
}

/// Returns the text of a message of the agent.
pub(crate) fn said_by(message: &Value) -> Option<&str> {
    let update = &message["params"]["update"];
    (update["sessionUpdate"] == "agent_message_chunk").then(|| update["content"]["text"].as_str())?
}

pub(crate) fn prompt(session: &str, script: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": script}]})
}

/// Returns the answer that chooses an option.
pub(crate) fn choose(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}
