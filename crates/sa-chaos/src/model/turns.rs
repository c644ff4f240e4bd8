//! The states that the events of a session may lead through.
//!
//! ```text
//! message (user) ─► waiting ─► turnStarted ─► running ─► turnEnded
//!                      └─────► messageWithdrawn
//! asked ─► open ─► resolved ─► asked again, only if the daemon was restarted
//! ended: nothing waits, runs or is open, and nothing follows
//! ```

use super::asks::Asks;
use super::script;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The state of a message that a client sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnState {
    Waiting,
    Running,
    Ended,
    Withdrawn,
}

/// A message that a client sent, as the log has it.
#[derive(Debug, Clone)]
pub(crate) struct UserMessage {
    turn: String,
    id: String,
    pub(crate) event: u64,
    text: String,
}

impl UserMessage {
    /// Returns whether this is the message of that text that the daemon accepted with this answer.
    pub(super) fn is(&self, text: &str, accepted: &Value) -> bool {
        accepted["turnId"] == self.turn.as_str()
            && accepted["messageId"] == self.id.as_str()
            && accepted["eventId"] == self.event
            && self.text == text
    }
}

#[derive(Debug)]
struct Turn {
    state: TurnState,
    text: String,
    /// Text of the agent, by message.
    said: BTreeMap<String, String>,
}

/// All turns and questions of a session, followed event by event.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    turns: HashMap<String, Turn>,
    running: Option<String>,
    messages: HashMap<String, Vec<UserMessage>>,
    /// Pieces of messages that are being written.
    pieces: HashMap<String, String>,
    pub(crate) asks: Asks,
    is_over: bool,
}

impl Turns {
    /// Takes the next event; returns each rule that it breaks.
    pub(crate) fn apply(&mut self, event: &Value) -> Vec<String> {
        let id = event["id"].as_u64().unwrap_or_default();
        let kind = event["type"].as_str().unwrap_or_default();
        let data = &event["data"][kind];
        if self.is_over {
            return vec![format!("event {id} ({kind}) follows `ended`")];
        }
        let broken = match kind {
            "message" => self.on_message(id, data),
            "messageDelta" => {
                self.on_delta(data);
                Vec::new()
            }
            "turnStarted" => self.on_started(data),
            "turnEnded" => self.on_ended(data),
            "messageWithdrawn" => self.on_withdrawn(data),
            "questionAsked" | "permissionAsked" => self.asks.on_asked(data),
            "questionResolved" | "permissionResolved" => self.asks.on_resolved(data),
            "ended" => self.on_over(),
            _ => Vec::new(),
        };
        broken.into_iter().map(|rule| format!("event {id} ({kind}): {rule}")).collect()
    }

