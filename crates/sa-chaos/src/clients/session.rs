//! A client of one universal session.

use super::reading::Page;
use super::{Round, asking};
use crate::dice::Dice;
use crate::model::{Answer, Fate, Filter, Observation, Session, script};
use crate::wire::{Outcome, Wire};
use sa_testkit::Request;
use serde_json::{Value, json};
use std::sync::Arc;

/// Sends, repeats, withdraws, cancels and answers.
pub(crate) struct SessionClient {
    pub(super) wire: Wire,
    pub(super) session: Arc<Session>,
    pub(super) dice: Dice,
    /// Unique in the run: nonces, keys and decisions carry it.
    pub(super) name: String,
    pub(super) serial: u64,
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Send,
    SendStreaming,
    SendWithKey,
    Repeat,
    ReuseKey,
    Answer,
    AnswerLate,
    Cancel,
    Withdraw,
    Reorder,
    Resume,
    Rename,
    Page,
    Transcript,
    Export,
    Terminate,
    Delete,
}

const ACTS: [(u64, Act); 15] = [
    (26, Act::Send),
    (8, Act::SendStreaming),
    (16, Act::SendWithKey),
    (10, Act::Repeat),
    (3, Act::ReuseKey),
    (40, Act::Answer),
    (8, Act::AnswerLate),
    (6, Act::Cancel),
    (6, Act::Withdraw),
    (6, Act::Reorder),
    (4, Act::Resume),
    (2, Act::Rename),
    (10, Act::Page),
    (3, Act::Transcript),
    (2, Act::Export),
];

impl SessionClient {
    pub(crate) fn new(wire: &Wire, session: &Arc<Session>, dice: Dice, name: String) -> Self {
        Self { wire: wire.clone(), session: Arc::clone(session), dice, name, serial: 0 }
    }

    /// Acts until the round is over or the daemon is gone.
    pub(crate) async fn run(mut self, round: Round) {
        while !round.is_over() {
            let Some(act) = self.dice.weighted(&ACTS) else { return };
            let act = match self.dice.below(1000) {
                0..4 => Act::Terminate,
                4..8 => Act::Delete,
                _ => act,
            };
            if self.perform(act).await.status() == 0 && self.wire.may_break() {
                return;
            }
            let pause = self.dice.millis(0, 60);
            tokio::time::sleep(pause).await;
        }
    }

    async fn perform(&mut self, act: Act) -> Outcome {
        match act {
            Act::Send => self.send(None).await,
            Act::SendStreaming => super::reading::send_and_stream(self).await,
            Act::SendWithKey => {
                let key = format!("k-{}-{}", self.name, self.serial + 1);
                self.send(Some(key)).await
            }
            Act::Repeat => self.repeat().await,
            Act::ReuseKey => self.reuse_key().await,
            Act::Answer => asking::answer(self).await,
            Act::AnswerLate => asking::answer_late(self).await,
            Act::Cancel => self.act("/cancel", &[200]).await,
            Act::Withdraw => self.withdraw().await,
            Act::Reorder => self.reorder().await,
            Act::Resume => self.act("/resume", &[200]).await,
            Act::Rename => {
                let body = json!({ "title": format!("Title of {}", self.name) });
                let request = self.wire.http.patch(&self.session.path("")).json(body.to_string());
                self.request(request, &[200]).await
            }
            Act::Page => self.page().await,
            Act::Transcript => {
                let path = self.session.path(&format!("/messages?limit={}", self.dice.between(1, 200)));
                self.request(self.wire.http.get(&path), &[200]).await
            }
            Act::Export => {
                let request = self.wire.http.get(&self.session.path("/export"));
                let fate = || self.session.fate();
                let allowed = |status| status == 200 || fate().allows(status);
                self.wire.send_for(&self.session.id, request, allowed, || fate() == Fate::Deleting).await
            }
            Act::Terminate => {
                self.session.set_fate(self.session.fate().max(Fate::Ending));
                self.act("/terminate", &[200]).await
            }
            Act::Delete => {
                self.session.set_fate(Fate::Deleting);
                self.request(self.wire.http.delete(&self.session.path("")), &[204]).await
            }
        }
    }

    /// Sends a request that may meet the end of the session.
    pub(super) async fn request(&self, request: Request, expected: &[u16]) -> Outcome {
        let allowed = |status| expected.contains(&status) || self.session.fate().allows(status);
        self.wire.send(&self.session.id, request, allowed).await
    }

