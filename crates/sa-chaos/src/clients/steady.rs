//! A client for steady load: a session and a server, used as a program would, and deleted.

use crate::dice::Dice;
use crate::wire::{Outcome, Wire};
use sa_testkit::Sse;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The end of a turn comes by then.
const TURN: Duration = Duration::from_secs(30);

/// Creates, uses and deletes, at a moderate pace.
pub(crate) struct Steady {
    wire: Wire,
    dice: Dice,
    name: String,
    serial: u64,
}

impl Steady {
    pub(crate) fn new(wire: &Wire, dice: Dice, name: String) -> Self {
        Self { wire: wire.clone(), dice, name, serial: 0 }
    }

    /// Acts until that moment.
    pub(crate) async fn run(mut self, until: Instant) {
        while Instant::now() < until {
            self.serial += 1;
            let id = format!("{}-{}", self.name, self.serial);
            if self.dice.chance(60) {
                self.use_session(&id).await
            } else {
                self.use_server(&id).await
            }
            tokio::time::sleep(self.dice.millis(50, 250)).await;
        }
    }

    async fn use_session(&mut self, id: &str) {
        let path = format!("/v1/sessions/{id}");
        let create = self.wire.http.post(&path).json(r#"{"agent":"demo","permissionMode":"bypass"}"#);
        self.wire.send(id, create, |status| status == 201).await;
        for turn in 0..self.dice.between(1, 4) {
            let body = json!({ "message": format!("say n-{id}-{turn}\nstream 20 100\nedit notes.txt") });
            let request = self.wire.http.post(&format!("{path}/messages")).json(body.to_string());
            let accepted = self.wire.send(id, request, |status| status == 202).await;
            let Outcome::Reply(accepted) = accepted else { return };
            self.follow(id, &path, &accepted.json().unwrap_or_default()).await;
        }
        self.wire.send(id, self.wire.http.delete(&path), |status| status == 204).await;
    }

    /// Reads the stream to the end of the turn, with one reconnection.
    async fn follow(&mut self, id: &str, path: &str, accepted: &Value) {
        let mut after = accepted["eventId"].as_u64().unwrap_or(1) - 1;
        let (started, cut_at) = (Instant::now(), after + self.dice.between(1, 20));
        while started.elapsed() < TURN {
            let request = self.wire.http.get(&format!("{path}/events/sse?after={after}"));
            let Ok(Ok(mut stream)) = Sse::attempt(request).await else { break };
            while let Ok(Some(event)) = stream.next_event().await {
                let number = event.sequence().unwrap_or_default();
                self.wire
                    .oracle
                    .expect(number == after + 1, id, || format!("event {number} came after {after}"));
                after = number;
                let event = event.json().unwrap_or_default();
                if event["data"]["turnEnded"]["turnId"] == accepted["turnId"] {
                    return;
                }
                if number == cut_at {
                    break;
                }
            }
        }
        self.wire
            .oracle
            .differ(id, format_args!("the turn has no end {:?} after {accepted}", started.elapsed()));
    }

    async fn use_server(&mut self, id: &str) {
        let path = format!("/v1/acp/{id}?agent=puppet");
        for number in 0..self.dice.between(1, 6) {
            let params = json!({ "count": 50, "bytes": 200, "label": id });
            let (method, params) =
                if number % 2 == 0 { ("echo", json!({ "n": number })) } else { ("flood", params) };
            let body =
                json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params }).to_string();
            self.wire.send(id, self.wire.http.post(&path).json(body), |status| status == 200).await;
        }
        self.wire.send(id, self.wire.http.delete(&format!("/v1/acp/{id}")), |status| status == 204).await;
    }
}
