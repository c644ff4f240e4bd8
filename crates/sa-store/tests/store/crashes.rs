//! Processes that are killed while they write: what was acknowledged is there, whole and in order.

use crate::scene::{Scene, event, read_all};
use bytes::Bytes;
use sa_store::{Change, Listing, Store, StoreOptions, Synchronous};
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const FILE: &str = "SA_STORE_TEST_CRASHES";
const SYNCHRONOUS: &str = "SA_STORE_TEST_CRASHES_SYNCHRONOUS";
const ROUNDS: u64 = 60;
const SESSIONS: u64 = 8;

/// Runs in the other process: this same test binary, which appends until it is killed, and prints what was
/// acknowledged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let store = open(Path::new(&path), &std::env::var(SYNCHRONOUS).unwrap()).await;
    let writers: Vec<_> =
        (0..SESSIONS).map(|n| tokio::spawn(append_for_ever(store.clone(), format!("s{n}")))).collect();
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn open(path: &Path, synchronous: &str) -> Store {
    let synchronous = match synchronous {
        "normal" => Synchronous::Normal,
        "full" => Synchronous::Full,
        other => panic!("{other}"),
    };
    Store::open(path, StoreOptions { synchronous, ..StoreOptions::default() }).await.unwrap()
}

async fn append_for_ever(store: Store, session: String) {
    store.create(&session, Bytes::from_static(b"0"), Listing::default()).await.unwrap();
    let mut last = store.session(&session).await.unwrap().unwrap().head.last;
    loop {
        let next = last + 1;
        last += 1 + next % 3;
        let events = (next..=last).map(|id| event(&session, id)).collect();
        // The record says where the events end, so that a change that was cut in two shows.
        let change = Change { record: Some(last.to_string().into()), events, ..Change::default() };
        assert_eq!(store.commit(&session, change).await.unwrap().last, last);
        println!("+{session} {last}");
    }
}

/// Runs the other process until it has acknowledged so many changes, and a little longer; gives the last id of each session
/// that it acknowledged.
fn killed_after(path: &Path, synchronous: &str, changes: u64, longer: Duration) -> HashMap<String, u64> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "crashes::child", "--nocapture"]).stdout(Stdio::piped());
    command.env(FILE, path).env(SYNCHRONOUS, synchronous);
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut acknowledged = HashMap::new();
    let (mut line, mut heard) = (String::new(), 0);
    while said.read_line(&mut line).unwrap() > 0 {
        if let Some((session, last)) =
            line.strip_prefix('+').and_then(|line| line.strip_suffix('\n')?.split_once(' '))
        {
            acknowledged.insert(session.to_owned(), last.parse().unwrap());
            heard += 1;
        }
        if heard == changes {
            // Anywhere in a transaction, or in copying the log.
            std::thread::sleep(longer);
            child.kill().unwrap();
        }
        line.clear();
    }
    child.wait().unwrap();
    assert!(heard >= changes, "it ended by itself after {heard} changes");
    acknowledged
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill() {
    let scene = Scene::new();
    let path = scene.path();
    for round in 0..ROUNDS {
        let changes = 1 + (round * 7919) % 97 * if round % 10 == 0 { 12 } else { 1 };
        let longer = Duration::from_micros((round * 104_729) % 3_000);
        let at = path.clone();
        let synchronous = if round % 2 == 0 { "normal" } else { "full" };
        let killed = move || killed_after(&at, synchronous, changes, longer);
        let acknowledged = tokio::task::spawn_blocking(killed).await.unwrap();
        let store = open(&path, synchronous).await;
        for session in store.sessions().await.unwrap() {
            let (first, last) = read_all(&store, &session.id).await.unwrap();
            assert_eq!((first, last), (1, session.head.last));
            assert_eq!(
                session.record,
                session.head.last.to_string(),
                "half a change of {} is there",
                session.id
            );
            let least = acknowledged.get(&session.id).copied().unwrap_or_default();
            assert!(last >= least, "round {round}: {} has {last} events of {least}", session.id);
        }
        for session in acknowledged.keys() {
            assert!(store.session(session).await.unwrap().is_some(), "round {round}: {session} is gone");
        }
        if round % 3 == 0 {
            store.close().await;
        } else {
            wait_until_free(store).await;
        }
    }
}

/// Drops a store without closing it, and waits until its thread has let go of the file.
async fn wait_until_free(store: Store) {
    let path = store.path().unwrap().to_owned();
    drop(store);
    let lock = std::fs::File::open(path.with_file_name("sessions.db-lock")).unwrap();
    tokio::task::spawn_blocking(move || lock.lock().unwrap()).await.unwrap();
}
