//! One damaged session among others: its callers get an error, and the others continue.

use crate::scene::{Scene, event, events, fill, read_all, sweep};
use rusqlite::Connection;
use sa_store::{Change, Retention, Store, StoreError};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn connect(scene: &Scene) -> Connection {
    let connection = Connection::open(scene.path()).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection
}

/// Changes something of one session behind the store's back, without its checksum.
fn damage(scene: &Scene, sql: &str, session: &str) {
    assert_eq!(connect(scene).execute(sql, [session]).unwrap(), 1, "{sql}");
}

const HEAD: &str =
    "UPDATE heads SET bytes = bytes + 1 WHERE session = (SELECT number FROM sessions WHERE id = ?1)";

fn is_damage<T>(outcome: &Result<T, StoreError>) -> bool {
    matches!(outcome, Err(StoreError::Corrupt(_)))
}

async fn end(store: &Store, session: &str) {
    store.commit(session, Change { ended: Some(true), ..Change::default() }).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_meets_damage_fails_alone() {
    let scene = Scene::new();
    let store = scene.open().await;
    let names: Vec<String> = (0..100).map(|n| format!("s{n}")).collect();
    for name in &names {
        fill(&store, name, 1).await;
    }
    damage(&scene, HEAD, "s30");
    // Something is where the third event should go, so the second one was written when that shows: a large event has its own row.
    damage(
        &scene,
        "INSERT INTO events (place, at_ms, checksum, data)
         SELECT (number << 40) | 3, 0, 0, x'00' FROM sessions WHERE id = ?1",
        "s60",
    );
    let commit = |name: &String| {
        let (store, name) = (store.clone(), name.clone());
        let mut change = events(&name, [2, 3]);
        if name == "s60" {
            change.events[1].data = vec![b'x'; 300_000].into();
        }
        tokio::spawn(async move { store.commit(&name, change).await })
    };
    let tasks: Vec<_> = names.iter().map(commit).collect();
    let mut told = Vec::new();
    for (name, task) in names.iter().zip(tasks) {
        match task.await.unwrap() {
            Ok(committed) => assert_eq!(committed.last, 3),
            Err(StoreError::Corrupt(_)) => told.push(name.as_str()),
            Err(other) => panic!("{name}: {other}"),
        }
    }
    assert_eq!(told, ["s30", "s60"]);
    for name in &names {
        if told.contains(&name.as_str()) {
            assert!(is_damage(&store.session(name).await), "{name} is taken for whole");
        } else {
            assert_eq!(read_all(&store, name).await.unwrap(), (1, 3));
        }
    }
    let left = store.events("s60", 0, 9, usize::MAX).await.unwrap();
    assert_eq!((left.last, &left.events[0].data), (1, &event("s60", 1).data), "half a change is there");
}

#[tokio::test]
async fn sweeping_passes_over_what_is_damaged_and_says_so_once() {
    let said = Said::default();
    let writer = said.clone();
    tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).init();
    let scene = Scene::new();
    let store = scene.open_keeping(Retention { ended_sessions_ms: Some(0), ..Retention::default() }).await;
    for session in ["damaged", "ended", "runs", "ended too"] {
        fill(&store, session, 10).await;
    }
    for session in ["damaged", "ended", "ended too"] {
        end(&store, session).await;
    }
    damage(&scene, HEAD, "damaged");
    // One that has not ended, though this says so.
    let ends = "UPDATE heads SET ended_at_ms = 1 WHERE session = (SELECT number FROM sessions WHERE id = ?1)";
    damage(&scene, ends, "runs");
    let mut forgotten = sweep(&store).await;
    forgotten.sort();
    assert_eq!(forgotten, ["ended", "ended too"]);
    for _ in 0..3 {
        assert_eq!(sweep(&store).await, [""; 0]);
    }
    for session in ["damaged", "runs"] {
        assert!(is_damage(&store.session(session).await), "{session} is gone, or taken for whole");
    }
    store.close().await;
    let said = said.text();
    assert_eq!(said.matches("is passed over").count(), 2, "{said}");
    // The rows of those that were forgotten may still be on their way out.
    let sql =
        "SELECT sum(max(packed, 1)) FROM events JOIN sessions ON number = place >> 40 WHERE id IS NOT NULL";
    let kept: i64 = connect(&scene).query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 20, "the events of both are as they were");
}

#[tokio::test]
async fn a_deleted_session_that_is_damaged_does_not_keep_others_on_the_disk() {
    let scene = Scene::new();
    let store = scene.open().await;
    for session in ["damaged", "deleted"] {
        fill(&store, session, 10).await;
    }
    // As if it were deleted, but that takes its id away.
    damage(&scene, "UPDATE sessions SET standing = 6 WHERE id = ?1", "damaged");
    assert!(store.delete("deleted").await.unwrap());
    let connection = connect(&scene);
    let sql = "SELECT sum(max(packed, 1)) FROM events";
    let count = || -> i64 { connection.query_row(sql, [], |row| row.get(0)).unwrap() };
    let deadline = Instant::now() + Duration::from_secs(20);
    while count() > 10 {
        assert!(Instant::now() < deadline, "{} events are still there", count());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    store.close().await;
    assert_eq!(count(), 10, "what is damaged was removed");
}

/// The log output.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Said {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
