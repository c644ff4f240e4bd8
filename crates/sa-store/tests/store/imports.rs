//! Sessions that come from elsewhere: in parts, seen all at once or never.

use crate::scene::{Scene, event, events, fill, read_all};
use bytes::Bytes;
use sa_store::{Listing, NewEvent, Retention, StoreError};
use std::time::{Duration, Instant};

fn part(ids: std::ops::RangeInclusive<u64>) -> Vec<NewEvent> {
    ids.map(|id| event("in", id)).collect()
}

fn rows(scene: &Scene) -> i64 {
    let connection = rusqlite::Connection::open(scene.path()).unwrap();
    let sql = "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM sessions) + (SELECT count(*) FROM heads)";
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Waits until nothing is on the disk but the rows of other sessions.
async fn until_only(scene: &Scene, others: i64) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while rows(scene) != others {
        assert!(Instant::now() < deadline, "{} rows are left, not {others}", rows(scene));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn an_import_is_seen_when_it_is_finished_and_goes_on_from_there() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "other", 3).await;
    let mut import = store.import().await.unwrap();
    import.append(part(41..=140)).await.unwrap();
    assert_eq!(import.append(part(142..=143)).await, Err(StoreError::Sequence { expected: 141, found: 142 }));
    import.append(part(141..=200)).await.unwrap();
    assert_eq!(store.sessions().await.unwrap().len(), 1);
    assert_eq!(store.session("in").await.unwrap(), None);
    assert!(import.finish("in", Bytes::from_static(b"{}"), Listing::default(), true).await.unwrap());
    let session = store.session("in").await.unwrap().unwrap();
    assert_eq!((session.head.oldest, session.head.last, session.head.ended_at_ms.is_some()), (41, 200, true));
    assert_eq!(read_all(&store, "in").await.unwrap(), (41, 200));
    assert_eq!(store.commit("in", events("in", [201])).await.unwrap().last, 201);
    store.close().await;
    assert_eq!(read_all(&scene.open().await, "in").await.unwrap(), (41, 201));
}

#[tokio::test]
async fn an_import_without_events_is_a_session() {
    let scene = Scene::new();
    let store = scene.open().await;
    let import = store.import().await.unwrap();
    assert!(import.finish("in", Bytes::from_static(b"{}"), Listing::default(), false).await.unwrap());
    assert_eq!(store.commit("in", events("in", [1])).await.unwrap().last, 1);
}

#[tokio::test]
async fn an_import_replaces_nothing_and_leaves_nothing() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "in", 5).await;
    let others = rows(&scene);
    let mut import = store.import().await.unwrap();
    import.append(part(1..=2000)).await.unwrap();
    assert!(
        !import.finish("in", Bytes::from_static(b"{\"other\":1}"), Listing::default(), false).await.unwrap()
    );
    assert_eq!(read_all(&store, "in").await.unwrap(), (1, 5));
    until_only(&scene, others).await;

    let mut given_up = store.import().await.unwrap();
    given_up.append(part(1..=2000)).await.unwrap();
    drop(given_up);
    until_only(&scene, others).await;
    assert_eq!(store.sessions().await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_a_killed_import_left_is_removed() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "other", 5).await;
    let others = rows(&scene);
    let mut import = store.import().await.unwrap();
    import.append(part(1..=2000)).await.unwrap();
    // As a kill would leave it: the handle is never dropped.
    std::mem::forget(import);
    store.close().await;
    let store = scene.open().await;
    assert_eq!(store.sessions().await.unwrap().len(), 1);
    until_only(&scene, others).await;
}

#[tokio::test]
async fn an_import_keeps_within_the_limits() {
    let scene = Scene::new();
    let store = scene.open_keeping(Retention { events_per_session: 100, ..Retention::default() }).await;
    let mut import = store.import().await.unwrap();
    import.append(part(1..=300)).await.unwrap();
    assert!(import.finish("in", Bytes::from_static(b"{}"), Listing::default(), false).await.unwrap());
    let (first, last) = read_all(&store, "in").await.unwrap();
    assert_eq!((last - first < 100, last), (true, 300));
}
