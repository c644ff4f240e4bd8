//! Readers of a session's events: pages, streams that are cut, stalled and resumed, and the stream of one turn.

use super::Round;
use super::session::{SessionClient, answer_of};
use crate::dice::Dice;
use crate::model::{Answer, Fate, Filter, Observation, Session};
use crate::wire::{Outcome, PATIENCE, Wire};
use anyhow::{Context, Result, ensure};
use sa_testkit::{Pace, Reply, Request, Sse};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A reader of a quiet stream goes away after this.
const QUIET: Duration = Duration::from_millis(400);

/// A page of events, byte for byte.
pub(crate) struct Page {
    pub(crate) events: Vec<(u64, String)>,
    pub(crate) has_more: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawPage {
    events: Vec<Box<RawValue>>,
    has_more: bool,
    oldest: Option<u64>,
}

#[derive(Deserialize)]
struct Id {
    id: u64,
}

impl Page {
    /// Reads a page of which nothing was dropped.
    pub(crate) fn read(reply: &Reply) -> Result<Self> {
        let page: RawPage = serde_json::from_slice(&reply.body).with_context(|| reply.text())?;
        ensure!(page.oldest.is_none(), "events before {:?} are reported as dropped", page.oldest);
        let event = |raw: Box<RawValue>| {
            let Id { id } = serde_json::from_str(raw.get()).with_context(|| raw.to_string())?;
            Ok((id, raw.get().to_owned()))
        };
        Ok(Self {
            events: page.events.into_iter().map(event).collect::<Result<_>>()?,
            has_more: page.has_more,
        })
    }
}

/// Reads a session's stream, again and again.
pub(crate) struct Reader {
    wire: Wire,
    session: Arc<Session>,
    dice: Dice,
}

impl Reader {
    pub(crate) fn new(wire: &Wire, session: &Arc<Session>, dice: Dice) -> Self {
        Self { wire: wire.clone(), session: Arc::clone(session), dice }
    }

    /// Reads until the round is over or the daemon is gone.
    pub(crate) async fn run(mut self, round: Round) {
        let mut last = self.session.events();
        while !round.is_over() && !self.session.is_over() && self.session.fate() != Fate::Deleting {
            let after = if self.dice.chance(70) { last } else { self.dice.below(last + 1) };
            let filter = Filter::random(&mut self.dice);
            let query = filter.query();
            let request = if self.dice.chance(50) {
                let path = self.session.path(&format!("/events/sse?after={after}{query}"));
                self.wire.http.get(&path)
            } else {
                let path = self.session.path(&format!("/events/sse?after=0{query}"));
                self.wire.http.get(&path).header("last-event-id", &after.to_string())
            };
            let is_whole = filter == Filter::default();
            let most = self.dice.between(1, 400);
            match self.read(request, after, filter, most, &round).await {
                Some(seen) if is_whole => last = last.max(seen),
                Some(_) => {}
                None if self.wire.may_break() => return,
                None => {}
            }
        }
    }

    /// Reads one stream until it was enough; returns the last id, or nothing when it broke.
    async fn read(
        &mut self,
        request: Request,
        after: u64,
        filter: Filter,
        most: u64,
        round: &Round,
    ) -> Option<u64> {
        let what = format!("{request} after {after}");
        let mut request = request;
        if self.dice.chance(10) {
            request = request.receive_buffer(4096);
        }
        let is_allowed =
            |status| self.session.fate().allows(status) || (status == 503 && self.wire.may_break());
        let mut stream = self.wire.open(&self.session.id, &what, request, is_allowed).await?;
        if self.dice.chance(15) {
            stream.set_pace(Pace::Stalled);
            tokio::time::sleep(self.dice.millis(20, 300)).await;
            stream.set_pace(Pace::Free);
        }
        let mut events = Vec::new();
        let end = self.follow(&mut stream, &what, most, round, &mut events).await;
        let last = events.last().map(|(id, _)| *id);
        self.wire
            .oracle
            .operation(&self.session.id, format_args!("{what} -> {} events, {end:?}", events.len()));
        self.session.saw(Observation { request: what, after, filter, events });
        (end != End::Broken).then_some(last.unwrap_or(after))
    }

