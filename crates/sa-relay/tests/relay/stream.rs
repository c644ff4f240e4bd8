//! What holds for any bytes that an agent may write: the pieces they come in do not matter. The fuzz target
//! `relay_stream` checks the same.

use crate::sse;
use sa_jsonrpc::{ErrorObject, Message};
use sa_relay::{Answer, Audience, Caller, Output, Presence, RecordKind, Relay, RelayOptions};

/// Everything that came of an agent's life.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Transcript {
    pub(crate) records: Vec<(RecordKind, Audience, Vec<u8>)>,
    pub(crate) deliveries: Vec<(u64, Answer)>,
    pub(crate) messages: usize,
    /// What the agent wanted to know when it ended.
    pub(crate) questions: Vec<Vec<u8>>,
    /// How many requests were unanswered when it ended.
    pub(crate) pending: usize,
}

/// Requests that wait when the agent begins to write; the third goes to the agent under another id.
const REQUESTS: [(&str, Caller); 4] = [
    ("1", Caller::Post(0)),
    (r#""a""#, Caller::Socket(1)),
    ("1.0", Caller::Post(2)),
    ("null", Caller::Stream(3)),
];

/// Lets an agent write these pieces and end.
pub(crate) fn transcript<'a>(
    options: &RelayOptions,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Transcript {
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
    /// Adds what one call gave, and checks that it is sound by itself.
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
pub(crate) fn cut<'a>(mut stream: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
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

/// Checks any input: the first bytes say how long lines may be and where to cut, the rest is what the agent writes.
pub(crate) fn pieces_do_not_matter(input: &[u8]) {
    let Some((&[limit, lengths @ ..], stream)) = input.split_first_chunk::<4>() else { return };
    let line_bytes = 1 << (limit % 16);
    let options = RelayOptions { line_bytes, unparsed_bytes: 64, pending_requests: 8, asked_bytes: 4096 };
    let whole = transcript(&options, [stream]);
    let cut = transcript(&options, cut(stream, &lengths.map(|length| usize::from(length) + 1)));
    assert_eq!(whole, cut);
}
