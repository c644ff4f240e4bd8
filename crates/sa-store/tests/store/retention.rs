//! How much is kept, and what goes first.

use crate::scene::{Scene, events, fill, read_all, sweep};
use bytes::Bytes;
use sa_store::{Change, Listing, NewEvent, Retention, Store, StoreError};
use std::fs;
use std::time::{Duration, Instant};

async fn end(store: &Store, session: &str) {
    store.commit(session, Change { ended: Some(true), ..Change::default() }).await.unwrap();
}

async fn ids(store: &Store) -> Vec<String> {
    store.sessions().await.unwrap().into_iter().map(|session| session.id).collect()
}

#[tokio::test]
async fn the_oldest_events_go_and_readers_are_reported_where_it_begins() {
    let scene = Scene::new();
    let store = scene.open_keeping(Retention { events_per_session: 640, ..Retention::default() }).await;
    let committed = fill(&store, "a", 2000).await;
    assert_eq!(committed.last, 2000);
    let kept = committed.last + 1 - committed.oldest;
    assert!((630..=640).contains(&kept), "{kept} events are kept");
    let slice = store.events("a", 5, 3, usize::MAX).await.unwrap();
    assert_eq!((slice.events[0].id, slice.oldest, slice.last), (committed.oldest, committed.oldest, 2000));
    assert_eq!(read_all(&store, "a").await.unwrap(), (committed.oldest, 2000));
    store.close().await;
    assert_eq!(read_all(&scene.open().await, "a").await.unwrap(), (committed.oldest, 2000));
}

#[tokio::test]
async fn bytes_are_bounded_and_the_newest_event_stays_however_large() {
    let scene = Scene::new();
    let limit = 100_000;
    let store = scene.open_keeping(Retention { bytes_per_session: limit, ..Retention::default() }).await;
    fill(&store, "a", 1500).await;
    let session = store.session("a").await.unwrap().unwrap();
    assert!(
        session.head.bytes <= limit && session.head.bytes > limit * 9 / 10,
        "{} bytes are kept",
        session.head.bytes
    );
    let large = NewEvent { id: 1501, at_ms: 1, data: vec![b'x'; 300_000].into(), mark: None };
    let committed = store.commit("a", Change { events: vec![large], ..Change::default() }).await.unwrap();
    assert_eq!((committed.oldest, committed.last), (1501, 1501));
    let slice = store.events("a", 0, 10, 10).await.unwrap();
    assert_eq!((slice.events.len(), slice.events[0].data.len()), (1, 300_000));
    assert_eq!(store.commit("a", events("a", [1502])).await.unwrap().oldest, 1502);
}

#[tokio::test]
async fn sessions_that_ended_are_forgotten_when_asked_and_others_never() {
    let scene = Scene::new();
    let store = scene.open_keeping(Retention { ended_sessions_ms: Some(0), ..Retention::default() }).await;
    for session in ["runs", "ended", "resumed"] {
        fill(&store, session, 10).await;
    }
    end(&store, "ended").await;
    end(&store, "resumed").await;
    store.commit("resumed", Change { ended: Some(false), ..Change::default() }).await.unwrap();
    assert_eq!(ids(&store).await.len(), 3);
    assert_eq!(sweep(&store).await, ["ended"]);
    assert_eq!(sweep(&store).await, [""; 0]);
    assert_eq!(ids(&store).await, ["runs", "resumed"]);
    let gone = store.commit("ended", Change::default()).await;
    assert_eq!(gone, Err(StoreError::UnknownSession("ended".to_owned())));
}

