//! Readers of an ACP server's stream: cut, stalled, and resumed at old positions.

use super::Round;
use crate::dice::Dice;
use crate::model::{Record, Server, Sighting};
use crate::wire::Wire;
use sa_testkit::{Event, Pace, Sse};
use std::sync::Arc;
use std::time::Duration;

/// A reader of a quiet stream goes away after this.
const QUIET: Duration = Duration::from_millis(300);

/// Reads a server's stream, again and again.
pub(crate) struct ServerReader {
    wire: Wire,
    server: Arc<Server>,
    dice: Dice,
}

impl ServerReader {
    pub(crate) fn new(wire: &Wire, server: &Arc<Server>, dice: Dice) -> Self {
        Self { wire: wire.clone(), server: Arc::clone(server), dice }
    }

    /// Reads until the round is over or the daemon is gone.
    pub(crate) async fn run(mut self, round: Round) {
        let mut last = None;
        while !round.is_over() {
            let after = match self.dice.below(10) {
                0..5 => last,
                5..7 => Some(self.dice.below(self.server.newest() + 1)),
                7 => Some(0),
                _ => None,
            };
            last = self.read(after, &round).await.or(last);
        }
    }

    /// Reads one stream; returns the last id that it brought.
    async fn read(&mut self, after: Option<u64>, round: &Round) -> Option<u64> {
        let mut request = self.wire.http.get(&self.server.path(""));
        if let Some(after) = after {
            request = request.header("last-event-id", &after.to_string());
        }
        if self.dice.chance(15) {
            request = request.receive_buffer(4096);
        }
        let what = format!("{request} after {after:?}");
        let is_allowed = |status| matches!(status, 404 | 429 | 502) || self.wire.may_break();
        let mut stream = self.wire.open(&self.server.id, &what, request, is_allowed).await?;
        let records = self.follow(&mut stream, &what, round).await;
        let last = records.iter().filter(|record| record.event != "gap").filter_map(|record| record.id).max();
        self.wire.oracle.operation(&self.server.id, format_args!("{what} -> {} records", records.len()));
        self.server.saw(Sighting { request: what, after, records });
        last
    }

    async fn follow(&mut self, stream: &mut Sse, what: &str, round: &Round) -> Vec<Record> {
        let mut records = Vec::new();
        let most = self.dice.between(1, 600);
        let stall_at = self.dice.chance(20).then(|| self.dice.below(most));
        while (records.len() as u64) < most {
            if stall_at == Some(records.len() as u64) {
                stream.set_pace(Pace::Stalled);
                tokio::time::sleep(self.dice.millis(20, 1300)).await;
                stream.set_pace(Pace::Free);
            }
            match tokio::time::timeout(QUIET, stream.next_event()).await {
                Err(_) if round.is_over() || records.len() > 20 => break,
                Err(_) => {}
                Ok(Ok(Some(event))) => records.push(record(event)),
                Ok(Ok(None)) => break,
                Ok(Err(error)) => {
                    self.wire.on_break(&self.server.id, what, Duration::ZERO, &error);
                    break;
                }
            }
        }
        records
    }
}

fn record(event: Event) -> Record {
    Record { id: event.sequence().ok(), event: event.event, data: event.data }
}
