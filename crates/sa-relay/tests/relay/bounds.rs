//! The memory of the relay and the log is bounded for any input.

use proptest::prelude::*;
use sa_journal::{Entry, Ring};
use sa_jsonrpc::{ErrorObject, Message};
use sa_relay::{Caller, Outgoing, Presence, Refused, Relay, RelayOptions, Segment};
use std::sync::Arc;

const AROUND: Presence<'static> = Presence { has_post: &|_| true, has_socket: &|_| true, streams: 1 };

fn relay(line_bytes: usize, pending_requests: usize, asked_bytes: usize) -> Relay {
    Relay::new(&RelayOptions { line_bytes, unparsed_bytes: 64, pending_requests, asked_bytes })
}

fn message(size: usize) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[\"{}\"]}}\n", "x".repeat(size))
}

fn request(id: &str) -> Message<String> {
    Message::read(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#)).unwrap()
}

/// Returns the number of segments in the log, their cost, and how many bytes of frames they have.
fn contents(log: &Ring<Arc<Segment>>) -> (usize, usize, usize) {
    let bytes = log.entries().map(|segment| segment.frames(0..usize::MAX).len()).sum();
    (log.entries().count(), log.entries().map(Entry::cost).sum(), bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_keeps_its_limit_but_for_the_newest_segment(
        limit in prop_oneof![Just(0_usize), 500..20_000_usize],
        rounds in prop::collection::vec(prop::collection::vec(prop_oneof![0..300_usize, 0..5000_usize], 1..6), 1..60),
    ) {
        let (mut relay, mut log) = (relay(1 << 20, 1, 1), Ring::new(limit));
        let mut written = 0;
        for sizes in rounds {
            let text: String = sizes.into_iter().map(message).collect();
            let segment = relay.agent_data(text.as_bytes(), &AROUND).segment.unwrap();
            let before = log.newest();
            let offsets = (0..segment.records(0).len()).map(|index| segment.frames(0..index).len());
            let offsets: Vec<usize> = offsets.collect();
            prop_assert_eq!(segment.start, written);
            let end = segment.end();
            log.append(Arc::new(segment));
            for (index, offset) in offsets.into_iter().enumerate() {
                prop_assert_eq!(log.position_after(before + index as u64), Some(written + offset as u64));
            }
            written = end;
            prop_assert_eq!((log.end(), log.position_after(log.newest())), (end, Some(end)));
            let (count, cost, bytes) = contents(&log);
            prop_assert!(cost <= limit || count == 1, "{count} segments cost {cost} of {limit}");
            prop_assert!(bytes <= cost, "what is kept is paid for");
            prop_assert_eq!(log.start(), end - bytes as u64);
        }
    }
}

#[test]
fn a_line_without_an_end_keeps_its_limit() {
    let mut relay = relay(1000, 1, 1);
    for _ in 0..1000 {
        assert!(relay.agent_data(&[b'x'; 4096], &AROUND).segment.is_none());
    }
    let segment = relay.agent_data(b"\n", &AROUND).segment.unwrap();
    let event: serde_json::Value = serde_json::from_slice(&segment.data(0)).unwrap();
    let expected = serde_json::json!({
        "raw": "x".repeat(64), "bytes": 4_096_000, "truncated": true, "reason": "line too long"
    });
    assert_eq!(event, expected);
}

#[test]
fn requests_beyond_the_limit_are_refused_until_one_is_answered() {
    let mut relay = relay(1000, 2, 1);
    for id in ["1", "2"] {
        relay.client_message(&request(id), Caller::Stream(0), &AROUND).unwrap();
    }
    let refused = relay.client_message(&request("3"), Caller::Stream(0), &AROUND);
    assert_eq!(refused, Err(Refused::TooManyPending(2)));
    relay.agent_data(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":0}\n", &AROUND);
    relay.client_message(&request("3"), Caller::Stream(0), &AROUND).unwrap();
    assert_eq!(relay.pending_requests(), 2);
}

#[test]
fn requests_that_were_given_up_do_not_count_and_their_ids_are_not_used_again() {
    let mut relay = relay(1000, 2, 1);
    let error = ErrorObject { code: -32603, message: "silent".to_owned(), data: None };
    let mut sent = std::collections::HashSet::new();
    for round in 0..2000 {
        // More than are remembered: from some point on even an id that looks free may still be answered.
        let outgoing = relay.client_message(&request("1"), Caller::Post(round), &AROUND).unwrap();
        let id = match outgoing {
            Outgoing::Rewritten(bytes) => Message::read(bytes).unwrap().id_text().to_owned(),
            _ => "1".to_owned(),
        };
        assert!(sent.insert(id), "one id for two requests");
        let output = relay.give_up(relay.newest_request(), &error, &AROUND);
        assert_eq!((output.deliveries.len(), relay.oldest_request()), (1, None));
        assert!(relay.pending_requests() <= 1024);
    }
    relay.agent_end("{}", &error, &AROUND);
    let fresh = relay.client_message(&request("1"), Caller::Post(0), &AROUND);
    assert_eq!(fresh, Ok(Outgoing::Verbatim), "the next agent knows none of them");
}

#[test]
fn ids_have_a_limit() {
    let mut relay = relay(1000, 2, 1);
    let id = |length: usize| format!("\"{}\"", "i".repeat(length - 2));
    let refused = relay.client_message(&request(&id(1025)), Caller::Post(0), &AROUND);
    assert_eq!(refused, Err(Refused::LongId(1025)));
    relay.client_message(&request(&id(1024)), Caller::Post(0), &AROUND).unwrap();
    assert_eq!(relay.pending_requests(), 1);
}

#[test]
fn open_questions_beyond_the_limit_leave_oldest_first_and_the_newest_stays() {
    let question = |id: usize, size: usize| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"m\",\"params\":\"{}\"}}\n", "x".repeat(size))
    };
    let mut relay = relay(1 << 20, 1, 10_000);
    for id in 0..1000 {
        relay.agent_data(question(id, 100).as_bytes(), &AROUND);
        let questions = relay.open_questions();
        assert!(questions.iter().map(|question| question.frame.len()).sum::<usize>() <= 10_000);
        assert_eq!(questions.last().unwrap().sequence, id as u64 + 1);
        let sequences = questions.iter().map(|question| question.sequence);
        assert!(sequences.eq((id as u64 + 2).saturating_sub(questions.len() as u64)..id as u64 + 2));
    }
    relay.agent_data(question(1000, 20_000).as_bytes(), &AROUND);
    assert_eq!(relay.open_questions().len(), 1);
    assert!(relay.agent_waits());
}

#[test]
fn what_is_asked_of_a_segment_beyond_its_records_is_empty() {
    let text = [message(1), message(2), message(3)].concat();
    let segment = relay(1000, 1, 1).agent_data(text.as_bytes(), &AROUND).segment.unwrap();
    let all = segment.frames(0..3);
    assert_eq!(segment.frames(0..9), all);
    assert_eq!(
        segment.frames(1..2).len() + segment.frames(0..1).len() + segment.frames(2..3).len(),
        all.len()
    );
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = segment.frames(2..1);
    assert!(reversed.is_empty() && segment.frames(3..4).is_empty() && segment.data(3).is_empty());
    assert!(segment.records(4).is_empty());
}
