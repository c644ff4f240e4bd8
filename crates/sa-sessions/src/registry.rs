//! The sessions that are in memory: those with an owner, and those that have ended and that somebody is reading. All others are in
//! the store alone.

use crate::shared::Shared;
use parking_lot::{Mutex, MutexGuard};
use sa_api::sessions::SessionState;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Weak};
use tokio::sync::Semaphore;

/// Ended sessions that are noted before those that nobody reads any more are looked for.
const NOTED: usize = 64;

#[derive(Default)]
pub(crate) struct Registry(Mutex<Sessions>);

#[derive(Default)]
struct Sessions {
    live: HashMap<String, Arc<Shared>>,
    /// Ended sessions go when the last of their readers does.
    ended: HashMap<String, Weak<Shared>>,
    /// The number of these from which on the list of them is tidied.
    tidied_at: usize,
    /// Variables of ended sessions, which copies of them need and which are never stored.
    env: HashMap<String, BTreeMap<String, String>>,
    reserved: HashMap<String, Reserved>,
}

struct Reserved {
    purpose: Purpose,
    /// Closed when the id is free again.
    over: Arc<Semaphore>,
}

/// Why an id is reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A session of that id is being made. Nobody is to see what the store already has of it.
    Making,
    /// The session of that id is being read from the store, or deleted.
    Moving,
}

/// The right to bring a session into memory, or to remove it from the store: with it, a session never has two owners, and one that was
/// deleted does not come back.
pub(crate) struct Reservation<'a> {
    registry: &'a Registry,
    id: String,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if let Some(reserved) = self.registry.sessions().reserved.remove(&self.id) {
            reserved.over.close();
        }
    }
}

impl Registry {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.0.lock()
    }

    /// Returns a session that is in memory.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Shared>> {
        let sessions = self.sessions();
        sessions.live.get(id).cloned().or_else(|| sessions.ended.get(id)?.upgrade())
    }

    /// Returns a session that has an owner.
    pub(crate) fn find_live(&self, id: &str) -> Option<Arc<Shared>> {
        self.sessions().live.get(id).cloned()
    }

    /// Returns the sessions that have an owner.
    pub(crate) fn live(&self) -> Vec<Arc<Shared>> {
        self.sessions().live.values().cloned().collect()
    }

    /// Returns the sessions that have an owner, and the ids of those that the store may have and nobody is to see yet.
    pub(crate) fn live_and_coming(&self) -> (Vec<Arc<Shared>>, HashSet<String>) {
        let sessions = self.sessions();
        let coming = sessions.reserved.iter().filter(|(_, reserved)| reserved.purpose == Purpose::Making);
        let coming = coming.map(|(id, _)| id.clone()).collect();
        (sessions.live.values().cloned().collect(), coming)
    }

    /// Returns whether a session of that id is being made.
    pub(crate) fn is_making(&self, id: &str) -> bool {
        self.sessions().reserved.get(id).is_some_and(|reserved| reserved.purpose == Purpose::Making)
    }

    /// Waits until nobody else has reserved the id, and reserves it.
    pub(crate) async fn reserve(&self, id: &str, purpose: Purpose) -> Reservation<'_> {
        loop {
            let over = {
                let mut sessions = self.sessions();
                match sessions.reserved.get(id) {
                    Some(reserved) => Arc::clone(&reserved.over),
                    None => {
                        let over = Arc::new(Semaphore::new(0));
                        sessions.reserved.insert(id.to_owned(), Reserved { purpose, over });
                        return Reservation { registry: self, id: id.to_owned() };
                    }
                }
            };
            // The semaphore has no permits, so waiting ends only when it is closed.
            let _ = over.acquire().await;
        }
    }

    /// Notes a session that has an owner.
    pub(crate) fn add_live(&self, shared: &Arc<Shared>) {
        let mut sessions = self.sessions();
        sessions.ended.remove(&shared.id);
        sessions.env.remove(&shared.id);
        sessions.live.insert(shared.id.clone(), Arc::clone(shared));
    }

    /// Notes a session that has ended, for as long as somebody uses it.
    pub(crate) fn add_ended(&self, shared: &Arc<Shared>) {
        self.sessions().add_ended(shared);
    }

    /// Lets go of a session that has ended, unless another one has its place.
    pub(crate) fn retire(&self, shared: &Arc<Shared>) {
        if shared.shown_state() != SessionState::Ended {
            return;
        }
        let mut sessions = self.sessions();
        if sessions.live.get(&shared.id).is_some_and(|live| Arc::ptr_eq(live, shared)) {
            sessions.live.remove(&shared.id);
            let env = shared.env();
            if !env.is_empty() {
                sessions.env.insert(shared.id.clone(), env);
            }
            sessions.add_ended(shared);
        }
    }

    /// Returns the variables of an ended session.
    pub(crate) fn env(&self, id: &str) -> BTreeMap<String, String> {
        self.sessions().env.get(id).cloned().unwrap_or_default()
    }

    /// Removes a session and returns it if it was in memory.
    pub(crate) fn remove(&self, id: &str) -> Option<Arc<Shared>> {
        let mut sessions = self.sessions();
        sessions.env.remove(id);
        let ended = sessions.ended.remove(id).and_then(|ended| ended.upgrade());
        sessions.live.remove(id).or(ended)
    }
}

impl Sessions {
    fn add_ended(&mut self, shared: &Arc<Shared>) {
        if self.ended.len() >= self.tidied_at.max(NOTED) {
            self.ended.retain(|_, ended| ended.strong_count() > 0);
            self.tidied_at = self.ended.len() * 2;
        }
        self.ended.insert(shared.id.clone(), Arc::downgrade(shared));
    }
}
