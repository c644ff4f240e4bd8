//! A client of one ACP server: requests whose ids collide, sockets, agents that crash, flood and start processes.

use super::Round;
use crate::census::{Identity, wait_for_end};
use crate::dice::Dice;
use crate::model::Server;
use crate::wire::{Outcome, Wire};
use futures_util::future::join_all;
use sa_testkit::Sse;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Processes of a server are gone when its DELETE is answered; a busy machine may need a moment to show it.
const GONE: Duration = Duration::from_secs(5);
/// DELETE is answered by then: the configured grace of half a second, 2 s, and room for a busy machine.
const DELETED: Duration = Duration::from_secs(12);
/// Ids that all clients of a server use.
const IDS: u64 = 3;
/// A request that nobody answers is given up after this.
const SHORT: Duration = Duration::from_secs(3);

/// Sends requests to an agent and checks that each gets its own answer.
pub(crate) struct ServerClient {
    wire: Wire,
    server: Arc<Server>,
    dice: Dice,
    name: String,
    serial: u64,
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Echo,
    EchoTogether,
    Twice,
    Cut,
    Flood,
    Ask,
    Garbage,
    Tree,
    Crash,
    Socket,
    List,
    Delete,
}

const ACTS: [(u64, Act); 12] = [
    (25, Act::Echo),
    (15, Act::EchoTogether),
    (5, Act::Twice),
    (6, Act::Cut),
    (12, Act::Flood),
    (8, Act::Ask),
    (5, Act::Garbage),
    (6, Act::Tree),
    (2, Act::Crash),
    (10, Act::Socket),
    (3, Act::List),
    (2, Act::Delete),
];

impl ServerClient {
    pub(crate) fn new(wire: &Wire, server: &Arc<Server>, dice: Dice, name: String) -> Self {
        Self { wire: wire.clone(), server: Arc::clone(server), dice, name, serial: 0 }
    }

    /// Acts until the round is over or the daemon is gone.
    pub(crate) async fn run(mut self, round: Round) {
        while !round.is_over() {
            let Some(act) = self.dice.weighted(&ACTS) else { return };
            let outcome = self.perform(act).await;
            if outcome.is_some_and(|outcome| outcome.status() == 0) && self.wire.may_break() {
                return;
            }
            tokio::time::sleep(self.dice.millis(0, 60)).await;
        }
    }

    async fn perform(&mut self, act: Act) -> Option<Outcome> {
        match act {
            Act::Echo => {
                let (id, params) = (self.dice.below(IDS), self.params());
                Some(self.ask_agent(id, &params).await)
            }
            // Under an id that others use, the second answer would be taken for theirs.
            Act::Twice => self.call("duplicate_id", &json!({})).await,
            Act::EchoTogether => {
                let requests: Vec<(u64, Value)> =
                    (0..4).map(|_| (self.dice.below(IDS), self.params())).collect();
                let client = &*self;
                let sent = requests.iter().map(|(id, params)| client.ask_agent(*id, params));
                join_all(sent).await.into_iter().next()
            }
            Act::Cut => self.cut().await,
            Act::Flood => {
                let (count, bytes) = (self.dice.between(1, 300), self.dice.between(80, 900));
                let params = json!({ "count": count, "bytes": bytes, "label": self.label() });
                self.call("flood", &params).await
            }
            Act::Ask => self.be_asked().await,
            Act::Garbage => self.call("raw", &json!({ "base64": "bm90IEpTT04KeyJ4IjoxfQr//wo=" })).await,
            Act::Tree => self.grow().await,
            Act::Crash => self.call("crash", &json!({ "code": 7, "stderr": "crashed on purpose\n" })).await,
            Act::Socket => self.join().await,
            Act::List => {
                let request = self.wire.http.get("/v1/acp");
                Some(self.wire.send(&self.server.id, request, |status| status == 200).await)
            }
            Act::Delete => Some(delete(&self.wire, &self.server).await),
        }
    }

