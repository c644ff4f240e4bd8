//! A property of any output of an agent: the pieces in which it is read do not matter. Tests and the fuzz target
//! `relay_stream` check it.

use super::sse;
use crate::{Answer, Audience, Caller, Output, Presence, RecordKind, Relay, RelayOptions};
use sa_jsonrpc::{ErrorObject, Message};

/// Everything that a relay made of an agent's output.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// Kind, audience and data of each record.
    pub records: Vec<(RecordKind, Audience, Vec<u8>)>,
    pub deliveries: Vec<(u64, Answer)>,
    pub messages: usize,
    /// Open questions at the agent's end.
    pub questions: Vec<Vec<u8>>,
    /// Number of unanswered requests at the agent's end.
    pub pending: usize,
}

/// Requests that wait when the agent begins to write; the third goes to the agent under another id.
const REQUESTS: [(&str, Caller); 4] = [
    ("1", Caller::Post(0)),
    (r#""a""#, Caller::Socket(1)),
    ("1.0", Caller::Post(2)),
    ("null", Caller::Stream(3)),
];

/// Returns the transcript of an agent that writes these pieces and ends.
pub fn transcript<'a>(options: &RelayOptions, pieces: impl IntoIterator<Item = &'a [u8]>) -> Transcript {
    let mut relay = Relay::new(options);
    // One of the two POSTs has gone away.
    let around = Presence { has_post: &|ticket| ticket == 0, has_socket: &|_| true, streams: 1 };
    for (id, caller) in REQUESTS {
        let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        relay.client_message(&Message::read(request).unwrap(), caller, &around).unwrap();
    }
    let mut transcript = Transcript::default();
    for piece in pieces {
        transcript.add(relay.agent_data(piece, &around));
    }
    transcript.questions =
        relay.open_questions().into_iter().map(|question| question.data.to_vec()).collect();
    transcript.pending = relay.pending_requests();
    let error = ErrorObject { code: -1, message: "ended".to_owned(), data: None };
    transcript.add(relay.agent_end("{}", &error, &around));
    assert!(relay.pending_requests() == 0 && relay.open_questions().is_empty() && !relay.agent_waits());
    transcript
}

impl Transcript {
    /// Adds the output of one call, after checking that it is consistent.
    fn add(&mut self, output: Output) {
        self.messages += output.messages;
        self.deliveries
            .extend(output.deliveries.into_iter().map(|delivery| (delivery.ticket, delivery.answer)));
        let Some(segment) = output.segment else { return };
        let records = segment.records(0);
        assert_eq!(segment.first, self.records.len() as u64 + 1, "numbers follow each other");
        let events = sse::parse(&segment.frames(0..records.len()));
        assert_eq!(events.len(), records.len());
        for (index, (record, event)) in records.iter().zip(events).enumerate() {
            let data = segment.data(index);
            assert_eq!(event.name, record.kind.event());
            assert_eq!(event.id, (segment.first + index as u64).to_string());
            assert_eq!(event.data.as_bytes(), data);
            assert_eq!(sse::parse(&segment.frames(index..index + 1)), [event]);
            self.records.push((record.kind, record.audience, data.to_vec()));
        }
    }
}

/// Cuts a stream into pieces of these lengths, over and over.
pub fn cut<'a>(mut stream: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for length in lengths.iter().cycle() {
        if stream.is_empty() {
            break;
        }
        let (piece, rest) = stream.split_at((*length).clamp(1, stream.len()));
        pieces.push(piece);
        stream = rest;
    }
    pieces
}

/// Panics unless the pieces do not matter. The first bytes set the limit of a line and where to cut the others.
pub fn pieces_do_not_matter(input: &[u8]) {
    let Some((&[limit, lengths @ ..], stream)) = input.split_first_chunk::<4>() else { return };
    let line_bytes = 1 << (limit % 16);
    let options = RelayOptions { line_bytes, unparsed_bytes: 64, pending_requests: 8, asked_bytes: 4096 };
    let whole = transcript(&options, [stream]);
    let cut = transcript(&options, cut(stream, &lengths.map(|length| usize::from(length) + 1)));
    assert_eq!(whole, cut);
}
