//! A full disk: nothing is half written, reading continues, and writing does once there is room.

use crate::scene::{Scene, events, read_all};
use bytes::Bytes;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sa_store::{Listing, Store, StoreError, StoreOptions};
use std::path::Path;
use std::process::{Command, Stdio};

const FILE: &str = "SA_STORE_TEST_FULL_DISK";
const PART: &str = "SA_STORE_TEST_FULL_DISK_PART";

/// Runs a part in a process whose files cannot grow beyond about a megabyte, a full disk that any user can make.
async fn with_little_room(part: &'static str) {
    let scene = Scene::new();
    let script = "trap '' XFSZ; ulimit -S -f 2000; exec \"$0\" --exact full_disk::child --nocapture";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(std::env::current_exe().unwrap());
    command.env(FILE, scene.path()).env(PART, part).stdout(Stdio::piped());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("[done]"), "{said}");
    // A process without the limit reads the same data.
    let store = scene.open().await;
    for session in store.sessions().await.unwrap() {
        assert_eq!(read_all(&store, &session.id).await.unwrap(), (1, session.head.last));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let (Some(path), Ok(part)) = (std::env::var_os(FILE), std::env::var(PART)) else { return };
    let store = Store::open(Path::new(&path), StoreOptions::default()).await.unwrap();
    match part.as_str() {
        "room returns" => room_returns(&store).await,
        "group" => a_group_fails_as_one(&store).await,
        other => panic!("{other}"),
    }
    store.close().await;
    println!("[done]");
}

/// Appends until that fails for good; gives the last id that was acknowledged.
async fn append_until_full(store: &Store, session: &str) -> u64 {
    store.create(session, Bytes::new(), Listing::default()).await.unwrap();
    let (mut last, mut refused) = (0, 0);
    while refused < 3 {
        match store.commit(session, events(session, last + 1..=last + 20)).await {
            Ok(committed) => {
                last = committed.last;
                refused = 0;
            }
            // The first time, the room of the write-ahead log can be used again.
            Err(StoreError::Full) => refused += 1,
            Err(other) => panic!("{other}"),
        }
        assert!(last < 100_000, "there is no limit");
    }
    last
}

async fn room_returns(store: &Store) {
    let last = append_until_full(store, "a").await;
    assert_eq!(
        read_all(store, "a").await.unwrap(),
        (1, last),
        "reading goes on, and nothing is half written"
    );
    let limit = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: limit.maximum, maximum: limit.maximum }).unwrap();
    assert_eq!(store.commit("a", events("a", [last + 1])).await.unwrap().last, last + 1);
    assert_eq!(read_all(store, "a").await.unwrap(), (1, last + 1));
    assert!(store.stats().failures >= 3);
}

async fn a_group_fails_as_one(store: &Store) {
    let sessions: Vec<String> = (0..20).map(|n| format!("s{n}")).collect();
    for session in &sessions {
        store.create(session, Bytes::new(), Listing::default()).await.unwrap();
    }
    append_until_full(store, "a").await;
    let commits = sessions.iter().map(|session| {
        let (store, session) = (store.clone(), session.clone());
        tokio::spawn(async move { store.commit(&session, events(&session, 1..=200)).await })
    });
    for commit in commits.collect::<Vec<_>>() {
        assert_eq!(commit.await.unwrap(), Err(StoreError::Full));
    }
    for session in &sessions {
        assert_eq!(store.session(session).await.unwrap().unwrap().head.last, 0);
    }
}

#[tokio::test]
async fn writing_goes_on_when_room_returns() {
    with_little_room("room returns").await;
}

#[tokio::test]
async fn everybody_in_a_group_is_reported() {
    with_little_room("group").await;
}
