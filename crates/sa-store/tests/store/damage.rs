//! Damaged files are reported, never replaced, never read as whole.

use crate::scene::{Scene, event, events, fill, message, read_all};
use bytes::Bytes;
use sa_store::{
    Change, Direction, Mark, MessageChange, NewEvent, OpenError, Store, StoreError, StoreOptions,
    StoredSession,
};
use std::fs;
use std::path::Path;

const FLIPS: usize = 400;
const CUTS: usize = 60;

/// Returns a store with every kind of row, closed; its bytes, and its sessions as they are listed.
async fn whole() -> (Scene, Vec<u8>, Vec<StoredSession>) {
    let scene = Scene::new();
    let store = scene.open().await;
    for session in ["one", "two", "three"] {
        fill(&store, session, 50).await;
        let mark = |id: u64| Some(Mark::State { message: format!("m{}", id % 7) });
        let said = (51..=60).map(|id| NewEvent { mark: mark(id), ..event(session, id) }).collect();
        store.commit(session, Change { events: said, ..Change::default() }).await.unwrap();
        let record = Some(Bytes::from(format!("the record of {session}: {}", "long ".repeat(300))));
        let messages = vec![
            MessageChange::Accept(message("t1", Some("k1"))),
            MessageChange::Accept(message("t2", None)),
        ];
        store
            .commit(session, Change { record, messages, ended: Some(session == "two"), ..Change::default() })
            .await
            .unwrap();
        store.set_webhook_cursor(session, 9, Bytes::from_static(b"state")).await.unwrap();
    }
    let sessions = store.sessions().await.unwrap();
    store.close().await;
    let bytes = fs::read(scene.path()).unwrap();
    (scene, bytes, sessions)
}