    /// Makes up a value that no other request has.
    fn label(&mut self) -> String {
        self.serial += 1;
        format!("{}-{}", self.name, self.serial)
    }

    fn params(&mut self) -> Value {
        let label = self.label();
        json!({ "nonce": label, "pad": "x".repeat(usize::try_from(self.dice.below(400)).unwrap_or_default()) })
    }

    /// Sends a request whose answer repeats its parameters.
    async fn ask_agent(&self, id: u64, params: &Value) -> Outcome {
        let nonce = &params["nonce"];
        self.wire.oracle.note(&self.server.id, format_args!("echo {id} {nonce} is sent"));
        let outcome = self.post(&request(id, "echo", params)).await;
        self.wire.oracle.note(&self.server.id, format_args!("echo {id} {nonce} -> {}", outcome.status()));
        if let Some(answer) = answer(&outcome) {
            let is_own = answer["id"] == id && (answer["result"] == *params || answer["error"].is_object());
            self.wire.oracle.expect(is_own, &self.server.id, || {
                format!("request {id} {nonce} was answered with {answer}")
            });
        }
        outcome
    }

    /// Sends a request with an id of its own.
    async fn call(&mut self, method: &str, params: &Value) -> Option<Outcome> {
        let id = self.label();
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let outcome = self.post(&body.to_string()).await;
        if let Some(answer) = answer(&outcome) {
            self.wire.oracle.expect(answer["id"] == id.as_str(), &self.server.id, || {
                format!("{method} {id} was answered with {answer}")
            });
        }
        Some(outcome)
    }

    async fn post(&self, body: &str) -> Outcome {
        let path = self.server.path(&format!("?agent={}", self.server.agent));
        let request = self.wire.http.post(&path).json(body.to_owned());
        self.wire.send(&self.server.id, request, |status| matches!(status, 200 | 202 | 429 | 502)).await
    }

    /// Leaves before the answer comes.
    async fn cut(&mut self) -> Option<Outcome> {
        let (id, params) = (self.dice.below(IDS), json!({ "ms": 40 }));
        let body = request(id, "delay", &params);
        let path = self.server.path(&format!("?agent={}", self.server.agent));
        let sent = self.wire.http.post(&path).json(body).send();
        let left = tokio::time::timeout(self.dice.millis(1, 30), sent).await.is_err();
        self.wire.oracle.operation(&self.server.id, format_args!("POST {path} delay {id} -> left: {left}"));
        None
    }

    /// Has the agent ask, and answers twice; the agent gets one of the answers.
    async fn be_asked(&mut self) -> Option<Outcome> {
        let ask = self.label();
        let params = json!({ "method": "fs/read_text_file", "id": ask });
        let body = json!({ "jsonrpc": "2.0", "id": ask, "method": "ask", "params": params }).to_string();
        let answers = async {
            if self.sees_request(&ask).await {
                let answer =
                    |by: u32| json!({ "jsonrpc": "2.0", "id": ask, "result": { "by": by } }).to_string();
                let (one, other) = (answer(1), answer(2));
                join_all([self.post(&one), self.post(&other)]).await;
            }
        };
        let asked = async { tokio::time::timeout(SHORT, self.post(&body)).await };
        let (asked, ()) = futures_util::future::join(asked, answers).await;
        let outcome = asked.ok()?;
        if let Some(answer) = answer(&outcome).filter(|answer| answer["error"].is_null()) {
            let told: Value = serde_json::from_str(answer["result"].as_str().unwrap_or_default())
                .unwrap_or_else(|_| answer["result"].clone());
            let is_own = told["id"] == ask.as_str() && matches!(told["result"]["by"].as_u64(), Some(1 | 2));
            self.wire
                .oracle
                .expect(is_own, &self.server.id, || format!("the agent was told {told} about {ask}"));
        }
        Some(outcome)
    }