    async fn follow(
        &self,
        stream: &mut Sse,
        what: &str,
        most: u64,
        round: &Round,
        events: &mut Vec<(u64, String)>,
    ) -> End {
        while (events.len() as u64) < most {
            match tokio::time::timeout(QUIET, stream.next_event()).await {
                Err(_) if round.is_over() => return End::Left,
                Err(_) if events.len() > 20 => return End::Left,
                Err(_) => {}
                Ok(Ok(Some(event))) if event.event == "message" => {
                    events.push((event.sequence().unwrap_or_default(), event.data));
                }
                Ok(Ok(Some(event))) if event.event == "failure" && self.may_fail(&event.data) => {
                    return End::Ended;
                }
                Ok(Ok(Some(event))) => {
                    self.wire
                        .oracle
                        .differ(&self.session.id, format_args!("{what}: {} {}", event.event, event.data));
                    return End::Left;
                }
                Ok(Ok(None)) => {
                    let is_ended =
                        self.session.fate() != Fate::Kept || self.wire.may_break() || self.session.is_over();
                    self.wire
                        .oracle
                        .expect(is_ended, &self.session.id, || format!("{what}: the stream ended"));
                    return End::Ended;
                }
                Ok(Err(error)) => {
                    self.wire.on_break(&self.session.id, what, Duration::ZERO, &error);
                    return End::Broken;
                }
            }
        }
        End::Left
    }

    /// Returns whether events may be unreadable for this reason: a client deletes the session, or the daemon lacks descriptors.
    fn may_fail(&self, problem: &str) -> bool {
        match serde_json::from_str(problem).unwrap_or(Value::Null)["status"].as_u64() {
            Some(404) => self.session.fate() == Fate::Deleting,
            Some(503) => self.wire.may_break(),
            _ => false,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum End {
    Left,
    Ended,
    Broken,
}

/// Sends a message and reads the events of its turn, to the end or until it leaves.
pub(super) async fn send_and_stream(client: &mut SessionClient) -> Outcome {
    let (nonce, text) = client.write();
    let body = serde_json::json!({ "message": text }).to_string();
    let request = client.wire.http.post(&client.session.path("/messages/stream")).json(body);
    let (what, started) = (format!("{request} {nonce}"), Instant::now());
    let patience = client.dice.millis(10, 1500);
    let (oracle, id) = (client.wire.oracle.clone(), client.session.id.clone());
    let mut stream = match Sse::attempt(request.within(PATIENCE)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(reply)) => {
            oracle.operation(&id, format_args!("{what} -> {}", reply.status));
            let is_allowed = reply.status == 429
                || client.session.fate().allows(reply.status)
                || matches!(reply.status, 503 | 507);
            oracle.expect(is_allowed, &id, || {
                format!("{what} was answered {}: {}", reply.status, reply.text())
            });
            let outcome = Outcome::Reply(reply);
            client.session.posted(&nonce, None, &text, answer_of(&outcome));
            return outcome;
        }
        Err(error) => {
            client.wire.on_break(&id, &what, started.elapsed(), &error);
            client.session.posted(&nonce, None, &text, Answer::Lost);
            return Outcome::Lost;
        }
    };
    let mut events: Vec<(u64, String)> = Vec::new();
    while started.elapsed() < patience {
        match tokio::time::timeout(QUIET, stream.next_event()).await {
            Ok(Ok(Some(event))) if event.event == "message" => {
                events.push((event.sequence().unwrap_or_default(), event.data));
            }
            Err(_) => {}
            Ok(Ok(_) | Err(_)) => break,
        }
    }
    oracle.operation(&id, format_args!("{what} -> {} events", events.len()));
    let accepted = events.first().and_then(|(_, event)| accepted(event));
    client.session.posted(&nonce, None, &text, accepted.map_or(Answer::Lost, Answer::Accepted));
    if let Some((first, _)) = events.first() {
        let after = first.saturating_sub(1);
        client.session.saw(Observation { request: what, after, filter: Filter::default(), events });
    }
    client.request(client.wire.http.get("/v1/health"), &[200]).await
}

/// Returns what a plain POST would have been answered, from the event of the message.
fn accepted(event: &str) -> Option<Value> {
    let event: Value = serde_json::from_str(event).ok()?;
    let message = &event["data"]["message"];
    let turn = message["metadata"]["turnId"].as_str()?;
    Some(serde_json::json!({ "turnId": turn, "messageId": message["id"], "eventId": event["id"] }))
}
