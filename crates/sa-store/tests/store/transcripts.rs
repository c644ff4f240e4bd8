//! The transcript: kept with the events, in the order in which things were said, cheap to read.

use crate::scene::Scene;
use bytes::Bytes;
use sa_store::{
    Change, Direction, Listing, Mark, Meaning, NewEvent, QueuePlace, Retention, Standing, Store,
    StoreOptions, TranscriptSlice,
};
use std::time::{Duration, Instant};

fn state(message: &str) -> Option<Mark> {
    Some(Mark::State { message: message.to_owned() })
}

fn piece(message: &str) -> Option<Mark> {
    Some(Mark::Piece { message: message.to_owned() })
}

fn queued(message: &str, at: QueuePlace) -> Option<Mark> {
    Some(Mark::Queued { message: message.to_owned(), turn_id: format!("turn of {message}"), at })
}

fn begun(message: &str) -> Option<Mark> {
    Some(Mark::Begun { message: message.to_owned() })
}

fn over(message: &str) -> Option<Mark> {
    Some(Mark::Over { turn_id: format!("turn of {message}") })
}

/// Events that say which mark they have, as [`read_mark`] reads it.
fn events(first: u64, marks: Vec<Option<Mark>>) -> Vec<NewEvent> {
    let event =
        |(id, mark): (u64, Option<Mark>)| NewEvent { id, at_ms: id, data: written(mark.as_ref()), mark };
    (first..).zip(marks).map(event).collect()
}

fn written(mark: Option<&Mark>) -> Bytes {
    match mark {
        Some(Mark::State { message }) => format!("state {message}"),
        Some(Mark::Piece { message }) => format!("piece {message}"),
        Some(Mark::Queued { message, .. }) => format!("queued {message}"),
        Some(Mark::Reordered { messages }) => format!("reordered {}", messages.join(" ")),
        Some(Mark::Begun { message }) => format!("begun {message}"),
        Some(Mark::Over { turn_id }) => format!("over {}", turn_id.trim_start_matches("turn of ")),
        Some(Mark::Nameless) | None => String::new(),
    }
    .into()
}

fn read_mark(data: &[u8]) -> Option<Mark> {
    let (kind, message) = std::str::from_utf8(data).ok()?.split_once(' ')?;
    match kind {
        "state" => state(message),
        "piece" => piece(message),
        "queued" => queued(message, QueuePlace::Last),
        "begun" => begun(message),
        _ => over(message),
    }
}

/// Returns a conversation in which messages wait, are taken back, and are still being written.
fn conversation() -> Vec<Option<Mark>> {
    vec![
        queued("ask", QueuePlace::Last),     // 1
        begun("ask"),                        // 2
        piece("answer"),                     // 3
        queued("next", QueuePlace::Last),    // 4
        piece("answer"),                     // 5
        queued("gone", QueuePlace::Last),    // 6
        state("tool"),                       // 7
        state("answer"),                     // 8
        over("gone"),                        // 9
        queued("last", QueuePlace::Last),    // 10
        state("tool"),                       // 11
        over("ask"),                         // 12
        begun("next"),                       // 13
        queued("ahead", QueuePlace::First),  // 14
        queued("before", QueuePlace::First), // 15
        piece("reply"),                      // 16
        state("reply"),                      // 17
        piece("reply"),                      // 18
        piece("tail"),                       // 19
        piece("reply"),                      // 20
    ]
}

const SAID: [&str; 10] = [
    "queued ask Said",
    "state answer Said",
    "state tool Said",
    "queued gone Withdrawn",
    "queued next Said",
    "state reply Said 18",
    "piece tail Said 19",
    "queued before Queued",
    "queued ahead Queued",
    "queued last Queued",
];

fn told(slice: &TranscriptSlice) -> Vec<String> {
    let told = slice.entries.iter().map(|entry| {
        let text = String::from_utf8(entry.event.data.to_vec()).unwrap();
        let piece = entry.first_piece.map(|piece| format!(" {piece}")).unwrap_or_default();
        format!("{text} {:?}{piece}", entry.standing)
    });
    told.collect()
}

async fn whole(store: &Store, session: &str) -> TranscriptSlice {
    store.transcript(session, None, Direction::Forward, usize::MAX, usize::MAX).await.unwrap()
}

