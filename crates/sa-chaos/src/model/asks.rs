//! Questions and permissions of a session: each is resolved exactly once, by the client that was answered 204.

use serde_json::Value;
use std::collections::BTreeMap;

/// The end of a question or permission, as the log has it.
#[derive(Debug, Clone)]
struct Resolution {
    by: String,
    client: Option<String>,
}

#[derive(Debug, Default)]
struct Ask {
    turn: String,
    is_open: bool,
    /// One for each time it was asked.
    resolutions: Vec<Resolution>,
}

/// The reply of the daemon to a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// 204: this client decided.
    Won,
    /// Refused: somebody else decided, or nobody can.
    Refused,
    /// The connection broke or nothing could be stored: it may have counted.
    Unknown,
}

/// A decision that a client sent.
#[derive(Debug, Clone)]
pub(crate) struct Decision {
    pub(crate) ask: String,
    /// The name by which the log distinguishes deciders.
    pub(crate) client: String,
    pub(crate) verdict: Verdict,
}

/// All questions and permissions of a session.
#[derive(Debug, Default)]
pub(crate) struct Asks(BTreeMap<String, Ask>);

impl Asks {
    pub(super) fn on_asked(&mut self, data: &Value) -> Vec<String> {
        let id = data["id"].as_str().unwrap_or_default();
        let ask = self.0.entry(id.to_owned()).or_default();
        let mut broken = Vec::new();
        if ask.is_open {
            broken.push(format!("{id} is open already"));
        }
        if ask.resolutions.last().is_some_and(|last| last.by != "daemonRestarted") {
            broken.push(format!("{id} was resolved and is asked again without a restart"));
        }
        ask.is_open = true;
        ask.turn = data["turnId"].as_str().unwrap_or_default().to_owned();
        broken
    }

    pub(super) fn on_resolved(&mut self, data: &Value) -> Vec<String> {
        let text = |key: &str| data[key].as_str().map(str::to_owned);
        let id = text("id").unwrap_or_default();
        let Some(ask) = self.0.get_mut(&id) else { return vec![format!("{id} was never asked")] };
        let was_open = std::mem::replace(&mut ask.is_open, false);
        ask.resolutions.push(Resolution { by: text("by").unwrap_or_default(), client: text("client") });
        if was_open { Vec::new() } else { vec![format!("{id} is resolved a second time")] }
    }

    /// Returns the ids of those that are open in a turn.
    pub(super) fn open_in(&self, turn: &str) -> Vec<&str> {
        let open = self.0.iter().filter(|(_, ask)| ask.is_open && ask.turn == turn);
        open.map(|(id, _)| id.as_str()).collect()
    }

    pub(super) fn open(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, ask)| ask.is_open).map(|(id, _)| id.as_str())
    }

    /// Compares the replies to decisions with the log; returns what differs.
    pub(crate) fn judge(&self, decisions: &[Decision]) -> Vec<String> {
        let mut broken = Vec::new();
        for decision in decisions {
            let Decision { ask: id, client, verdict } = decision;
            let resolutions = self.0.get(id).map(|ask| ask.resolutions.as_slice()).unwrap_or_default();
            let named = resolutions.iter().filter(|one| one.client.as_ref() == Some(client)).count();
            match (verdict, named) {
                (Verdict::Won, 1) | (Verdict::Refused, 0) | (Verdict::Unknown, 0 | 1) => {}
                _ => broken.push(format!(
                    "client {client} was answered {verdict:?} for {id}, and the log names it {named} times: {resolutions:?}"
                )),
            }
        }
        for (id, ask) in &self.0 {
            let winners =
                decisions.iter().filter(|one| one.ask == *id && one.verdict == Verdict::Won).count();
            if winners > ask.resolutions.len() {
                broken.push(format!("{winners} clients were answered 204 for {id}"));
            }
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::{Asks, Decision, Verdict};
    use serde_json::json;

    #[test]
    fn only_the_client_that_the_log_names_has_won() {
        let mut asks = Asks::default();
        asks.on_asked(&json!({ "id": "p", "turnId": "t" }));
        asks.on_resolved(&json!({ "id": "p", "by": "client", "client": "a" }));
        let decision = |client: &str, verdict| Decision { ask: "p".into(), client: client.into(), verdict };
        assert_eq!(asks.judge(&[decision("a", Verdict::Won), decision("b", Verdict::Refused)]), [""; 0]);
        assert_eq!(asks.judge(&[decision("a", Verdict::Unknown), decision("b", Verdict::Unknown)]), [""; 0]);
        assert_eq!(asks.judge(&[decision("a", Verdict::Refused)]).len(), 1);
        assert_eq!(asks.judge(&[decision("a", Verdict::Won), decision("b", Verdict::Won)]).len(), 2);
    }
}
