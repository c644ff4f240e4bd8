//! One agent process of which the daemon is the client, for one session or for several.

use super::AgentFailure;
use super::mailbox::Mailbox;
use super::routes::{Opens, Route, Routes};
use super::wire::{self, FromAgent, Incoming, RpcError};
use parking_lot::Mutex;
use sa_agents::AgentSpec;
use sa_api::{AgentExit, Unparsed};
use sa_hub::{Hub, OpenSocket, Position, Reader, ReaderKind, Server, ServerId, WhenStopped};
use sa_journal::Step;
use sa_jsonrpc::codes;
use sa_relay::{Caller, Part, RecordKind, Sight, SocketView};
use sa_universal::PromptCapabilities;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A connection. It ends with its last handle.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Handle>);

struct Handle {
    wiring: Arc<Wiring>,
}

struct Wiring {
    hub: Hub,
    server: Server,
    /// Distinguishes answers to this client's requests from those to others'.
    socket: OpenSocket,
    calls: AtomicU64,
    routes: Mutex<Routes>,
    greeting: OnceLock<Greeting>,
}

/// The description that the agent gave of itself.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Greeting {
    pub(crate) agent_capabilities: AgentCapabilities,
    #[serde(skip)]
    pub(crate) prompts: PromptCapabilities,
}

/// Capabilities.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AgentCapabilities {
    pub(crate) load_session: bool,
    pub(crate) session_capabilities: SessionCapabilities,
    pub(crate) mcp_capabilities: McpCapabilities,
}

/// Capabilities for sessions. Each is there or not; its content does not matter.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SessionCapabilities {
    pub(crate) resume: Option<Value>,
    pub(crate) fork: Option<Value>,
    pub(crate) close: Option<Value>,
    pub(crate) delete: Option<Value>,
}

/// The kinds of MCP servers that it can use in addition to commands.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct McpCapabilities {
    pub(crate) http: bool,
    pub(crate) sse: bool,
}

impl Connection {
    /// Starts an agent and greets it, within `limit` once its program is there.
    pub(crate) async fn open(
        hub: &Hub,
        agent: AgentSpec,
        version: Option<&str>,
        limit: Duration,
    ) -> Result<Self, AgentFailure> {
        let server = hub.open_with(&ServerId::mint(), agent, version)?;
        // From here on dropping the handle ends the server.
        let wiring = Arc::new(Wiring {
            hub: hub.clone(),
            socket: server.open_socket(),
            server,
            calls: AtomicU64::new(0),
            routes: Mutex::default(),
            greeting: OnceLock::new(),
        });
        let connection = Self(Arc::new(Handle { wiring: Arc::clone(&wiring) }));
        wiring.server.start().await?;
        let reader = wiring.server.subscribe(Position::After(0), ReaderKind::Client).await?;
        // Sessions take what they can store. While that is nothing, the agent waits.
        tokio::spawn(wiring.read(reader.hold_agent()));
        connection.greet(limit).await?;
        Ok(connection)
    }

    async fn greet(&self, limit: Duration) -> Result<(), AgentFailure> {
        let params = json!({
            "protocolVersion": 1,
            "clientInfo": { "name": "sandbox-agent", "version": env!("CARGO_PKG_VERSION") },
            "clientCapabilities": {
                "fs": { "readTextFile": false, "writeTextFile": false },
                "terminal": false,
                "elicitation": { "form": {}, "url": {} },
                "session": { "configOptions": { "boolean": {} }, "notices": {}, "compaction": {} },
            },
        });
        let (mailbox, mut answers) = Mailbox::new();
        self.call(0, "initialize", &params, &mailbox, Opens::Nothing).await?;
        let answered = async {
            loop {
                match answers.next().await {
                    Some(FromAgent::Response { outcome, .. }) => return Ok(outcome),
                    Some(FromAgent::Ended(exit)) => return Err(AgentFailure::Ended(exit)),
                    Some(_) => {}
                    None => return Err(AgentFailure::Ended(AgentExit::default())),
                }
            }
        };
        let late = || AgentFailure::Late { method: "initialize".to_owned(), seconds: limit.as_secs() };
        let outcome = tokio::time::timeout(limit, answered).await.map_err(|_| late())??;
        let result = outcome.map_err(|error| AgentFailure::refused("initialize", error))?;
        let mut greeting: Greeting = serde_json::from_str(result.get())
            .map_err(|error| AgentFailure::nonsense("initialize", &error))?;
        greeting.prompts = PromptCapabilities::of(&result);
        // Set once, here.
        let _ = self.0.wiring.greeting.set(greeting);
        Ok(())
    }

    /// Returns the id of the ACP server that it is.
    pub(crate) fn server_id(&self) -> &str {
        self.0.wiring.server.id().as_str()
    }

    /// The description that the agent gave of itself.
    pub(crate) fn greeting(&self) -> &Greeting {
        self.0.wiring.greeting.get_or_init(Greeting::default)
    }

    /// The version that runs, if it is known.
    pub(crate) fn agent_version(&self) -> Option<String> {
        self.0.wiring.server.describe().agent_version
    }

    /// Returns the agent's exit, if it has ended.
    pub(crate) fn ended(&self) -> Option<AgentExit> {
        self.0.wiring.routes.lock().ended().cloned()
    }