    fn on_message(&mut self, event: u64, message: &Value) -> Vec<String> {
        let id = message["id"].as_str().unwrap_or_default().to_owned();
        let text = text_of(message, "text");
        let turn = message["metadata"]["turnId"].as_str().unwrap_or_default().to_owned();
        match message["role"].as_str() {
            Some("user") if !turn.is_empty() => self.on_user_message(event, id, turn, text),
            Some("assistant") => {
                if let Some(turn) = self.turns.get_mut(&turn) {
                    turn.said.insert(id.clone(), text.clone());
                }
                match self.pieces.get(&id) {
                    Some(pieces) if *pieces != text => {
                        vec![format!(
                            "message {id} differs from its pieces\n  whole:  {text:?}\n  pieces: {pieces:?}"
                        )]
                    }
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    fn on_user_message(&mut self, event: u64, id: String, turn: String, text: String) -> Vec<String> {
        let Some(nonce) = script::nonce(&text).map(str::to_owned) else { return Vec::new() };
        if self.turns.contains_key(&turn) {
            return vec![format!("a second message began turn {turn}")];
        }
        self.turns.insert(
            turn.clone(),
            Turn { state: TurnState::Waiting, text: text.clone(), said: BTreeMap::new() },
        );
        let message = UserMessage { turn, id, event, text };
        self.messages.entry(nonce).or_default().push(message);
        Vec::new()
    }

    fn on_delta(&mut self, delta: &Value) {
        if delta["kind"] == "text"
            && let (Some(id), Some(text)) = (delta["messageId"].as_str(), delta["text"].as_str())
        {
            self.pieces.entry(id.to_owned()).or_default().push_str(text);
        }
    }

    fn on_started(&mut self, data: &Value) -> Vec<String> {
        let id = data["turnId"].as_str().unwrap_or_default();
        let mut broken = Vec::new();
        if let Some(running) = &self.running {
            broken.push(format!("turn {id} starts while {running} runs"));
        }
        broken.extend(self.change(id, TurnState::Waiting, TurnState::Running));
        self.running = Some(id.to_owned());
        broken
    }

    fn on_ended(&mut self, data: &Value) -> Vec<String> {
        let id = data["turnId"].as_str().unwrap_or_default();
        let mut broken: Vec<String> =
            self.change(id, TurnState::Running, TurnState::Ended).into_iter().collect();
        self.running.take_if(|running| running == id);
        let open = self.asks.open_in(id);
        if !open.is_empty() {
            broken.push(format!("turn {id} ended while {open:?} are open"));
        }
        if data["stopReason"] == "endTurn"
            && let Some(turn) = self.turns.get(id)
        {
            let said: Vec<&str> = turn.said.values().map(String::as_str).collect();
            broken.extend(script::missing(&turn.text, &said).map(|what| format!("turn {id} lacks {what}")));
        }
        broken
    }

    fn on_withdrawn(&mut self, data: &Value) -> Vec<String> {
        let id = data["turnId"].as_str().unwrap_or_default();
        self.change(id, TurnState::Waiting, TurnState::Withdrawn).into_iter().collect()
    }

    fn on_over(&mut self) -> Vec<String> {
        self.is_over = true;
        self.unfinished().into_iter().map(|what| format!("the session ended while {what}")).collect()
    }

    fn change(&mut self, id: &str, from: TurnState, to: TurnState) -> Option<String> {
        let Some(turn) = self.turns.get_mut(id) else { return Some(format!("turn {id} has no message")) };
        let state = std::mem::replace(&mut turn.state, to);
        (state != from).then(|| format!("turn {id} was {state:?} and becomes {to:?}"))
    }

    /// Lists what waits, runs or is open; nothing once the session is idle.
    pub(crate) fn unfinished(&self) -> Vec<String> {
        let turns = self
            .turns
            .iter()
            .filter(|(_, turn)| matches!(turn.state, TurnState::Waiting | TurnState::Running));
        let turns = turns.map(|(id, turn)| format!("turn {id} is {:?}", turn.state));
        turns.chain(self.asks.open().map(|id| format!("{id} is open"))).collect()
    }

    /// Returns the messages of that nonce; more than one is a duplicate.
    pub(crate) fn messages_of(&self, nonce: &str) -> &[UserMessage] {
        self.messages.get(nonce).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the ids of messages that wait, with those that no longer do every now and then.
    pub(crate) fn message_ids(&self) -> Vec<String> {
        self.messages.values().flatten().map(|message| message.id.clone()).collect()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }
}

/// Joins the text of a message's parts of one type.
fn text_of(message: &Value, kind: &str) -> String {
    let parts = message["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter(|part| part["type"] == kind).filter_map(|part| part["text"].as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::Turns;
    use serde_json::{Value, json};

    fn event(id: u64, kind: &str, data: Value) -> Value {
        json!({ "id": id, "type": kind, "data": { kind: data } })
    }

    fn message(id: u64, turn: &str) -> Value {
        let parts = json!([{ "type": "text", "text": format!("say n{turn}n") }]);
        let data = json!({ "id": turn, "role": "user", "parts": parts, "metadata": { "turnId": turn } });
        event(id, "message", data)
    }

    fn broken(events: &[Value]) -> Vec<String> {
        let mut turns = Turns::default();
        events.iter().flat_map(|event| turns.apply(event)).collect()
    }

    #[test]
    fn a_turn_starts_once_and_ends_once() {
        let started = |id| event(id, "turnStarted", json!({ "turnId": "1" }));
        let ended = |id| event(id, "turnEnded", json!({ "turnId": "1", "stopReason": "error" }));
        assert_eq!(broken(&[message(1, "1"), started(2), ended(3)]), [""; 0]);
        assert_eq!(broken(&[message(1, "1"), ended(2)]).len(), 1);
        assert_eq!(broken(&[message(1, "1"), started(2), ended(3), ended(4)]).len(), 1);
        assert_eq!(broken(&[started(1)]).len(), 1);
        let other = event(4, "turnStarted", json!({ "turnId": "2" }));
        assert_eq!(broken(&[message(1, "1"), message(2, "2"), started(3), other]).len(), 1);
    }

    #[test]
    fn asks_are_resolved_once_and_before_their_turn_ends() {
        let asked = |id| event(id, "questionAsked", json!({ "id": "q", "turnId": "1" }));
        let resolved = |id| event(id, "questionResolved", json!({ "id": "q", "by": "client" }));
        let started = event(2, "turnStarted", json!({ "turnId": "1" }));
        let ended = event(9, "turnEnded", json!({ "turnId": "1", "stopReason": "cancelled" }));
        let run = |rest: &[Value]| broken(&[&[message(1, "1"), started.clone()], rest].concat());
        assert_eq!(run(&[asked(3), resolved(4), ended.clone()]), [""; 0]);
        assert_eq!(run(&[asked(3), ended]).len(), 1);
        assert_eq!(run(&[asked(3), resolved(4), resolved(5)]).len(), 1);
        assert_eq!(run(&[asked(3), resolved(4), asked(5)]).len(), 1, "only a restart opens it again");
    }

    #[test]
    fn nothing_follows_the_end() {
        let over = event(2, "ended", json!({ "reason": "terminated" }));
        assert_eq!(broken(&[message(1, "1"), over.clone()]).len(), 1, "a message waits");
        assert_eq!(broken(&[over, message(3, "1")]).len(), 1);
    }
}