/// Opens and reads everything. `Ok` if all was as it had been; anything else than that and damage is a failure.
async fn read_back(path: &Path, sessions: &[StoredSession]) -> Result<(), String> {
    let store = match Store::open(path, StoreOptions::default()).await {
        Ok(store) => store,
        Err(OpenError::Corrupt { detail, .. }) => return Err(detail),
        // The version is a number like any other.
        Err(OpenError::Newer { found, .. }) => return Err(format!("version {found}")),
        Err(other) => panic!("{other}"),
    };
    let read = async {
        assert_eq!(store.sessions().await?, sessions, "sessions are others than those that were written");
        for session in sessions {
            assert_eq!(store.session(&session.id).await?.as_ref(), Some(session));
            assert_eq!(read_all(&store, &session.id).await?, (1, 60));
            let said = store.transcript(&session.id, None, Direction::Forward, 99, usize::MAX).await?;
            let ids: Vec<u64> = said.entries.iter().map(|entry| entry.event.id).collect();
            assert_eq!(ids, [58, 59, 60, 54, 55, 56, 57]);
            let pending = [message("t1", Some("k1")), message("t2", None)];
            assert_eq!(store.pending_messages(&session.id).await?, pending);
            assert_eq!(store.message_by_key(&session.id, "k1").await?.as_ref(), Some(&pending[0]));
        }
        Ok(())
    };
    let outcome = read.await;
    store.close().await;
    match outcome {
        Ok(()) => Ok(()),
        Err(StoreError::Corrupt(detail)) => Err(detail),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_flipped_bit_is_reported_or_does_no_harm() {
    let (scene, bytes, sessions) = whole().await;
    let mut told = 0;
    for flip in 0..FLIPS {
        // All over the file, more in the first pages, where the schema is.
        let area = if flip % 4 == 0 { 4096 } else { bytes.len() };
        let at = (flip * 7_919 + flip * flip * 31) % area;
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (flip % 8);
        fs::write(scene.path(), &damaged).unwrap();
        told += usize::from(read_back(&scene.path(), &sessions).await.is_err());
    }
    // The rest hits unused room within pages.
    assert!(told > FLIPS / 4, "only {told} of {FLIPS} flips were noticed");
}

#[tokio::test]
async fn every_byte_of_an_event_is_checked() {
    let (scene, bytes, sessions) = whole().await;
    let needle = b"\"session\":\"three\",\"id\":33";
    let at = bytes.windows(needle.len()).position(|window| window == needle).unwrap();
    for bit in 0..8 {
        let mut damaged = bytes.clone();
        damaged[at + 40] ^= 1 << bit;
        fs::write(scene.path(), &damaged).unwrap();
        let told = read_back(&scene.path(), &sessions).await.unwrap_err();
        assert_eq!(told, "event 1 of session three", "events that came together are stored together");
    }
    let store = scene.open().await;
    let whole = store.events("three", 50, 9, usize::MAX).await.unwrap();
    assert_eq!(whole.events.len(), 9, "what is whole can be read");
    let told = store.events("three", 40, 9, usize::MAX).await.unwrap_err();
    assert_eq!(told, StoreError::Corrupt("event 41 of session three".to_owned()));
}

#[tokio::test]
async fn a_file_that_was_cut_off_is_refused_and_left_alone() {
    let (scene, bytes, sessions) = whole().await;
    for cut in 0..CUTS {
        let length = bytes.len() * cut / CUTS;
        fs::write(scene.path(), &bytes[..length]).unwrap();
        let told = read_back(&scene.path(), &sessions).await;
        assert!(told.is_err(), "{length} of {} bytes were taken for a whole store", bytes.len());
        assert_eq!(fs::read(scene.path()).unwrap(), &bytes[..length], "it was changed");
    }
}

#[tokio::test]
async fn the_message_says_how_to_go_on_and_that_works() {
    let (scene, bytes, _) = whole().await;
    fs::write(scene.path(), &bytes[..bytes.len() / 2]).unwrap();
    let refused = Store::open(&scene.path(), StoreOptions::default()).await.unwrap_err().to_string();
    let (_, command) = refused.split_once("move it away: ").unwrap();
    let status = std::process::Command::new("sh").args(["-c", command]).status().unwrap();
    assert!(status.success(), "{command}");
    let store = scene.open().await;
    assert_eq!(store.sessions().await.unwrap(), []);
    assert_eq!(
        fs::read(scene.directory.path().join("sessions.db.damaged")).unwrap(),
        &bytes[..bytes.len() / 2]
    );
}

#[tokio::test]
async fn a_log_without_its_database_is_not_taken_for_another_ones() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "a", 5).await;
    let log = fs::read(scene.directory.path().join("sessions.db-wal")).unwrap();
    assert!(!log.is_empty());
    store.close().await;
    fs::remove_file(scene.path()).unwrap();
    fs::write(scene.directory.path().join("sessions.db-wal"), log).unwrap();
    let refused = Store::open(&scene.path(), StoreOptions::default()).await.unwrap_err();
    assert!(matches!(refused, OpenError::Corrupt { .. }), "{refused}");
}

#[tokio::test]
async fn what_is_no_store_is_refused_and_left_alone() {
    let scene = Scene::new();
    let path = scene.path();
    let other = scene.directory.path().join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
    let database = fs::read(other).unwrap();
    for content in [&b""[..], b"short", "a letter, not a database. ".repeat(40).as_bytes(), &database] {
        fs::write(&path, content).unwrap();
        let refused = Store::open(&path, StoreOptions::default()).await.unwrap_err();
        assert!(matches!(&refused, OpenError::Corrupt { path: named, .. } if *named == path), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let refused = Store::open(&path, StoreOptions::default()).await.unwrap_err();
    assert!(matches!(refused, OpenError::Io(_)), "{refused}");
}

#[tokio::test]
async fn damage_that_appears_while_it_is_open_is_reported() {
    let scene = Scene::new();
    let store = scene.open().await;
    fill(&store, "a", 400).await;
    store.close().await;
    let store = scene.open().await;
    let length = fs::metadata(scene.path()).unwrap().len();
    fs::OpenOptions::new().write(true).open(scene.path()).unwrap().set_len(length / 2).unwrap();
    let told = read_all(&store, "a").await.unwrap_err();
    assert!(matches!(told, StoreError::Corrupt(_)), "{told}");
    let told = store.commit("a", events("a", [401])).await;
    assert!(matches!(told, Ok(_) | Err(StoreError::Corrupt(_))), "{told:?}");
}
