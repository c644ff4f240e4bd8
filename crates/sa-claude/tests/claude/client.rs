//! A client and a CLI, both played by the test, with the machine between them.

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, Error, ListSessionsResponse, SessionUpdate, TextContent,
};
use sa_acp::Ended;
use sa_acp::testing::{self, Peer};
use sa_claude::{Core, Disk, Host, Limits, Machine, Token};
use serde_json::{Value, json};
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) use sa_acp::testing::{request, updates};

/// The id of the first session.
pub(crate) const SESSION: &str = "00000000-0000-4000-8000-000000000001";

/// A disk with one directory and one stored session.
struct Folder(Moves);

/// Sessions and the conversations in which they continue.
type Moves = Arc<Mutex<Vec<(String, String)>>>;

/// A session on disk.
pub(crate) const STORED: &str = "00000000-0000-4000-8000-0000000000aa";

/// A session that was cleared, and continues as [`STORED`].
pub(crate) const CLEARED: &str = "00000000-0000-4000-8000-0000000000bb";

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with("/project")
    }

    fn list(&self, _: Option<&Path>, _: Option<&str>) -> Result<ListSessionsResponse, Error> {
        Ok(ListSessionsResponse::new(Vec::new()))
    }

    fn read(&self, session: &str, _: &Path) -> Result<Option<Vec<SessionUpdate>>, Error> {
        let said = |text: &str| ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
        let history = vec![
            SessionUpdate::UserMessageChunk(said("before")),
            SessionUpdate::AgentMessageChunk(said("indeed")),
        ];
        Ok((session == STORED).then_some(history))
    }

    fn mode(&self, session: &str, _: &Path) -> Option<String> {
        (session == STORED).then(|| "plan".to_owned())
    }

    fn conversation(&self, session: &str) -> Option<String> {
        (session == CLEARED).then(|| STORED.to_owned())
    }

    fn moved(&self, session: &str, conversation: &str) -> io::Result<()> {
        self.0.lock().unwrap().push((session.to_owned(), conversation.to_owned()));
        Ok(())
    }

    fn delete(&self, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

/// The CLI, as far as it is played.
#[derive(Debug, Default)]
pub(crate) struct Cli {
    /// Lines to the CLI that the test has not taken.
    written: Vec<Value>,
    /// Orders to it that are not answered.
    pub(crate) orders: Vec<(String, Value)>,
}

impl Peer for Cli {
    fn wrote(&mut self, line: Value) {
        if line["type"] == "control_request" {
            let id = line["request_id"].as_str().unwrap().to_owned();
            self.orders.push((id, line["request"].clone()));
        }
        self.written.push(line);
    }
}

pub(crate) struct Client {
    inner: testing::Client<Core, Cli>,
    pub(crate) moves: Moves,
}

impl Deref for Client {
    type Target = testing::Client<Core, Cli>;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

impl DerefMut for Client {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.inner
    }
}

impl Client {
    pub(crate) fn new(allow_bypass: bool) -> Self {
        Self::with_token(allow_bypass, None)
    }

    /// A client that gave its sessions a credential.
    pub(crate) fn with_token(allow_bypass: bool, token: Option<Token>) -> Self {
        let mut last = 0;
        let moves = Moves::default();
        let host = Host {
            new_id: Box::new(move || {
                last += 1;
                format!("00000000-0000-4000-8000-{last:012}")
            }),
            disk: Box::new(Folder(Arc::clone(&moves))),
            plans: "/home/user/.claude/plans".into(),
            allow_bypass,
            is_root: false,
            any_model: false,
            token,
            limits: Limits::USUAL,
        };
        Self { inner: testing::Client::new(Machine::new(host), Cli::default()), moves }
    }

    /// A client with these capabilities that has said hello.
    pub(crate) fn greeted(capabilities: Value) -> Self {
        let mut client = Self::new(true);
        client.greet(capabilities);
        client
    }

    /// A client with these capabilities that has a session.
    pub(crate) fn open(capabilities: Value) -> Self {
        let mut client = Self::greeted(capabilities);
        client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
        let opened = client.shake_hands();
        assert!(opened.iter().any(|message| message["result"]["sessionId"] == SESSION), "{opened:?}");
        client
    }

    /// The CLI answers all that it is asked after its start.
    pub(crate) fn shake_hands(&mut self) -> Vec<Value> {
        let mut messages = self.respond("initialize", initialized());
        messages.extend(self.respond("get_binary_version", json!({ "version": "2.1.197" })));
        messages
            .extend(self.respond("get_settings", json!({ "applied": { "model": "claude-opus-4-8[1m]" } })));
        messages.extend(self.respond("set_max_thinking_tokens", Value::Null));
        self.peer.written.clear();
        messages
    }

    /// The CLI answers the first open order of that name.
    pub(crate) fn respond(&mut self, subtype: &str, response: Value) -> Vec<Value> {
        self.answer_order(
            subtype,
            |id| json!({ "subtype": "success", "request_id": id, "response": response }),
        )
    }

    /// The CLI refuses the first open order of that name.
    pub(crate) fn refuse_order(&mut self, subtype: &str, error: &str) -> Vec<Value> {
        self.answer_order(subtype, |id| json!({ "subtype": "error", "request_id": id, "error": error }))
    }

    fn answer_order(&mut self, subtype: &str, answer: impl FnOnce(&str) -> Value) -> Vec<Value> {
        let place = self.peer.orders.iter().position(|(_, request)| request["subtype"] == subtype);
        let (id, _) = self.peer.orders.remove(place.unwrap_or_else(|| panic!("no order {subtype} is open")));
        self.native(&json!({ "type": "control_response", "response": answer(&id) }))
    }

    pub(crate) fn prompt(&mut self, text: &str) -> Vec<Value> {
        self.prompt_in(SESSION, text)
    }

    pub(crate) fn cancel(&mut self) -> Vec<Value> {
        self.cancel_in(SESSION)
    }

    /// The CLI says that it is in another state.
    pub(crate) fn state(&mut self, state: &str) -> Vec<Value> {
        self.native(&json!({ "type": "system", "subtype": "session_state_changed", "state": state }))
    }

    /// The CLI says how the turn ended.
    pub(crate) fn result(&mut self, more: Value) -> Vec<Value> {
        let mut result = json!({
            "type": "result", "subtype": "success", "is_error": false, "result": "ok", "stop_reason": "end_turn",
            "total_cost_usd": 0.5, "usage": { "input_tokens": 10, "output_tokens": 5 },
        });
        result.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.native(&result)
    }

    /// The process cannot be started.
    pub(crate) fn fail_to_start(&mut self, reason: &str) -> Vec<Value> {
        self.ended(&Ended { not_started: Some(reason.to_owned()), ..Ended::default() })
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, milliseconds: u64) -> Vec<Value> {
        self.pass(Duration::from_millis(milliseconds))
    }

    /// Takes the lines that were written to the CLI.
    pub(crate) fn written(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.peer.written)
    }
}

/// Returns the CLI's answer to `initialize`.
pub(crate) fn initialized() -> Value {
    json!({
        "commands": [
            { "name": "compact", "description": "Sum up", "argumentHint": "[about]" },
            { "name": "clear", "description": "Forget", "argumentHint": "" },
        ],
        "models": [
            {
                "value": "default", "resolvedModel": "claude-opus-4-8[1m]", "displayName": "Default",
                "description": "The best", "supportedEffortLevels": ["low", "high"], "supportsAutoMode": true,
            },
            { "value": "haiku", "resolvedModel": "claude-haiku-4-5", "displayName": "Haiku", "description": "Quick" },
        ],
        "account": { "tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty" },
    })
}

/// The answer to a request of the client; the last message has to be one.
pub(crate) fn answer(messages: &[Value]) -> &Value {
    let last = messages.last().expect("an answer");
    assert!(last.get("id").is_some() && last.get("method").is_none(), "no answer: {last}");
    last
}

/// Returns the stop reason in the last message.
pub(crate) fn stop_reason(messages: &[Value]) -> &str {
    answer(messages)["result"]["stopReason"].as_str().expect("a reason")
}