    /// Waits until a stream shows the agent's request.
    async fn sees_request(&self, ask: &str) -> bool {
        let started = Instant::now();
        while started.elapsed() < SHORT {
            let request = self.wire.http.get(&self.server.path("")).within(SHORT);
            let Ok(Ok(mut stream)) = Sse::attempt(request).await else { return false };
            while let Ok(Ok(Some(event))) =
                tokio::time::timeout(Duration::from_millis(200), stream.next_event()).await
            {
                if event.json().is_ok_and(|message| message["id"] == ask && message["method"].is_string()) {
                    return true;
                }
            }
        }
        false
    }

    /// Has the agent start processes, some of which leave its group or ignore SIGTERM.
    async fn grow(&mut self) -> Option<Outcome> {
        let depth = self.dice.between(1, 3);
        let params = json!({
            "depth": depth,
            "ignore_term": self.dice.chance(50),
            "setsid": self.dice.chance(50),
            "orphan": depth > 1 && self.dice.chance(40),
        });
        let outcome = self.call("spawn_tree", &params).await?;
        if let Some(answer) = answer(&outcome) {
            let pids = answer["result"]["pids"].as_array().cloned().unwrap_or_default();
            let pids = pids.iter().filter_map(|pid| u32::try_from(pid.as_u64()?).ok());
            self.server.started(pids.filter_map(Identity::of));
        }
        Some(outcome)
    }

    /// Joins by a WebSocket, asks once and leaves.
    async fn join(&mut self) -> Option<Outcome> {
        let query = format!("?agent={}", self.server.agent);
        let request = self.wire.http.ws(&self.server.path(&query));
        let Ok(Ok(mut socket)) = request.subprotocol("sandbox-agent.events.v1").attempt().await else {
            return None;
        };
        let (id, params) = (self.dice.below(IDS), self.params());
        let nonce = &params["nonce"];
        self.wire.oracle.operation(&self.server.id, format_args!("socket: echo {id} {nonce} is sent"));
        socket.send(&self::request(id, "echo", &params)).await.ok()?;
        let started = Instant::now();
        while started.elapsed() < SHORT {
            let Ok(Ok(Some(frame))) = tokio::time::timeout(SHORT, socket.next()).await else { break };
            let frame: Value = serde_json::from_str(&frame).unwrap_or_default();
            let message = &frame["data"];
            let is_answer = frame["event"] == "message" && message["id"] == id && message["method"].is_null();
            if is_answer {
                let is_own = message["result"] == params || message["error"].is_object();
                self.wire.oracle.expect(is_own, &self.server.id, || {
                    format!("socket request {id} {nonce} was answered with {frame}")
                });
                break;
            }
        }
        self.wire.oracle.note(&self.server.id, format_args!("socket: echo {id} {nonce} is done"));
        if self.dice.chance(50) {
            // A socket that the daemon has closed is not an error.
            let _closed = socket.close(1000, "").await;
        }
        None
    }
}

/// Deletes a server; afterwards no process of it runs.
pub(crate) async fn delete(wire: &Wire, server: &Server) -> Outcome {
    let processes = server.take_processes();
    let started = Instant::now();
    let outcome = wire.send(&server.id, wire.http.delete(&server.path("")), |status| status == 204).await;
    if outcome.status() == 204 {
        let took = started.elapsed();
        wire.oracle.expect(took < DELETED, &server.id, || format!("DELETE took {took:?}"));
        let left = wait_for_end(&processes, GONE).await;
        wire.oracle.expect(left.is_empty(), &server.id, || format!("{left:?} outlived DELETE by {GONE:?}"));
    }
    outcome
}

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Returns the message that a request was answered with.
fn answer(outcome: &Outcome) -> Option<Value> {
    match outcome {
        Outcome::Reply(reply) if reply.status == 200 => reply.json().ok(),
        Outcome::Reply(_) | Outcome::Lost => None,
    }
}
