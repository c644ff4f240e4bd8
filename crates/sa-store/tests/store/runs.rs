//! Events that share rows: every reader, from every position, gets the bytes that were written.

use crate::scene::{Scene, data, event, events, read_all};
use bytes::Bytes;
use sa_store::{Change, Direction, Listing, Mark, NewEvent, Retention, Store, StoreOptions, Synchronous};
use std::fs;
use std::time::Duration;

/// Commits of different sizes, small and large, across every boundary of rows.
const BATCHES: [u64; 16] = [1, 1, 2, 61, 1, 63, 64, 1, 130, 7, 600, 1, 1, 1, 30, 5];

async fn filled(store: &Store) -> u64 {
    store.create("a", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    let mut last = 0;
    for batch in BATCHES {
        store.commit("a", events("a", last + 1..=last + batch)).await.unwrap();
        last += batch;
    }
    last
}

async fn replay_from_everywhere(store: &Store, oldest: u64, last: u64) {
    for after in 0..=last + 1 {
        let pages = [(3, 700), (1, usize::MAX), (100, usize::MAX)];
        for (limit, bytes) in pages.into_iter().take(if after.is_multiple_of(13) { 3 } else { 1 }) {
            let slice = store.events("a", after, limit, bytes).await.unwrap();
            let first = (after + 1).max(oldest);
            let expected: Vec<u64> = (first..=last).take(slice.events.len()).collect();
            let found: Vec<u64> = slice.events.iter().map(|event| event.id).collect();
            assert_eq!(found, expected, "after {after}");
            assert!(!found.is_empty() || first > last, "nothing after {after}");
            assert!(slice.events.iter().all(|event| event.data == data("a", event.id)));
            assert!(slice.events.iter().all(|event| event.at_ms == 1_000 + event.id));
        }
    }
}

#[tokio::test]
async fn events_are_read_from_every_position() {
    let scene = Scene::new();
    let store = scene.open().await;
    let last = filled(&store).await;
    replay_from_everywhere(&store, 1, last).await;
    store.close().await;
    let store = scene.open().await;
    replay_from_everywhere(&store, 1, last).await;
    store.commit("a", Change { ended: Some(true), ..Change::default() }).await.unwrap();
    replay_from_everywhere(&store, 1, last).await;
}

#[tokio::test]
async fn what_leaves_leaves_by_the_event_not_by_the_row() {
    let scene = Scene::new();
    let retention = Retention { events_per_session: 200, ..Retention::default() };
    let store = scene.open_keeping(retention).await;
    let last = filled(&store).await;
    let kept = store.session("a").await.unwrap().unwrap().head;
    assert!((197..=200).contains(&(last + 1 - kept.oldest)), "{} to {last}", kept.oldest);
    replay_from_everywhere(&store, kept.oldest, last).await;
    let sizes: usize = (kept.oldest..=last).map(|id| data("a", id).len()).sum();
    assert_eq!(kept.bytes, sizes as u64, "bytes are counted by the event, too");
    store.close().await;
    assert_eq!(read_all(&scene.open().await, "a").await.unwrap(), (kept.oldest, last));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_of_old_positions_see_nothing_change() {
    let scene = Scene::new();
    let store = scene.open().await;
    store.create("a", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    let readers: Vec<_> = (0..4)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut after = 0;
                while after < 900 {
                    let slice = store.events("a", after, 5 + n, usize::MAX).await.unwrap();
                    for event in slice.events {
                        assert_eq!((event.id, &event.data), (after + 1, &data("a", event.id)));
                        after = event.id;
                    }
                    // The position that a reader came from stays good while rows become one.
                    let again = store.events("a", after / 2, 3, usize::MAX).await.unwrap();
                    assert!(again.events.iter().all(|event| event.data == data("a", event.id)));
                }
            })
        })
        .collect();
    for id in 1..=900 {
        store.commit("a", events("a", [id])).await.unwrap();
    }
    for reader in readers {
        tokio::time::timeout(Duration::from_secs(60), reader).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_large_event_stands_alone_and_its_neighbors_are_whole() {
    let scene = Scene::new();
    let store = scene.open().await;
    store.create("a", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    let large = Bytes::from("wörd ".repeat(200_000));
    let batch: Vec<NewEvent> = (1..=300)
        .map(|id| match id {
            1 | 100 | 101 | 300 => NewEvent { data: large.clone(), ..event("a", id) },
            _ => event("a", id),
        })
        .collect();
    store.commit("a", Change { events: batch, ..Change::default() }).await.unwrap();
    let slice = store.events("a", 0, 300, usize::MAX).await.unwrap();
    for stored in slice.events {
        let is_large = [1, 100, 101, 300].contains(&stored.id);
        assert_eq!(stored.data, if is_large { large.clone() } else { data("a", stored.id) });
    }
}

#[tokio::test]
async fn a_transcript_finds_messages_within_rows() {
    let scene = Scene::new();
    let store = scene.open().await;
    store.create("a", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    let mut last = 0;
    for batch in BATCHES {
        let marked = |id: u64| NewEvent {
            mark: id.is_multiple_of(10).then(|| Mark::State { message: format!("m{id}") }),
            ..event("a", id)
        };
        let events = (last + 1..=last + batch).map(marked).collect();
        store.commit("a", Change { events, ..Change::default() }).await.unwrap();
        last += batch;
    }
    for direction in [Direction::Forward, Direction::Backward] {
        let slice = store.transcript("a", None, direction, 1000, usize::MAX).await.unwrap();
        let mut ids: Vec<u64> = slice.entries.iter().map(|entry| entry.event.id).collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq((10..=last).step_by(10)));
        assert!(slice.entries.iter().all(|entry| entry.event.data == data("a", entry.event.id)));
    }
}

/// Returns a piece of a message as sessions store it, with text that no other piece has.
fn piece(id: u64) -> NewEvent {
    let words = ["alpha", "river", "token", "stone", "quick", "lamp", "orbit", "seven", "cloud", "north"];
    let mut state = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut text = String::new();
    while text.len() < 200 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(words[(state >> 33) as usize % words.len()]);
        text.push_str(&format!("{:x} ", state >> 48));
    }
    text.truncate(200);
    let json = format!(
        r#"{{"id":{id},"type":"messageDelta","timestamp":"2026-01-01T12:00:00.{:03}Z","sessionId":"mine","agent":"demo","nativeSessionId":"01a1e71d-7337-73fa-8fe6-1d9f7b15be38","data":{{"messageDelta":{{"messageId":"msg_01a1e71d738075bf847a1d05e7937379","kind":"text","text":"{text}"}}}}}}"#,
        id % 1000
    );
    NewEvent { id, at_ms: id, data: json.into(), mark: Some(Mark::Piece { message: "m".to_owned() }) }
}

#[tokio::test]
async fn pieces_need_little_more_room_than_their_text() {
    for (batch, most) in [(256, 1.1), (1, 1.3)] {
        let scene = Scene::new();
        let options = StoreOptions { synchronous: Synchronous::Normal, ..StoreOptions::default() };
        let store = Store::open(&scene.path(), options).await.unwrap();
        store.create("a", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
        let count = 12 * 256;
        for first in (1..=count).step_by(batch) {
            let events = (first..first + batch as u64).map(piece).collect();
            store.commit("a", Change { events, ..Change::default() }).await.unwrap();
        }
        store.close().await;
        let size = fs::metadata(scene.path()).unwrap().len() as f64;
        let ratio = size / (count * 200) as f64;
        assert!(ratio < most, "{ratio:.2} bytes for each byte of text, {batch} pieces in a commit");
    }
}