#[tokio::test]
async fn when_all_is_too_much_the_session_that_ended_first_goes_first() {
    let scene = Scene::new();
    let retention = Retention { total_bytes: 1_000_000, ended_sessions_ms: None, ..Retention::default() };
    let store = scene.open_keeping(retention).await;
    for session in ["a", "b", "c", "d"] {
        fill(&store, session, 1500).await;
    }
    assert_eq!(store.due().await.unwrap(), [""; 0], "none has ended");
    for session in ["c", "a", "b"] {
        end(&store, session).await;
        // The clock decides the order of ends.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let forgotten = sweep(&store).await;
    assert!(forgotten == ["c", "a"] || forgotten == ["c", "a", "b"], "{forgotten:?}");
    assert_eq!(sweep(&store).await, [""; 0], "what is on its way out does not count");
    assert_eq!(read_all(&store, "d").await.unwrap(), (1, 1500));
}

#[tokio::test]
async fn a_session_that_is_due_stays_until_it_may_go() {
    let scene = Scene::new();
    let store = scene.open_keeping(Retention { total_bytes: 400_000, ..Retention::default() }).await;
    fill(&store, "ended", 1500).await;
    fill(&store, "runs", 500).await;
    end(&store, "ended").await;
    assert_eq!(store.due().await.unwrap(), ["ended"]);
    let swept = store.sweep(Vec::new()).await.unwrap();
    assert_eq!((swept.forgotten.len(), swept.trimmed.len()), (0, 0), "others must not suffer for it");
    assert_eq!(sweep(&store).await, ["ended"]);
    assert_eq!(read_all(&store, "runs").await.unwrap(), (1, 500));
}

/// Returns the number of bytes of the database's pages that are in use.
fn used(scene: &Scene) -> i64 {
    let connection = rusqlite::Connection::open(scene.path()).unwrap();
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    (number("page_count") - number("freelist_count")) * number("page_size")
}

#[tokio::test]
async fn when_nothing_has_ended_the_oldest_events_of_idle_sessions_go() {
    let scene = Scene::new();
    let total = 1_000_000;
    let store = scene.open_keeping(Retention { total_bytes: total, ..Retention::default() }).await;
    for session in ["idle", "later", "busy"] {
        fill(&store, session, 2000).await;
        // The clock gives the order of changes.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    tokio::time::timeout(Duration::from_secs(5), store.has_grown()).await.expect("much was written");
    while store.sweep(Vec::new()).await.unwrap().has_more {}
    assert!(used(&scene) <= total as i64, "{} bytes are used", used(&scene));
    let oldest = |slice: sa_store::EventSlice| slice.oldest;
    let idle = store.events("idle", 0, 1, 1).await.unwrap();
    assert_eq!((idle.oldest, idle.last), (2000, 2000), "the newest event always stays");
    assert!(oldest(store.events("later", 0, 1, 1).await.unwrap()) > 1);
    assert_eq!(read_all(&store, "busy").await.unwrap(), (1, 2000), "it was idle for the shortest time");
    // Sessions keep counting where they were, and are trimmed in the same order again.
    store.commit("idle", events("idle", [2001])).await.unwrap();
    let before = oldest(store.events("later", 0, 1, 1).await.unwrap());
    store.commit("busy", events("busy", 2001..=2400)).await.unwrap();
    let swept = store.sweep(Vec::new()).await.unwrap();
    assert_eq!(swept.trimmed.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["later"]);
    assert!(swept.trimmed[0].1 > before);
    assert_eq!(read_all(&store, "later").await.unwrap(), (swept.trimmed[0].1, 2000));
    store.close().await;
    assert_eq!(scene.open().await.sessions().await.unwrap().len(), 3, "all is whole");
}

#[tokio::test]
async fn a_deleted_session_is_gone_at_once_and_gives_its_room_back() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "stays", 10).await;
    store.create("goes", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    for id in 1..=60 {
        let data = vec![b'x'; 1 << 20].into();
        let events = vec![NewEvent { id, at_ms: 0, data, mark: None }];
        store.commit("goes", Change { events, ..Change::default() }).await.unwrap();
    }
    assert!(store.delete("goes").await.unwrap());
    assert!(!store.delete("goes").await.unwrap());
    assert_eq!(ids(&store).await, ["stays"]);
    assert!(
        store.create("goes", Bytes::from_static(b"{}"), Listing::default()).await.unwrap(),
        "the id can be used again"
    );
    fill(&store, "next", 10).await;
    let size = || fs::metadata(scene.path()).unwrap().len();
    let deadline = Instant::now() + Duration::from_secs(30);
    while size() > 30 << 20 {
        assert!(Instant::now() < deadline, "the file still has {} bytes", size());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(read_all(&store, "stays").await.unwrap(), (1, 10));
    assert_eq!(store.session("goes").await.unwrap().unwrap().head.last, 0);
}