async fn talk(store: &Store, session: &str) {
    store.create(session, Bytes::new(), Listing::default()).await.unwrap();
    let change = Change { events: events(1, conversation()), ..Change::default() };
    store.commit(session, change).await.unwrap();
}

#[tokio::test]
async fn messages_that_wait_take_each_others_places() {
    let scene = Scene::new();
    let store = scene.open().await;
    talk(&store, "a").await;
    let messages = ["last", "reply", "gone", "before", "last"].map(str::to_owned).to_vec();
    let change = Change { events: events(21, vec![Some(Mark::Reordered { messages })]), ..Change::default() };
    store.commit("a", change).await.unwrap();
    let mut expected = SAID;
    expected.swap(7, 9);
    assert_eq!(told(&whole(&store, "a").await), expected);
    // Each can still begin.
    let change = Change { events: events(22, vec![begun("last")]), ..Change::default() };
    store.commit("a", change).await.unwrap();
    let slice = whole(&store, "a").await;
    assert_eq!(told(&slice)[7..], ["queued last Said", "queued ahead Queued", "queued before Queued"]);
}

#[tokio::test]
async fn messages_stand_where_they_were_said_and_those_that_wait_at_the_end() {
    let scene = Scene::new();
    let store = scene.open().await;
    talk(&store, "neighbor").await;
    talk(&store, "a").await;
    let slice = whole(&store, "a").await;
    assert_eq!(told(&slice), SAID);
    let unfinished = slice.unfinished.unwrap();
    assert_eq!((slice.has_more, unfinished.first_piece, unfinished.from, slice.last), (false, 18, 17, 20));

    let done = vec![state("reply"), state("tail")];
    store.commit("a", Change { events: events(21, done), ..Change::default() }).await.unwrap();
    assert_eq!(whole(&store, "a").await.unfinished, None);
    assert_eq!(told(&whole(&store, "neighbor").await), SAID);
    store.close().await;
    assert_eq!(told(&whole(&scene.open().await, "neighbor").await), SAID);
}

#[tokio::test]
async fn pages_in_both_directions_have_every_message_once() {
    let scene = Scene::new();
    let store = scene.open().await;
    talk(&store, "a").await;
    for limit in 1..=11 {
        for direction in [Direction::Forward, Direction::Backward] {
            let (mut after, mut all) = (None, Vec::new());
            loop {
                let slice = store.transcript("a", after, direction, limit, usize::MAX).await.unwrap();
                assert!(slice.entries.len() <= limit && !slice.entries.is_empty());
                all.extend(told(&slice));
                after = slice.entries.last().map(|entry| entry.position);
                if !slice.has_more {
                    break;
                }
            }
            if direction == Direction::Backward {
                all.reverse();
            }
            assert_eq!(all, SAID, "{direction:?} by {limit}");
        }
    }
    let few_bytes = store.transcript("a", None, Direction::Forward, 10, 15).await.unwrap();
    assert_eq!((few_bytes.entries.len(), few_bytes.has_more), (1, true));
    for (after, direction) in [(u64::MAX, Direction::Forward), (0, Direction::Backward)] {
        let none = store.transcript("a", Some(after), direction, 10, 99).await.unwrap();
        assert_eq!((none.entries.len(), none.has_more), (0, false));
    }
}

#[tokio::test]
async fn imports_have_one_and_deleted_sessions_leave_nothing() {
    let scene = Scene::new();
    let store = scene.open().await;
    let mut import = store.import().await.unwrap();
    let (mut early, late) = (events(1, conversation()), events(12, conversation().split_off(11)));
    early.truncate(11);
    import.append(early).await.unwrap();
    import.append(late).await.unwrap();
    assert!(import.finish("a", Bytes::new(), Listing::default(), false).await.unwrap());
    assert_eq!(told(&whole(&store, "a").await), SAID);
    assert!(store.delete("a").await.unwrap());
    talk(&store, "b").await;
    assert_eq!(told(&whole(&store, "b").await), SAID);
    store.close().await;
    let connection = rusqlite::Connection::open(scene.path()).unwrap();
    let rows: i64 = connection.query_row("SELECT count(*) FROM transcript", [], |row| row.get(0)).unwrap();
    assert!([10, 20].contains(&rows), "{rows} rows");
}

