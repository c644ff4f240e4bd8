//! Many at once: transactions are shared, a bad change fails alone, readers see no holes, and nothing grows without bound.

use crate::scene::{Scene, events, fill, noise, read_all};
use bytes::Bytes;
use sa_store::{Change, Listing, NewEvent, Retention, Store, StoreError};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

async fn sessions(store: &Store, count: usize) -> Vec<String> {
    let names: Vec<String> = (0..count).map(|n| format!("s{n}")).collect();
    for name in &names {
        store.create(name, Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    }
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_come_together_share_a_transaction() {
    let scene = Scene::new();
    let store = scene.open().await;
    let names = sessions(&store, 200).await;
    let before = store.stats();
    let tasks: Vec<_> = names
        .iter()
        .map(|name| {
            let (store, name) = (store.clone(), name.clone());
            tokio::spawn(async move {
                for id in 1..=20 {
                    store.commit(&name, events(&name, [id])).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let after = store.stats();
    let (changes, transactions) = (after.changes - before.changes, after.transactions - before.transactions);
    assert_eq!(changes, 4000);
    assert!(transactions < changes / 5, "{changes} changes took {transactions} transactions");
    for name in &names {
        assert_eq!(read_all(&store, name).await.unwrap(), (1, 20));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_change_fails_alone() {
    let scene = Scene::new();
    let store = scene.open().await;
    let names = sessions(&store, 100).await;
    let tasks: Vec<_> = (0..)
        .zip(&names)
        .map(|(n, name)| {
            let (store, name) = (store.clone(), name.clone());
            // Every fourth goes wrong at its second event, after something was written.
            let ids = if n % 4 == 0 { vec![1, 3] } else { vec![1, 2] };
            tokio::spawn(async move { store.commit(&name, events(&name, ids)).await })
        })
        .collect();
    for (n, task) in tasks.into_iter().enumerate() {
        match task.await.unwrap() {
            Err(error) => assert_eq!((n % 4, error), (0, StoreError::Sequence { expected: 2, found: 3 })),
            Ok(committed) => assert!(n % 4 != 0 && committed.last == 2),
        }
    }
    for (n, name) in names.iter().enumerate() {
        let last = if n % 4 == 0 { 0 } else { 2 };
        assert_eq!(read_all(&store, name).await.unwrap(), (1, last));
        assert_eq!(store.session(name).await.unwrap().unwrap().head.bytes > 0, last > 0);
    }
    assert_eq!(store.stats().failures, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_beside_a_writer_see_no_holes() {
    let scene = Scene::new();
    let store = scene.open_keeping(Retention { events_per_session: 500, ..Retention::default() }).await;
    store.create("a", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    let readers: Vec<_> = (0..6)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                let (mut after, mut missed) = (0, 0_u64);
                while after < 4000 {
                    let slice = store.events("a", after, 50 + n, 1 << 20).await.unwrap();
                    let first = (after + 1).max(slice.oldest);
                    missed += first - (after + 1);
                    let ids: Vec<u64> = slice.events.iter().map(|event| event.id).collect();
                    assert!(ids.iter().copied().eq(first..first + ids.len() as u64), "{first}: {ids:?}");
                    assert!(
                        !ids.is_empty() || first > slice.last,
                        "events up to {} were not given",
                        slice.last
                    );
                    after = ids.last().copied().unwrap_or(after);
                    tokio::task::yield_now().await;
                }
                missed
            })
        })
        .collect();
    for first in (1..=4000).step_by(10) {
        store.commit("a", events("a", first..first + 10)).await.unwrap();
    }
    for reader in readers {
        tokio::time::timeout(Duration::from_secs(30), reader).await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_stays_short_while_readers_come_and_go() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "read", 3000).await;
    store.create("written", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let (store, over) = (store.clone(), Arc::clone(&over));
            tokio::spawn(async move {
                while !over.load(Relaxed) {
                    store.events("read", 0, 3000, usize::MAX).await.unwrap();
                }
            })
        })
        .collect();
    let mut longest = 0;
    for id in 1..=1200 {
        let event = NewEvent { id, at_ms: 0, data: noise(id, 64 << 10).into(), mark: None };
        store.commit("written", Change { events: vec![event], ..Change::default() }).await.unwrap();
        longest = longest.max(fs::metadata(scene.directory.path().join("sessions.db-wal")).unwrap().len());
    }
    over.store(true, Relaxed);
    for reader in readers {
        reader.await.unwrap();
    }
    assert!(longest < 48 << 20, "the log of 75 MiB of events had {longest} bytes");
    assert!(store.stats().checkpoints > 0);
}

#[tokio::test]
async fn the_log_is_copied_while_nobody_waits() {
    let scene = Scene::new();
    let store = scene.open().await;
    store.create("a", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    for id in 1..=100 {
        let event = NewEvent { id, at_ms: 0, data: noise(id, 64 << 10).into(), mark: None };
        store.commit("a", Change { events: vec![event], ..Change::default() }).await.unwrap();
    }
    let size = || fs::metadata(scene.path()).unwrap().len();
    let deadline = Instant::now() + Duration::from_secs(20);
    // How much of it depends on when the copying began; what came later waits until there is more.
    while size() < 1 << 20 {
        assert!(Instant::now() < deadline, "{} bytes of 6 MiB are in the database", size());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_faster_than_the_disk_waits() {
    let scene = Scene::new();
    let store = scene.open().await;
    let names = sessions(&store, 70).await;
    let tasks: Vec<_> = names
        .into_iter()
        .map(|name| {
            let store = store.clone();
            tokio::spawn(async move {
                let event = NewEvent { id: 1, at_ms: 0, data: vec![b'x'; 1 << 20].into(), mark: None };
                store.commit(&name, Change { events: vec![event], ..Change::default() }).await.unwrap();
                store.stats().queued_bytes
            })
        })
        .collect();
    let mut most = 0;
    for task in tasks {
        most = most.max(task.await.unwrap());
    }
    assert!(most > 1 << 20, "{most} bytes waited: they did not come at once");
    assert!(most <= 32 << 20, "{most} bytes waited");
    // One that is larger than the whole queue gets through.
    store.create("large", Bytes::new(), Listing::default()).await.unwrap();
    let event = NewEvent { id: 1, at_ms: 0, data: vec![b'x'; 40 << 20].into(), mark: None };
    store.commit("large", Change { events: vec![event], ..Change::default() }).await.unwrap();
    assert_eq!(store.events("large", 0, 1, 0).await.unwrap().events[0].data.len(), 40 << 20);
}

#[tokio::test]
async fn a_change_that_nobody_waits_for_is_whole_or_not_at_all() {
    let scene = Scene::new();
    let store = scene.open().await;
    store.create("a", Bytes::from_static(b"{}"), Listing::default()).await.unwrap();
    let commit = store.commit("a", events("a", 1..=5));
    let _ = tokio::time::timeout(Duration::ZERO, commit).await;
    let (first, last) = read_all(&store, "a").await.unwrap();
    assert!(first == 1 && (last == 0 || last == 5));
    store.close().await;
    let (_, last) = read_all(&scene.open().await, "a").await.unwrap();
    assert!(last == 0 || last == 5);
}
