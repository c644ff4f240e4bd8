//! Shared by the tests: a directory, changes in one line, and reading everything back.

use bytes::Bytes;
use sa_store::{
    Change, Committed, Listing, MessageState, NewEvent, Retention, Store, StoreError, StoreOptions,
    StoredMessage,
};
use std::path::PathBuf;
use tempfile::TempDir;

/// A directory with a store in it.
pub(crate) struct Scene {
    pub(crate) directory: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("sessions.db")
    }

    pub(crate) async fn open(&self) -> Store {
        Store::open(&self.path(), StoreOptions::default()).await.unwrap()
    }

    pub(crate) async fn open_keeping(&self, retention: Retention) -> Store {
        Store::open(&self.path(), StoreOptions { retention, ..StoreOptions::default() }).await.unwrap()
    }
}

/// Returns an event whose content says which one it is.
pub(crate) fn event(session: &str, id: u64) -> NewEvent {
    NewEvent { id, at_ms: 1_000 + id, data: data(session, id), mark: None }
}

/// Returns the content of an event, a few hundred bytes that no other event has.
pub(crate) fn data(session: &str, id: u64) -> Bytes {
    let text = noise(id, 200 + 5 * (id % 60) as usize);
    format!("{{\"session\":\"{session}\",\"id\":{id},\"text\":\"{text}\"}}").into()
}

/// Text that can hardly be packed.
pub(crate) fn noise(seed: u64, length: usize) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + ((state >> 33) % 64) as u8)
    };
    // Neither quotes nor backslashes, as it is part of JSON.
    (0..length).map(|_| letter()).map(|c| if c == '\\' { '~' } else { c }).collect()
}

pub(crate) fn events(session: &str, ids: impl IntoIterator<Item = u64>) -> Change {
    Change { events: ids.into_iter().map(|id| event(session, id)).collect(), ..Change::default() }
}

/// Makes a session with as many events, in transactions of a hundred.
pub(crate) async fn fill(store: &Store, session: &str, count: u64) -> Committed {
    assert!(store.create(session, Bytes::from_static(b"{}"), Listing::default()).await.unwrap());
    let mut committed = Committed { oldest: 1, last: 0 };
    while committed.last < count {
        let next = committed.last + 1;
        committed = store.commit(session, events(session, next..=(next + 99).min(count))).await.unwrap();
    }
    committed
}

/// Reads all of a session in small slices and checks that it is in one piece and says what was written. Gives the first
/// and the last id.
pub(crate) async fn read_all(store: &Store, session: &str) -> Result<(u64, u64), StoreError> {
    let mut after = 0;
    let mut first = None;
    loop {
        let slice = store.events(session, after, 64, 1 << 20).await?;
        if slice.events.is_empty() {
            assert_eq!(after.max(slice.oldest - 1), slice.last, "events are missing at the end of {session}");
            return Ok((first.unwrap_or(slice.oldest), slice.last));
        }
        for stored in slice.events {
            match first {
                None => first = Some(stored.id),
                Some(_) => assert_eq!(stored.id, after + 1, "a hole in {session}"),
            }
            assert_eq!(stored.data, data(session, stored.id), "event {} of {session} is another", stored.id);
            assert_eq!(stored.at_ms, 1_000 + stored.id);
            after = stored.id;
        }
    }
}

pub(crate) fn message(turn: &str, key: Option<&str>) -> StoredMessage {
    StoredMessage {
        turn_id: turn.to_owned(),
        key: key.map(str::to_owned),
        body_digest: [7; 32],
        body: format!("body of {turn}").into(),
        answer: format!("answer to {turn}").into(),
        state: MessageState::Queued,
    }
}

/// Forgets everything that is due.
pub(crate) async fn sweep(store: &Store) -> Vec<String> {
    let due = store.due().await.unwrap();
    let swept = store.sweep(due.clone()).await.unwrap();
    assert_eq!(swept.forgotten, due);
    swept.forgotten
}
