//! Readers that come and go at any moment: they get the log from their cursor on, or a gap.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sa_journal::{Entry, Gap, Ring};
use sa_relay::testing::{Parser, SseEvent};
use sa_relay::{Part, Presence, Relay, RelayOptions, Segment};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

const READERS: usize = 6;

#[derive(Debug, Clone)]
enum Step {
    /// The agent writes messages with so much text, in one piece.
    Write(Vec<u16>),
    /// This reader takes what comes next in the log.
    Read(usize),
    /// A read that breaks the connection after so many bytes.
    Cut(usize, u16),
    /// This reader comes with a cursor that it did not get here.
    Jump(usize, u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => prop::collection::vec(prop_oneof![0..60_u16, 0..400_u16], 1..9).prop_map(Step::Write),
        3 => (0..READERS).prop_map(Step::Read),
        4 => (0..READERS, prop_oneof![0..80_u16, 0..1000_u16]).prop_map(|(reader, bytes)| Step::Cut(reader, bytes)),
        1 => (0..READERS, 0..400_u64).prop_map(|(reader, cursor)| Step::Jump(reader, cursor)),
    ]
}

/// The expected contents of the log, kept in the plainest way.
struct Model {
    /// The data of every record there ever was.
    history: Vec<String>,
    /// First record, last record and cost of the segments that are left.
    segments: VecDeque<(u64, u64, usize)>,
    limit: usize,
}

impl Model {
    fn append(&mut self, segment: &Segment) {
        for index in 0..segment.records(0).len() {
            self.history.push(String::from_utf8(segment.data(index).to_vec()).unwrap());
        }
        self.segments.push_back((segment.first, segment.last(), segment.cost()));
        while self.segments.len() > 1
            && self.segments.iter().map(|(.., cost)| cost).sum::<usize>() > self.limit
        {
            self.segments.pop_front();
        }
    }

    fn oldest(&self) -> u64 {
        self.segments.front().map_or(0, |(first, ..)| *first)
    }

    fn newest(&self) -> u64 {
        self.history.len() as u64
    }

    /// Returns whether nothing is missing from a cursor on.
    fn holds(&self, after: u64) -> bool {
        after == self.newest() || (after < self.newest() && after + 1 >= self.oldest())
    }
}

/// A client: the id it saw last, and the connection it has.
#[derive(Default)]
struct Client {
    parser: Parser,
    last_id: u64,
    /// The server's end of the connection.
    cursor: u64,
}

impl Client {
    /// Takes bytes of the connection. The events must continue exactly where the last ended.
    fn take(&mut self, bytes: &[u8], model: &Model) {
        for SseEvent { name, data, id } in self.parser.feed(bytes) {
            let id: u64 = id.parse().unwrap();
            assert_eq!(id, self.last_id + 1, "neither a miss nor a repeat");
            assert_eq!((name.as_str(), &data), ("message", &model.history[id as usize - 1]));
            self.last_id = id;
        }
    }

    /// Loses the connection with everything that was under way, and comes back.
    fn reconnect(&mut self) {
        self.parser = Parser::default();
        self.cursor = self.last_id;
    }
}

fn read(log: &Ring<Arc<Segment>>, client: &mut Client, model: &Model, bytes: usize) -> bool {
    match log.read(client.cursor) {
        Ok(Some(segment)) => {
            assert!(model.holds(client.cursor));
            let part = Part::after(Arc::clone(segment), client.cursor);
            let frames = part.frames();
            client.take(&frames[..bytes.min(frames.len())], model);
            client.cursor = part.last();
            true
        }
        Ok(None) => {
            assert_eq!(client.cursor, model.newest());
            false
        }
        Err(Gap { oldest, newest, .. }) => {
            assert!(!model.holds(client.cursor), "a gap without need");
            assert_eq!((oldest, newest), (model.oldest(), model.newest()));
            // The client gets a gap, and the stream continues with what is left.
            client.parser = Parser::default();
            client.cursor = oldest.saturating_sub(1);
            client.last_id = client.cursor;
            true
        }
    }
}

fn run(limit: usize, steps: &[Step]) -> usize {
    let options = RelayOptions { line_bytes: 4096, unparsed_bytes: 64, pending_requests: 4, asked_bytes: 64 };
    let mut relay = Relay::new(&options);
    let mut log = Ring::new(limit);
    let mut model = Model { history: Vec::new(), segments: VecDeque::new(), limit };
    let mut clients: [Client; READERS] = Default::default();
    let mut cuts = 0;
    for step in steps {
        match step {
            Step::Write(sizes) => {
                let line = |size: &u16| {
                    let text = "x".repeat(usize::from(*size));
                    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[{size},\"{text}\"]}}\n")
                };
                let around = Presence { has_post: &|_| false, has_socket: &|_| false, streams: 1 };
                let output = relay.agent_data(sizes.iter().map(line).collect::<String>().as_bytes(), &around);
                let segment = output.segment.unwrap();
                model.append(&segment);
                log.append(Arc::new(segment));
            }
            Step::Read(reader) => drop(read(&log, &mut clients[*reader], &model, usize::MAX)),
            Step::Cut(reader, bytes) => {
                let client = &mut clients[*reader];
                read(&log, client, &model, usize::from(*bytes));
                client.reconnect();
                cuts += 1;
            }
            Step::Jump(reader, cursor) => {
                clients[*reader].last_id = *cursor;
                clients[*reader].reconnect();
            }
        }
        assert_eq!((log.oldest(), log.newest()), (model.oldest(), model.newest()));
    }
    for client in &mut clients {
        while read(&log, client, &model, usize::MAX) {}
        assert_eq!(client.last_id, model.newest(), "in the end everybody is at the end");
    }
    cuts
}

#[test]
fn ten_thousand_cuts_lose_nothing_and_repeat_nothing() {
    let config =
        ProptestConfig { cases: crate::cases(200), failure_persistence: None, ..ProptestConfig::default() };
    let cuts = Cell::new(0);
    let limits = prop_oneof![Just(0_usize), 200..5000_usize, 5000..50_000_usize, Just(usize::MAX)];
    let steps = prop::collection::vec(step(), 100..250);
    TestRunner::new(config)
        .run(&(limits, steps), |(limit, steps)| {
            cuts.set(cuts.get() + run(limit, &steps));
            Ok(())
        })
        .unwrap();
    assert!(cuts.get() >= 50 * crate::cases(200) as usize, "only {} cuts", cuts.get());
}
