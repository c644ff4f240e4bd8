//! Many sessions: lists by pages, and starts that read only what was under way.

use crate::scene::{Scene, events};
use bytes::Bytes;
use rusqlite::Connection;
use sa_store::{
    Change, ListPlace, Listing, Meaning, OpenError, Store, StoreError, StoreOptions, StoredSession, Which,
};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn listing(created_at_ms: u64) -> Listing {
    let labels = Bytes::from(format!("{{\"n\":{}}}", created_at_ms % 3));
    Listing { created_at_ms, agent: "demo".to_owned(), labels, ..Listing::default() }
}

async fn make(store: &Store, id: &str, listing: Listing, ended: bool) {
    assert!(store.create(id, Bytes::from_static(b"{}"), listing).await.unwrap());
    if ended {
        store.commit(id, Change { ended: Some(true), ..Change::default() }).await.unwrap();
    }
}

/// Returns the ids of all sessions of that kind, by pages.
async fn walk(store: &Store, which: Which, limit: usize) -> Vec<String> {
    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let page: Vec<StoredSession> = store.list(which, after, limit, |_, _| true).await.unwrap();
        let Some(last) = page.last() else { return ids };
        after = Some(ListPlace { created_at_ms: last.listing.created_at_ms, id: last.id.clone() });
        ids.extend(page.into_iter().map(|session| session.id));
    }
}

#[tokio::test]
async fn sessions_are_listed_the_newest_first() {
    let scene = Scene::new();
    let store = scene.open().await;
    for (id, created_at_ms, ended) in
        [("c", 5, false), ("a", 7, true), ("d", 5, true), ("b", 7, false), ("e", 1, true)]
    {
        make(&store, id, listing(created_at_ms), ended).await;
    }
    for limit in [1, 2, 9] {
        assert_eq!(walk(&store, Which::All, limit).await, ["a", "b", "c", "d", "e"]);
        assert_eq!(walk(&store, Which::Ended, limit).await, ["a", "d", "e"]);
        assert_eq!(walk(&store, Which::Open, limit).await, ["b", "c"]);
    }
    let some = store.list(Which::All, None, 9, |id, listing| id != "a" && listing.labels == "{\"n\":1}");
    assert_eq!(some.await.unwrap().into_iter().map(|session| session.id).collect::<Vec<_>>(), ["b", "e"]);
    assert_eq!((store.stats().sessions, store.stats().ended), (5, 3));
    store.delete("a").await.unwrap();
    store.commit("d", Change { ended: Some(false), ..Change::default() }).await.unwrap();
    assert_eq!(walk(&store, Which::Ended, 9).await, ["e"]);
    assert_eq!((store.stats().sessions, store.stats().ended), (4, 1));
    assert_eq!(store.open_ids().await.unwrap().len(), 3);
    store.close().await;
    let store = scene.open().await;
    assert_eq!((store.stats().sessions, store.stats().ended), (4, 1));
    assert_eq!(walk(&store, Which::All, 2).await, ["b", "c", "d", "e"]);
}

#[tokio::test]
async fn a_change_that_fails_is_not_counted() {
    let scene = Scene::new();
    let store = scene.open().await;
    make(&store, "a", listing(1), false).await;
    let bad = Change { ended: Some(true), ..events("a", [7]) };
    let (made, refused) = tokio::join!(store.create("b", Bytes::new(), listing(2)), store.commit("a", bad));
    assert!(made.unwrap() && matches!(refused, Err(StoreError::Sequence { .. })));
    assert!(!store.create("b", Bytes::new(), listing(3)).await.unwrap());
    assert_eq!((store.stats().sessions, store.stats().ended), (2, 0));
}

#[tokio::test]
async fn only_active_sessions_are_taken_up() {
    let scene = Scene::new();
    let store = scene.open().await;
    make(&store, "rests", listing(1), false).await;
    make(&store, "works", Listing { active: true, ..listing(2) }, false).await;
    make(&store, "delivers", Listing { active: true, ..listing(3) }, true).await;
    let active = async |store: &Store| -> Vec<String> {
        store.active_sessions().await.unwrap().into_iter().map(|session| session.id).collect()
    };
    assert_eq!(active(&store).await, ["works", "delivers"]);
    let change = Change { listing: Some(Listing { active: true, ..listing(1) }), ..Change::default() };
    store.commit("rests", change).await.unwrap();
    store.set_inactive("delivers").await.unwrap();
    store.close().await;
    assert_eq!(active(&scene.open().await).await, ["rests", "works"]);
}