    /// Sends a request; its answer comes to that mailbox under the caller's `number`. Messages of a session that it opens come to
    /// the mailbox, too. If the mailbox is closed before the answer comes, that session is closed as well.
    pub(crate) async fn call(
        &self,
        number: u64,
        method: &str,
        params: &Value,
        mailbox: &Mailbox,
        opens: Opens,
    ) -> Result<(), AgentFailure> {
        let wiring = &self.0.wiring;
        let call = wiring.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let message = wire::message(Some(call), method, params)
            .map_err(|invalid| AgentFailure::nonsense(method, &invalid))?;
        wiring.routes.lock().expect(call, number, mailbox.clone(), opens).map_err(AgentFailure::Ended)?;
        let sent = wiring.send(message).await;
        if sent.is_err() {
            wiring.routes.lock().forget_call(call);
        }
        sent
    }

    /// Sends a notification.
    pub(crate) async fn notify(&self, method: &str, params: &Value) -> Result<(), AgentFailure> {
        let message = wire::message(None, method, params)
            .map_err(|invalid| AgentFailure::nonsense(method, &invalid))?;
        self.0.wiring.send(message).await
    }

    /// Answers a request of the agent's.
    pub(crate) async fn answer(
        &self,
        id: &str,
        outcome: &Result<Value, RpcError>,
    ) -> Result<(), AgentFailure> {
        let message =
            wire::answer(id, outcome).map_err(|invalid| AgentFailure::nonsense("its request", &invalid))?;
        self.0.wiring.routes.lock().answered(id);
        self.0.wiring.send(message).await
    }

    /// Delivers what concerns this session to that mailbox.
    pub(crate) fn adopt(&self, session: &str, mailbox: Mailbox) {
        self.0.wiring.routes.lock().adopt(session, mailbox);
    }

    /// Stops delivering what concerns this session to that mailbox.
    pub(crate) fn release(&self, session: &str, mailbox: &Mailbox) {
        self.0.wiring.routes.lock().release(session, mailbox);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let wiring = Arc::clone(&self.wiring);
        // Ending takes as long as the agent's grace; nobody waits for it here. Without a runtime there is nothing
        // to end either.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { wiring.hub.close(wiring.server.id()).await });
        }
    }
}

impl Wiring {
    async fn send(&self, message: sa_jsonrpc::Message<bytes::Bytes>) -> Result<(), AgentFailure> {
        Ok(self.server.send(message, WhenStopped::Refuse, Caller::Socket(self.socket.number())).await?)
    }

    /// Hands out what the agent says until it ends.
    async fn read(self: Arc<Self>, mut reader: Reader) {
        let exit = loop {
            match reader.step().await {
                Some(Step::Entry(part)) => {
                    if let Some(exit) = self.part(&part).await {
                        break exit;
                    }
                }
                Some(Step::Gap(_)) => {
                    let mailboxes = self.routes.lock().mailboxes();
                    broadcast(mailboxes, || FromAgent::Gap).await;
                }
                None => break AgentExit::default(),
            }
        };
        let mailboxes = self.routes.lock().end(exit.clone());
        broadcast(mailboxes, || FromAgent::Ended(exit.clone())).await;
    }

    /// Hands out one part of the log; gives the agent's exit if it is in there.
    async fn part(&self, part: &Part) -> Option<AgentExit> {
        let exit = exit_in(part);
        let view = SocketView { socket: self.socket.number(), resumed_at: None };
        for (index, sequence, record) in part.records() {
            let data = part.segment.data(index);
            match record.kind {
                _ if view.sees(sequence, record, |socket| self.server.has_socket(socket)) != Sight::Own => {}
                RecordKind::Message | RecordKind::Response => self.message(&data, exit.as_ref()).await,
                RecordKind::Unparsed => {
                    if let Ok(unparsed) = serde_json::from_slice::<Unparsed>(&data) {
                        let mailboxes = self.routes.lock().mailboxes();
                        broadcast(mailboxes, || FromAgent::Unparsed(unparsed.clone())).await;
                    }
                }
                RecordKind::Exit => return Some(serde_json::from_slice(&data).unwrap_or_default()),
            }
        }
        None
    }

    /// Hands out one message. Messages in place of an agent that has ended are not: its exit says more.
    async fn message(&self, data: &[u8], exit: Option<&Value>) {
        let Some(incoming) = Incoming::read(data) else { return };
        if let FromAgent::Response { outcome: Err(error), .. } = &incoming.message
            && exit.is_some()
            && error.data.as_ref() == exit
        {
            return;
        }
        let route = self.routes.lock().route(incoming);
        match route {
            Route::To(mailbox, messages) => {
                for message in messages {
                    mailbox.send(message).await;
                }
            }
            Route::Refuse { id, method } => {
                let message = format!("there is nobody here for {method}");
                let error = RpcError::new(codes::METHOD_NOT_FOUND, message);
                if let Ok(message) = wire::answer(&id, &Err(error)) {
                    // An agent that is gone needs no answer.
                    let _ = self.send(message).await;
                }
            }
            Route::Close(session) => self.close(&session).await,
            Route::Drop => {}
        }
    }

    /// Has the agent close a session that nobody here uses. Nobody waits for the answer.
    async fn close(&self, session: &str) {
        let greeting = self.greeting.get();
        if greeting.is_none_or(|greeting| greeting.agent_capabilities.session_capabilities.close.is_none()) {
            return;
        }
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if let Ok(message) = wire::message(Some(call), "session/close", &json!({ "sessionId": session })) {
            // An agent that is gone has no sessions.
            let _ = self.send(message).await;
        }
    }
}

/// The agent's exit, if this part of the log has it.
fn exit_in(part: &Part) -> Option<Value> {
    let (index, ..) = part.records().find(|(.., record)| record.kind == RecordKind::Exit)?;
    serde_json::from_slice(&part.segment.data(index)).ok()
}

async fn broadcast(mailboxes: Vec<Mailbox>, message: impl Fn() -> FromAgent) {
    for mailbox in mailboxes {
        mailbox.send(message()).await;
    }
}
