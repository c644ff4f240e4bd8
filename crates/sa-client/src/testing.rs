//! A property of event streams, for tests and fuzzing.
#![allow(clippy::missing_panics_doc)]

use crate::{EventTooLarge, SseEvent, SseParser};

/// Panics unless a stream has the same events however its bytes are cut, and no event exceeds its limit. The first byte
/// sets the length of the pieces.
pub fn event_pieces_do_not_matter(data: &[u8]) {
    let (first, stream) = data.split_first().unwrap_or((&0, &[]));
    let piece = usize::from(*first).max(1);
    let unbounded = usize::MAX / 2;
    assert_eq!(parse(stream, unbounded, stream.len().max(1)), parse(stream, unbounded, piece));
    let limit = 100;
    let (events, _) = parse(stream, limit, piece);
    // A sender's text that is no UTF-8 grows by the characters that stand in for it.
    assert!(
        events.iter().all(|event| event.data.len() <= 3 * limit),
        "an event exceeds the limit: {events:?}"
    );
}

fn parse(stream: &[u8], limit: usize, piece: usize) -> (Vec<SseEvent>, Option<EventTooLarge>) {
    let mut parser = SseParser::new(limit);
    let mut events = Vec::new();
    for bytes in stream.chunks(piece) {
        parser.push(bytes);
        loop {
            match parser.next_event() {
                Ok(Some(event)) => events.push(event),
                Ok(None) => break,
                Err(error) => return (events, Some(error)),
            }
        }
    }
    (events, None)
}