#[tokio::test]
async fn sessions_are_found_by_key_and_by_native_id() {
    let scene = Scene::new();
    let store = scene.open().await;
    let named = Listing { key: Some("k".to_owned()), native: Some("n".to_owned()), ..listing(1) };
    make(&store, "a", named, true).await;
    make(&store, "b", listing(2), true).await;
    assert_eq!(store.session_with_key("k").await.unwrap().as_deref(), Some("a"));
    assert_eq!(store.session_with_key("other").await.unwrap(), None);
    assert!(store.has_native("demo", "n").await.unwrap());
    assert!(!store.has_native("other", "n").await.unwrap());
    store.delete("a").await.unwrap();
    assert_eq!(store.session_with_key("k").await.unwrap(), None);
    assert!(!store.has_native("demo", "n").await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_ended_sessions_are_paged_and_deleted_from_the_store() {
    const COUNT: u64 = 10_000;
    let scene = Scene::new();
    let store = scene.open().await;
    let makers = (0..100).map(|maker| {
        let store = store.clone();
        tokio::spawn(async move {
            for n in (maker..COUNT).step_by(100) {
                make(&store, &format!("s{n:05}"), listing(n), true).await;
            }
        })
    });
    for maker in makers.collect::<Vec<_>>() {
        maker.await.unwrap();
    }
    make(&store, "works", Listing { active: true, ..listing(3) }, false).await;
    store.close().await;
    let store = scene.open().await;
    assert_eq!(store.active_sessions().await.unwrap().len(), 1, "a start reads one session");
    assert_eq!((store.stats().sessions, store.stats().ended), (COUNT + 1, COUNT));
    let ids = walk(&store, Which::Ended, 1000).await;
    assert!(
        ids.iter().map(String::as_str).eq((0..COUNT)
            .rev()
            .map(|n| format!("s{n:05}"))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str))
    );
    for id in ids.iter().step_by(500) {
        assert!(store.delete(id).await.unwrap());
    }
    assert_eq!(walk(&store, Which::Ended, 1000).await.len() as u64, COUNT - 20);
    assert_eq!(walk(&store, Which::Open, 10).await, ["works"]);
}

/// Makes a file of version 4, whose rows hold one event each, out of a new one.
fn to_version_4(connection: &Connection) {
    let sql = "ALTER TABLE events RENAME TO later;
               CREATE TABLE events (
         place    INTEGER PRIMARY KEY,
         at_ms    INTEGER NOT NULL,
         checksum INTEGER NOT NULL,
         data     BLOB NOT NULL
     ) STRICT;
               INSERT INTO events SELECT place, at_ms, checksum, data FROM later WHERE packed = 0;
               DROP TABLE later; DROP TABLE listings; DROP TABLE usage; PRAGMA user_version = 4";
    connection.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_crash_while_a_file_is_brought_up_leaves_it_as_it_was() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    fn cut_off(_: &[u8]) -> Option<Listing> {
        assert!(ASKED.fetch_add(1, Relaxed) < 2, "a crash");
        Some(listing(1))
    }
    let scene = Scene::new();
    let store = scene.open().await;
    for id in ["a", "b", "c", "d"] {
        make(&store, id, listing(1), id == "b").await;
        store.commit(id, events(id, [1])).await.unwrap();
    }
    store.close().await;
    to_version_4(&Connection::open(scene.path()).unwrap());
    let open = async |listing: fn(&[u8]) -> Option<Listing>| {
        let meaning = Meaning { listing, ..Meaning::default() };
        Store::open(&scene.path(), StoreOptions { meaning, ..StoreOptions::default() }).await
    };
    let crashed = open(cut_off).await.unwrap_err();
    assert!(matches!(crashed, OpenError::Io(_)), "{crashed}");
    let store = open(|record| (record == b"{}").then(|| listing(9))).await.unwrap();
    assert_eq!(walk(&store, Which::All, 9).await, ["a", "b", "c", "d"]);
    assert_eq!(walk(&store, Which::Ended, 9).await, ["b"]);
    for id in ["a", "b", "c", "d"] {
        assert_eq!(store.session(id).await.unwrap().unwrap().listing, listing(9));
        store.commit(id, events(id, 2..=200)).await.unwrap();
        assert_eq!(crate::scene::read_all(&store, id).await.unwrap(), (1, 200));
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_read_does_not_hide_the_others() {
    let scene = Scene::new();
    let store = scene.open().await;
    for id in ["one", "two", "three"] {
        make(&store, id, Listing { active: true, ..listing(1) }, false).await;
        store.commit(id, events(id, 1..=3)).await.unwrap();
    }
    store.close().await;
    let connection = Connection::open(scene.path()).unwrap();
    connection.execute("UPDATE sessions SET record = x'00' WHERE id = 'two'", []).unwrap();
    drop(connection);
    let store = scene.open().await;
    assert_eq!(walk(&store, Which::All, 9).await, ["one", "three"]);
    let active = store.active_sessions().await.unwrap().into_iter().map(|session| session.id);
    assert_eq!(active.collect::<Vec<_>>(), ["one", "three"], "a start takes up what it can read");
    assert!(matches!(store.session("two").await, Err(StoreError::Corrupt(_))));
    assert!(store.delete("two").await.unwrap());
}
