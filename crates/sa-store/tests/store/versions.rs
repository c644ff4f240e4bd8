//! Files of other versions: older ones are brought up, newer ones are left alone.

use crate::scene::{Scene, message};
use bytes::Bytes;
use rusqlite::Connection;
use sa_store::{Change, MessageChange, MessageState, NewEvent, OpenError, Store, StoreOptions, StoredEvent};
use std::fs;

/// Version 1 as it was, to the letter. It must never be changed here.
const VERSION_1: &str = "CREATE TABLE sessions (
         number   INTEGER PRIMARY KEY,
         id       TEXT UNIQUE,             -- absent while it is staged and once it is doomed
         standing INTEGER NOT NULL,
         record   BLOB NOT NULL,
         checksum INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX sessions_not_live ON sessions (standing) WHERE standing <> 3;
     -- Apart from the records, as it changes with each event.
     CREATE TABLE heads (
         session       INTEGER PRIMARY KEY,
         oldest        INTEGER NOT NULL,
         last          INTEGER NOT NULL,
         bytes         INTEGER NOT NULL,
         created_at_ms INTEGER NOT NULL,
         updated_at_ms INTEGER NOT NULL,
         ended_at_ms   INTEGER,
         checksum      INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE events (
         place    INTEGER PRIMARY KEY,
         at_ms    INTEGER NOT NULL,
         checksum INTEGER NOT NULL,
         data     BLOB NOT NULL
     ) STRICT;
     -- No index: a session has few, and a damaged index would hide one where a damaged row is told.
     CREATE TABLE messages (
         place    INTEGER PRIMARY KEY,
         turn_id  TEXT NOT NULL,
         key      TEXT,
         state    INTEGER NOT NULL,
         digest   BLOB NOT NULL,
         label    INTEGER NOT NULL,        -- the checksum of the columns before it
         checksum INTEGER NOT NULL,        -- of those after it
         answer   BLOB NOT NULL,
         body     BLOB NOT NULL
     ) STRICT;";

const MARKS: &str = "PRAGMA application_id = 0x53415345; PRAGMA user_version = 1;";

/// Returns a checksum as files have it: numbers in eight bytes, bytes with their length before them, presence as a
/// number.
fn sum(parts: &[&[u8]]) -> i64 {
    i64::from(crc32fast::hash(&parts.concat()))
}

fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u64).to_le_bytes(), bytes].concat()
}

fn number(value: i64) -> [u8; 8] {
    value.to_le_bytes()
}

/// A file of version 1 with one session, one event and one message.
fn write_version_1(scene: &Scene) {
    let connection = Connection::open(scene.path()).unwrap();
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").unwrap();
    connection.execute_batch(VERSION_1).unwrap();
    connection.execute_batch(MARKS).unwrap();
    let (present, absent) = (number(1), number(0));
    let place = (1 << 40) | 7;
    let checksum = sum(&[&number(1), &present, &sized(b"old"), &sized(b"{\"v\":1}")]);
    let session = (1, "old", 3, &b"{\"v\":1}"[..], checksum);
    connection.execute("INSERT INTO sessions VALUES (?1, ?2, ?3, ?4, ?5)", session).unwrap();
    let numbers = [1, 7, 7, 5, 1000, 2000].map(number).concat();
    let head = (1, 7, 7, 5, 1000, 2000, Some(3000), sum(&[&numbers, &present, &sized(&number(3000))]));
    connection.execute("INSERT INTO heads VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", head).unwrap();
    let event = (place, 1500, sum(&[&number(place), &number(1500), &sized(b"hello")]), &b"hello"[..]);
    connection.execute("INSERT INTO events VALUES (?1, ?2, ?3, ?4)", event).unwrap();
    let place = (1 << 40) | 1;
    let label = sum(&[&number(place), &sized(b"turn"), &absent, &number(2), &sized(&[9; 32])]);
    let content = sum(&[&number(place), &sized(b"answer"), &sized(b"body")]);
    let message =
        (place, "turn", None::<String>, 2, &[9_u8; 32][..], label, content, &b"answer"[..], &b"body"[..]);
    let insert = "INSERT INTO messages VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    connection.execute(insert, message).unwrap();
    let place = (1 << 40) | 2;
    let label =
        sum(&[&number(place), &sized(b"before"), &present, &sized(b"key"), &number(3), &sized(&[8; 32])]);
    let content = sum(&[&number(place), &sized(b"answer"), &sized(b"")]);
    let done = (place, "before", Some("key"), 3, &[8_u8; 32][..], label, content, &b"answer"[..], &b""[..]);
    connection.execute(insert, done).unwrap();
}

fn version(scene: &Scene) -> i64 {
    Connection::open(scene.path())
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

#[tokio::test]
async fn version_1_is_brought_up_with_all_that_is_in_it() {
    let scene = Scene::new();
    write_version_1(&scene);
    let store = scene.open().await;
    let session = store.session("old").await.unwrap().unwrap();
    assert_eq!(
        (session.record, session.head.oldest, session.head.last, session.head.bytes),
        (Bytes::from("{\"v\":1}"), 7, 7, 5)
    );
    assert_eq!(
        (session.head.created_at_ms, session.head.updated_at_ms, session.head.ended_at_ms),
        (1000, 2000, Some(3000))
    );
    assert_eq!(session.webhook, None);
    let event = StoredEvent { id: 7, at_ms: 1500, data: Bytes::from("hello") };
    assert_eq!(store.events("old", 0, 9, 99).await.unwrap().events, [event]);
    let pending = store.pending_messages("old").await.unwrap();
    assert_eq!(
        (pending.len(), pending[0].state, pending[0].body_digest),
        (1, MessageState::Running, [9; 32])
    );
    assert_eq!((&pending[0].answer[..], &pending[0].body[..]), (&b"answer"[..], &b"body"[..]));
    let by_key = async || store.message_by_key("old", "key").await.unwrap().unwrap();
    let before = by_key().await;
    assert_eq!(
        (before.turn_id.as_str(), before.state, before.body_digest),
        ("before", MessageState::Done, [8; 32])
    );
    let state = MessageState::Done;
    let next = [
        MessageChange::Accept(message("next", Some("other"))),
        MessageChange::State { turn_id: "next".to_owned(), state },
    ];
    store.commit("old", Change { messages: next.into(), ..Change::default() }).await.unwrap();
    assert_eq!(by_key().await, before, "keys are remembered across versions");

    store.set_webhook_cursor("old", 7, Bytes::new()).await.unwrap();
    let events = vec![NewEvent { id: 8, at_ms: 1, data: Bytes::new(), mark: None }];
    assert_eq!(store.commit("old", Change { events, ..Change::default() }).await.unwrap().oldest, 7);
    store.close().await;
    assert_eq!(version(&scene), 7);
    assert_eq!(scene.open().await.session("old").await.unwrap().unwrap().webhook.unwrap().delivered, 7);
}

#[tokio::test]
async fn a_newer_version_is_refused_and_left_alone() {
    let scene = Scene::new();
    scene.open().await.close().await;
    Connection::open(scene.path()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(scene.path()).unwrap();
    let refused = Store::open(&scene.path(), StoreOptions::default()).await.unwrap_err();
    assert_eq!(refused, OpenError::Newer { found: 99, known: 7 });
    assert_eq!(fs::read(scene.path()).unwrap(), before);
}
