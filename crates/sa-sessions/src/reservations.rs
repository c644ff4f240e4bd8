//! Names that one request at a time has for itself.

use parking_lot::Mutex;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The names that are reserved, each with a note for others that want it.
pub(crate) struct Reservations<K, N = ()>(Mutex<HashMap<K, Reserved<N>>>);

struct Reserved<N> {
    note: N,
    /// Closed when the name is free again.
    over: Arc<Semaphore>,
}

/// The right to a name, until it is dropped.
pub(crate) struct Reservation<'a, K: Eq + Hash, N> {
    all: &'a Reservations<K, N>,
    name: K,
}

impl<K, N> Default for Reservations<K, N> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, N> Drop for Reservation<'_, K, N> {
    fn drop(&mut self) {
        if let Some(reserved) = self.all.0.lock().remove(&self.name) {
            reserved.over.close();
        }
    }
}

impl<K: Clone + Eq + Hash, N: Clone + PartialEq> Reservations<K, N> {
    /// Reserves a name once nobody else has it. Fails at once if `may_wait` does for the note of the one who has it.
    pub(crate) async fn reserve<E>(
        &self,
        name: &K,
        note: N,
        may_wait: impl Fn(&N) -> Result<(), E>,
    ) -> Result<Reservation<'_, K, N>, E> {
        loop {
            let over = match self.0.lock().entry(name.clone()) {
                Entry::Occupied(reserved) => {
                    may_wait(&reserved.get().note)?;
                    Arc::clone(&reserved.get().over)
                }
                Entry::Vacant(free) => {
                    free.insert(Reserved { note, over: Arc::new(Semaphore::new(0)) });
                    return Ok(Reservation { all: self, name: name.clone() });
                }
            };
            // The semaphore has no permits, so waiting ends only when it is closed.
            let _ = over.acquire().await;
        }
    }

    /// Returns the names that are reserved with that note.
    pub(crate) fn names(&self, note: &N) -> HashSet<K> {
        let reserved = self.0.lock();
        let noted = reserved.iter().filter(|(_, reserved)| reserved.note == *note);
        noted.map(|(name, _)| name.clone()).collect()
    }
}
