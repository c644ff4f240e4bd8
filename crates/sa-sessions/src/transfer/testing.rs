//! A property of exports that others wrote, for tests and fuzzing.
#![allow(clippy::expect_used, clippy::missing_panics_doc)]

use super::import::{Arriving, read_head};
use super::unfinished::Unfinished;
use crate::SessionError;
use crate::error::Result;
use crate::record::Record;
use sa_api::sessions::{SessionState, UniversalEvent};
use sa_store::{Store, StoreOptions};
use tokio::runtime::{Builder, Runtime};

const SESSION: &str = "imported";
/// Events that are read at once, and bytes of them.
const PAGE: usize = 512;
const PAGE_BYTES: usize = 1 << 20;

thread_local! {
    /// A store in memory: what is imported is deleted after it was compared.
    static STORE: (Runtime, Store) = {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let store = runtime.block_on(Store::in_memory(StoreOptions::default())).expect("a store");
        (runtime, store)
    };
}

/// Panics unless these bytes, as the body of an import, are refused and leave nothing, or become a session that can be read
/// again, event by event, in which nothing is open.
pub fn an_import_is_whole_or_nothing(data: &[u8]) {
    let _either = is_imported(data);
}

fn is_imported(data: &[u8]) -> bool {
    STORE.with(|(runtime, store)| {
        runtime.block_on(async {
            match import(store, data).await {
                Ok(()) => {
                    check(store).await;
                    true
                }
                Err(SessionError::Invalid(_)) => {
                    assert_eq!(store.session(SESSION).await, Ok(None), "a refused import left something");
                    false
                }
                Err(other) => panic!("refused as if it were a failure of the daemon: {other}"),
            }
        })
    })
}

/// Imports as [`crate::Sessions::import`] does, without an agent.
async fn import(store: &Store, data: &[u8]) -> Result<()> {
    let mut lines = data.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let head = read_head(lines.next().unwrap_or_default())?;
    let mut record = head.record;
    let mut arriving = Arriving::new(SESSION, &record, store.import().await?);
    for line in lines {
        arriving.line(line).await?;
    }
    for event in arriving.closed(&mut record) {
        arriving.append(event).await?;
    }
    let ended = record.state == SessionState::Ended;
    assert!(arriving.finish(&record, ended).await?, "there is no other session");
    Ok(())
}

async fn check(store: &Store) {
    let stored = store.session(SESSION).await.expect("it is read").expect("it is there");
    let mut record = Record::from_bytes(&stored.record).expect("its record is read");
    let (mut unfinished, mut after) = (Unfinished::default(), stored.head.oldest.saturating_sub(1));
    while after < stored.head.last {
        let slice = store.events(SESSION, after, PAGE, PAGE_BYTES).await.expect("its events are read");
        assert!(!slice.events.is_empty(), "events after {after} are missing");
        for event in slice.events {
            assert_eq!(event.id, after + 1);
            after = event.id;
            let read = UniversalEvent::from_json(&event.data).expect("an event is read");
            assert_eq!((read.id, read.session_id.as_str()), (event.id, SESSION));
            unfinished.read(read.id, &read.data, event.data.len());
        }
    }
    assert_eq!(unfinished.close(&mut record), [], "something was left open");
    assert!(store.delete(SESSION).await.expect("it is deleted"));
}

#[test]
fn seeds_are_whole_or_nothing() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/session_import");
    for file in std::fs::read_dir(folder).expect("a folder of seeds") {
        let path = file.expect("a seed").path();
        let is_good = ["whole", "under_way", "ended", "repeated"].iter().any(|name| path.ends_with(name));
        let seed = std::fs::read(&path).expect("its bytes");
        assert_eq!(is_imported(&seed), is_good, "{}", path.display());
    }
}