    async fn act(&self, path: &str, expected: &[u16]) -> Outcome {
        self.request(self.wire.http.post(&self.session.path(path)), expected).await
    }

    async fn send(&mut self, key: Option<String>) -> Outcome {
        let (nonce, text) = self.write();
        self.post(&nonce, key.as_deref(), &text).await
    }

    /// Makes up a message.
    pub(super) fn write(&mut self) -> (String, String) {
        self.serial += 1;
        let nonce = format!("n-{}-{}", self.name, self.serial);
        let text = script::write(&mut self.dice, &nonce, self.session.agent);
        (nonce, text)
    }

    async fn post(&mut self, nonce: &str, key: Option<&str>, text: &str) -> Outcome {
        let mut body = json!({ "message": text });
        if key.is_none() && self.dice.chance(10) {
            body["delivery"] = json!("interrupt");
        }
        let request = self.message(key, &body);
        let outcome = self.request(request, &[202, 429]).await;
        self.session.posted(nonce, key, text, answer_of(&outcome));
        outcome
    }

    fn message(&self, key: Option<&str>, body: &Value) -> Request {
        let request = self.wire.http.post(&self.session.path("/messages")).json(body.to_string());
        key.map_or_else(|| request.clone(), |key| request.clone().header("idempotency-key", key))
    }

    /// Sends a message again under its key, sometimes from two clients at once.
    async fn repeat(&mut self) -> Outcome {
        let posts = self.session.keyed_posts();
        let Some(post) = self.dice.pick(&posts).cloned() else { return self.send(None).await };
        if self.dice.chance(30) {
            let body = json!({ "message": post.text });
            let request = self.message(post.key.as_deref(), &body);
            let outcome = self.request(request, &[202, 429]).await;
            self.session.posted(&post.nonce, post.key.as_deref(), &post.text, answer_of(&outcome));
        }
        self.post(&post.nonce, post.key.as_deref(), &post.text).await
    }

    /// Sends another message under a key that was accepted.
    async fn reuse_key(&mut self) -> Outcome {
        let mut posts = self.session.keyed_posts();
        posts.retain(|post| post.accepted().is_some());
        let Some(post) = self.dice.pick(&posts).cloned() else { return self.send(None).await };
        let (nonce, text) = self.write();
        let request = self.message(post.key.as_deref(), &json!({ "message": text }));
        let outcome = self.request(request, &[409]).await;
        self.session.posted(&nonce, None, &text, answer_of(&outcome));
        outcome
    }

    async fn withdraw(&mut self) -> Outcome {
        let ids = self.session.message_ids();
        let Some(id) = self.dice.pick(&ids) else { return self.page().await };
        let path = self.session.path(&format!("/messages/{id}"));
        self.request(self.wire.http.delete(&path), &[204, 409]).await
    }

    async fn reorder(&mut self) -> Outcome {
        let mut ids = self.session.message_ids();
        self.dice.shuffle(&mut ids);
        ids.truncate(5);
        ids.sort();
        ids.dedup();
        self.dice.shuffle(&mut ids);
        let request = self.wire.http.put(&self.session.path("/queue"));
        self.request(request.json(json!({ "messageIds": ids }).to_string()), &[200]).await
    }

    async fn page(&mut self) -> Outcome {
        let after = self.dice.below(self.session.events() + 1);
        let filter = Filter::random(&mut self.dice);
        let path = self.session.path(&format!(
            "/events?after={after}&limit={}{}",
            self.dice.between(1, 300),
            filter.query()
        ));
        let outcome = self.request(self.wire.http.get(&path), &[200]).await;
        if let Outcome::Reply(reply) = &outcome
            && reply.status == 200
        {
            match Page::read(reply) {
                Ok(page) => {
                    let events = page.events;
                    self.session.saw(Observation { request: format!("GET {path}"), after, filter, events });
                }
                Err(error) => {
                    self.wire.oracle.differ(&self.session.id, format_args!("GET {path}: {error:#}"))
                }
            }
        }
        outcome
    }
}

pub(super) fn answer_of(outcome: &Outcome) -> Answer {
    match outcome {
        // A daemon that stops may have stored the message before it stopped answering.
        Outcome::Reply(reply) if reply.status == 503 => Answer::Lost,
        Outcome::Reply(reply) if reply.status == 202 => Answer::Accepted(reply.json().unwrap_or_default()),
        Outcome::Reply(reply) => Answer::Refused(reply.status),
        Outcome::Lost => Answer::Lost,
    }
}