#[tokio::test]
async fn messages_go_with_their_events() {
    let scene = Scene::new();
    let retention = Retention { events_per_session: 64, ..Retention::default() };
    let store = scene.open_keeping(retention).await;
    store.create("a", Bytes::new(), Listing::default()).await.unwrap();
    let marks = |from: u64| (from..from + 40).map(|id| state(&format!("m{id}"))).collect();
    store.commit("a", Change { events: events(1, marks(1)), ..Change::default() }).await.unwrap();
    let mut again: Vec<Option<Mark>> = marks(41);
    again[39] = state("m2");
    let committed =
        store.commit("a", Change { events: events(41, again), ..Change::default() }).await.unwrap();
    assert!(committed.oldest > 10, "{committed:?}");
    let slice = whole(&store, "a").await;
    assert_eq!(told(&slice)[..2], ["state m2 Said", &format!("state m{} Said", committed.oldest)]);
    assert_eq!(slice.entries.len() as u64, 80 - committed.oldest + 1);
}

/// Makes a file of version 3 out of one whose rows hold one event each.
fn to_version_3(connection: &rusqlite::Connection) {
    let sql = "ALTER TABLE events RENAME TO later;
               CREATE TABLE events (
         place    INTEGER PRIMARY KEY,
         at_ms    INTEGER NOT NULL,
         checksum INTEGER NOT NULL,
         data     BLOB NOT NULL
     ) STRICT;
               INSERT INTO events SELECT place, at_ms, checksum, data FROM later WHERE packed = 0;
               DROP TABLE later; DROP TABLE transcript; DROP TABLE listings; DROP TABLE usage; PRAGMA user_version = 3";
    connection.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_file_from_before_gets_its_transcripts_when_it_is_opened() {
    let scene = Scene::new();
    let store = scene.open().await;
    let marks: Vec<Option<Mark>> = conversation();
    store.create("a", Bytes::new(), Listing::default()).await.unwrap();
    // One by one, so that each has a separate row, as it had then.
    for event in events(1, marks) {
        store.commit("a", Change { events: vec![event], ..Change::default() }).await.unwrap();
    }
    store.close().await;
    let connection = rusqlite::Connection::open(scene.path()).unwrap();
    to_version_3(&connection);
    // An event that is damaged costs its message alone.
    connection.execute("UPDATE events SET checksum = checksum + 1 WHERE at_ms IN (7, 11)", []).unwrap();
    drop(connection);
    let options = StoreOptions {
        meaning: Meaning { mark: read_mark, ..Meaning::default() },
        ..StoreOptions::default()
    };
    let store = Store::open(&scene.path(), options).await.unwrap();
    let mut expected: Vec<&str> = SAID.iter().copied().filter(|said| !said.contains("tool")).collect();
    // Which of the messages that wait comes first is not in this log.
    let waiting = expected.len() - 3;
    expected[waiting..].copy_from_slice(&[
        "queued last Queued",
        "queued ahead Queued",
        "queued before Queued",
    ]);
    assert_eq!(told(&whole(&store, "a").await), expected);
}

#[tokio::test]
async fn a_page_of_a_long_session_is_read_without_its_pieces() {
    let scene = Scene::new();
    let store = scene.open().await;
    store.create("a", Bytes::new(), Listing::default()).await.unwrap();
    let (messages, pieces) = (2_000, 100);
    let mut last = 0;
    for batch in 0..messages / 100 {
        let mut marks = Vec::new();
        for message in 0..100 {
            let name = format!("m{}", batch * 100 + message);
            marks.push(piece(&name));
            marks.extend(std::iter::repeat_n(None, pieces - 1));
            marks.push(state(&name));
        }
        let events = events(last + 1, marks);
        last = store.commit("a", Change { events, ..Change::default() }).await.unwrap().last;
    }
    assert_eq!(last, 202_000);
    let read = |direction| store.transcript("a", None, direction, 100, usize::MAX);
    read(Direction::Forward).await.unwrap();
    let start = Instant::now();
    let (first, newest) = (read(Direction::Forward).await.unwrap(), read(Direction::Backward).await.unwrap());
    let took = start.elapsed();
    assert_eq!((told(&first)[0].as_str(), told(&newest)[0].as_str()), ("state m0 Said", "state m1999 Said"));
    assert!(first.entries.iter().all(|entry| entry.standing == Standing::Said) && first.has_more);
    // Reading all pieces takes a hundred times as long.
    assert!(took < Duration::from_millis(200), "two pages took {took:?}");
}
