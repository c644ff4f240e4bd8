//! Which stream carries what, without an agent or a client.

#![allow(clippy::unwrap_used)]
use super::*;

const LIMIT: usize = 4;

fn attach(streams: &Arc<Streams>, session: Option<&str>) -> Result<Attachment, StreamError> {
    streams.attach(session, None, 0, LIMIT)
}

fn about(session: &str) -> About<'_> {
    About::Session(Some(session))
}

fn answer(scope: u32) -> About<'static> {
    About::Answer { scope, is_error: false }
}

#[test]
fn the_next_reader_continues_where_the_last_one_stopped() {
    let streams = Arc::new(Streams::default());
    let first = attach(&streams, Some("s")).unwrap();
    assert_eq!((first.after, attach(&streams, Some("s")).unwrap_err()), (0, StreamError::Busy));
    first.delivered(7);
    let second = streams.attach(Some("s"), Some(3), 0, LIMIT).unwrap();
    assert!(first.replaced().is_cancelled() && second.after == 3);
    drop((first, second));
    assert_eq!(attach(&streams, Some("s")).unwrap().after, 7);
}

#[test]
fn a_stream_that_is_named_for_the_first_time_starts_within_the_log() {
    let streams = Arc::new(Streams::default());
    assert_eq!(streams.attach(None, None, 107, LIMIT).unwrap().after, 107);
    assert_eq!(streams.attach(Some("new"), None, 120, LIMIT).unwrap().after, 120);
    // Where a request named it, a later cut is a gap.
    let streams = Arc::new(Streams::default());
    assert_eq!(streams.answer_scope(None, 5, LIMIT), CONNECTION_SCOPE);
    assert_eq!(streams.attach(None, None, 107, LIMIT).unwrap().after, 5);
}

#[test]
fn a_session_that_the_agent_names_has_its_own_stream_from_there_on() {
    let streams = Arc::new(Streams::default());
    let connection = attach(&streams, None).unwrap();
    connection.made("made", 4);
    assert!(!connection.carries(5, about("said")) && !connection.carries(6, about("made")));
    connection.looked_at(6);
    let scope = streams.answer_scope(Some("made"), 0, LIMIT);
    assert!(!connection.carries(7, answer(scope)), "it waits for the session's reader");
    let (made, said) = (attach(&streams, Some("made")).unwrap(), attach(&streams, Some("said")).unwrap());
    assert_eq!((made.after, said.after), (4, 4));
    assert!(
        made.carries(6, about("made")) && made.carries(7, answer(scope)) && said.carries(5, about("said"))
    );
    assert!(!made.carries(5, about("said")) && !said.carries(7, answer(scope)));
}

#[test]
fn a_session_without_a_stream_is_a_guest_until_its_request_is_answered() {
    let streams = Arc::new(Streams::default());
    let connection = attach(&streams, None).unwrap();
    let scope = streams.answer_scope(Some("old"), 0, LIMIT);
    assert!(connection.carries(1, about("old")) && connection.carries(2, answer(scope)));
    assert!(!connection.carries(3, about("old")));
    connection.looked_at(3);
    let session = attach(&streams, Some("old")).unwrap();
    assert!(session.after == 2 && session.carries(3, about("old")) && !session.carries(1, about("old")));
    // An error leaves nothing behind.
    let scope = streams.answer_scope(Some("none"), 0, LIMIT);
    assert!(connection.carries(4, About::Answer { scope, is_error: true }));
    assert!(!streams.lock().sessions.contains_key("none"));
}

#[test]
fn a_reader_takes_over_from_the_connection_what_nobody_has_seen() {
    let streams = Arc::new(Streams::default());
    let connection = attach(&streams, None).unwrap();
    let scope = streams.answer_scope(Some("s"), 0, LIMIT);
    assert!(connection.carries(1, about("s")));
    connection.looked_at(1);
    let session = attach(&streams, Some("s")).unwrap();
    assert_eq!(session.after, 1);
    for (record, about) in [(2, about("s")), (3, answer(scope))] {
        assert!(session.carries(record, about) && !connection.carries(record, about));
    }
}

#[test]
fn sessions_without_readers_make_room() {
    let streams = Arc::new(Streams::default());
    let connection = attach(&streams, None).unwrap();
    let kept = attach(&streams, Some("kept")).unwrap();
    let scopes: Vec<u32> = (0..100).map(|n| streams.answer_scope(Some(&n.to_string()), 0, LIMIT)).collect();
    assert_eq!(streams.lock().sessions.len(), LIMIT);
    assert!(
        kept.carries(1, about("kept")) && connection.carries(2, answer(scopes[0])),
        "forgotten, not lost"
    );
    let others: Vec<_> = (1..LIMIT).map(|n| attach(&streams, Some(&format!("r{n}"))).unwrap()).collect();
    assert_eq!(attach(&streams, Some("more")).unwrap_err(), StreamError::TooMany(LIMIT));
    assert_eq!(streams.answer_scope(Some("more"), 0, LIMIT), CONNECTION_SCOPE);
    assert!(connection.carries(3, about("more")), "there is no other stream for it");
    drop(others);
    assert!(attach(&streams, Some("more")).is_ok());
}

#[test]
fn long_ids_stay_on_the_connection() {
    let streams = Arc::new(Streams::default());
    let connection = attach(&streams, None).unwrap();
    let long = "x".repeat(SESSION_ID_BYTES + 1);
    assert_eq!(streams.answer_scope(Some(&long), 0, LIMIT), CONNECTION_SCOPE);
    connection.made(&long, 1);
    assert!(connection.carries(2, about(&long)));
    assert_eq!(attach(&streams, Some(&long)).unwrap_err(), StreamError::LongSession(long.len()));
    assert!(streams.lock().sessions.is_empty());
}
