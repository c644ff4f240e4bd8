//! One universal session: its log as it was read last, and everything that clients got about it.

use super::asks::Decision;
use super::observation::Observation;
use super::posts::{Answer, Post};
use super::turns::Turns;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An event of the log.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) kind: Box<str>,
    pub(super) bytes: Box<str>,
}

/// Requests that change whether a session exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    /// Created: the session must exist.
    Kept,
    /// A client asked to end it; it must exist.
    Ending,
    /// A client asked to delete it; it may be gone.
    Deleting,
}

impl Fate {
    /// Returns whether a request may be refused with this status because of it.
    pub(crate) fn allows(self, status: u16) -> bool {
        match self {
            Self::Kept => false,
            Self::Ending => status == 409,
            Self::Deleting => matches!(status, 404 | 409),
        }
    }
}

/// A session that clients share.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) agent: &'static str,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    log: Vec<Entry>,
    turns: Turns,
    observations: Vec<Observation>,
    posts: Vec<Post>,
    decisions: Vec<Decision>,
    /// Questions and permissions that clients have seen open.
    asks: BTreeSet<(String, String)>,
    fate: Fate,
}

impl Session {
    pub(crate) fn new(id: String, agent: &'static str) -> Self {
        let state = State {
            log: Vec::new(),
            turns: Turns::default(),
            observations: Vec::new(),
            posts: Vec::new(),
            decisions: Vec::new(),
            asks: BTreeSet::new(),
            fate: Fate::Kept,
        };
        Self { id, agent, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/v1/sessions/{}{rest}", self.id)
    }

    pub(crate) fn fate(&self) -> Fate {
        self.state().fate
    }

    pub(crate) fn set_fate(&self, fate: Fate) {
        self.state().fate = fate;
    }

    /// Returns the number of events that were compared so far.
    pub(crate) fn events(&self) -> u64 {
        self.state().log.len() as u64
    }

    pub(crate) fn is_over(&self) -> bool {
        self.state().turns.is_over()
    }

    /// Keeps what a client saw until the log is read.
    pub(crate) fn saw(&self, observation: Observation) {
        if !observation.events.is_empty() {
            self.state().observations.push(observation);
        }
    }

    /// Notes the answer to a message; `at` is the place of an earlier attempt.
    pub(crate) fn posted(&self, nonce: &str, key: Option<&str>, text: &str, answer: Answer) {
        let mut state = self.state();
        match state.posts.iter_mut().find(|post| post.nonce == nonce) {
            Some(post) => post.answers.push(answer),
            None => state.posts.push(Post {
                nonce: nonce.to_owned(),
                key: key.map(str::to_owned),
                text: text.to_owned(),
                answers: vec![answer],
            }),
        }
    }

    /// Returns the messages that were sent with a key.
    pub(crate) fn keyed_posts(&self) -> Vec<Post> {
        self.state().posts.iter().filter(|post| post.key.is_some()).cloned().collect()
    }

    /// Returns the ids of messages that were accepted or read.
    pub(crate) fn message_ids(&self) -> Vec<String> {
        let state = self.state();
        let accepted = state.posts.iter().rev().take(20).filter_map(Post::accepted);
        let mut ids: Vec<String> =
            accepted.filter_map(|body| body["messageId"].as_str().map(str::to_owned)).collect();
        ids.extend(state.turns.message_ids().into_iter().take(5));
        ids
    }

    pub(crate) fn decided(&self, decision: Decision) {
        self.state().decisions.push(decision);
    }

    /// Remembers a question (`questions`) or permission (`permissions`) that was open.
    pub(crate) fn saw_ask(&self, list: &str, id: &str) {
        self.state().asks.insert((list.to_owned(), id.to_owned()));
    }

    /// Returns all questions and permissions that were ever open.
    pub(crate) fn known_asks(&self) -> Vec<(String, String)> {
        self.state().asks.iter().cloned().collect()
    }

    /// Appends the next event of the log; returns each rule that it breaks.
    pub(crate) fn append(&self, bytes: &str) -> Vec<String> {
        let Ok(event) = serde_json::from_str::<Value>(bytes) else {
            return vec![format!("no JSON: {bytes}")];
        };
        let mut state = self.state();
        let expected = state.log.len() as u64 + 1;
        let mut broken = Vec::new();
        if event["id"] != expected {
            broken.push(format!("event {} is in the place of event {expected}", event["id"]));
        }
        if event["sessionId"] != self.id.as_str() {
            broken.push(format!("event {expected} belongs to {}", event["sessionId"]));
        }
        let kind = event["type"].as_str().unwrap_or_default();
        state.log.push(Entry { kind: kind.into(), bytes: bytes.into() });
        broken.extend(state.turns.apply(&event));
        broken
    }

    /// Shortens the last events of the log for a report, without pieces of messages.
    pub(crate) fn excerpt(&self, count: usize) -> String {
        let state = self.state();
        let whole = state.log.iter().enumerate().rev().filter(|(_, entry)| *entry.kind != *"messageDelta");
        let shorten = |(at, entry): (usize, &Entry)| {
            let data = entry.bytes.split_once(r#""data":"#).map_or(&*entry.bytes, |(_, data)| data);
            format!("  {} {}", at + 1, data.chars().take(400).collect::<String>())
        };
        let mut lines: Vec<String> = whole.take(count).map(shorten).collect();
        lines.reverse();
        lines.join("\n")
    }

    /// Compares an event that was read again with the log.
    pub(crate) fn compare(&self, id: u64, bytes: &str) -> Option<String> {
        let state = self.state();
        let known = usize::try_from(id).ok().and_then(|id| state.log.get(id.checked_sub(1)?));
        match known {
            Some(entry) if *entry.bytes == *bytes => None,
            Some(entry) => Some(format!("event {id} was {}, and is {bytes}", entry.bytes)),
            None => Some(format!("event {id} is new, although nothing happened: {bytes}")),
        }
    }

    /// Compares everything that clients saw with the log; returns what differs and the number of comparisons.
    pub(crate) fn judge(&self) -> (Vec<String>, usize) {
        let mut state = self.state();
        let observations = std::mem::take(&mut state.observations);
        let seen: usize = observations.iter().map(|observation| observation.events.len()).sum();
        let mut broken: Vec<String> =
            observations.iter().filter_map(|observation| observation.judge(&state.log).err()).collect();
        broken.extend(state.posts.iter().filter_map(|post| post.judge(&state.turns).err()));
        broken.extend(state.turns.asks.judge(&state.decisions));
        (broken, seen + state.posts.len() + state.decisions.len())
    }

    /// Lists messages that have not ended and questions that are open.
    pub(crate) fn unfinished(&self) -> Vec<String> {
        self.state().turns.unfinished()
    }
}
