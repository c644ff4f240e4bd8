//! The sessions that are in memory: those with an owner, and those that have ended and that somebody is reading. All others are in
//! the store alone.

use crate::reservations::{Reservation, Reservations};
use crate::shared::Shared;
use parking_lot::Mutex;
use sa_api::sessions::SessionState;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::convert::Infallible;
use std::sync::{Arc, Weak};

/// Ended sessions that are noted before those that nobody reads any more are looked for.
const NOTED: usize = 64;

#[derive(Default)]
pub(crate) struct Registry {
    sessions: Mutex<Sessions>,
    reserved: Reservations<String, Purpose>,
}

#[derive(Default)]
struct Sessions {
    live: HashMap<String, Arc<Shared>>,
    /// Ended sessions go when the last of their readers does.
    ended: HashMap<String, Weak<Shared>>,
    /// The number of these from which on the list of them is tidied.
    tidied_at: usize,
    /// Variables of ended sessions, which copies of them need and which are never stored.
    env: HashMap<String, BTreeMap<String, String>>,
}

/// The reason an id is reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A session of that id is being made. Nobody is to see what the store already has of it.
    Making,
    /// The session of that id is being read from the store, or deleted.
    Moving,
}

impl Registry {
    /// Returns a session that is in memory.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Shared>> {
        let sessions = self.sessions.lock();
        sessions.live.get(id).cloned().or_else(|| sessions.ended.get(id)?.upgrade())
    }

    /// Returns a session that has an owner.
    pub(crate) fn find_live(&self, id: &str) -> Option<Arc<Shared>> {
        self.sessions.lock().live.get(id).cloned()
    }

    /// Returns the sessions that have an owner.
    pub(crate) fn live(&self) -> Vec<Arc<Shared>> {
        self.sessions.lock().live.values().cloned().collect()
    }

    /// Returns the ids of sessions that are being made: the store may have them, and nobody is to see them yet.
    pub(crate) fn coming(&self) -> HashSet<String> {
        self.reserved.names(&Purpose::Making)
    }

    /// Waits until nobody else has reserved the id, and reserves it: the right to bring a session into memory, or to remove it from
    /// the store. With it, a session never has two owners, and one that was deleted does not come back.
    pub(crate) async fn reserve(&self, id: &str, purpose: Purpose) -> Reservation<'_, String, Purpose> {
        let wait = |_: &Purpose| Ok::<_, Infallible>(());
        let Ok(reserved) = self.reserved.reserve(&id.to_owned(), purpose, wait).await;
        reserved
    }

    /// Notes a session that has an owner.
    pub(crate) fn add_live(&self, shared: &Arc<Shared>) {
        let mut sessions = self.sessions.lock();
        sessions.ended.remove(&shared.id);
        sessions.env.remove(&shared.id);
        sessions.live.insert(shared.id.clone(), Arc::clone(shared));
    }

    /// Notes a session that has ended, for as long as somebody uses it.
    pub(crate) fn add_ended(&self, shared: &Arc<Shared>) {
        self.sessions.lock().add_ended(shared);
    }

    /// Lets go of a session that has ended, unless another one has its place.
    pub(crate) fn retire(&self, shared: &Arc<Shared>) {
        if shared.shown_state() != SessionState::Ended {
            return;
        }
        let mut sessions = self.sessions.lock();
        if sessions.release(shared) {
            sessions.add_ended(shared);
        }
    }

    /// Lets go of a session whose owner is gone without having ended it: the next request takes it up from the store.
    pub(crate) fn abandon(&self, shared: &Arc<Shared>) {
        self.sessions.lock().release(shared);
        // Its readers and its webhook continue with the next owner.
        shared.deleted.cancel();
        shared.log.close();
    }

    /// Returns the variables of an ended session.
    pub(crate) fn env(&self, id: &str) -> BTreeMap<String, String> {
        self.sessions.lock().env.get(id).cloned().unwrap_or_default()
    }

    /// Removes a session and returns it if it was in memory.
    pub(crate) fn remove(&self, id: &str) -> Option<Arc<Shared>> {
        let mut sessions = self.sessions.lock();
        sessions.env.remove(id);
        let ended = sessions.ended.remove(id).and_then(|ended| ended.upgrade());
        sessions.live.remove(id).or(ended)
    }
}

impl Sessions {
    /// Takes out a session that has an owner, and keeps its variables. Returns false if another one has its place.
    fn release(&mut self, shared: &Arc<Shared>) -> bool {
        let is_live = self.live.get(&shared.id).is_some_and(|live| Arc::ptr_eq(live, shared));
        if is_live {
            self.live.remove(&shared.id);
            let env = shared.state().env.clone();
            if !env.is_empty() {
                self.env.insert(shared.id.clone(), env);
            }
        }
        is_live
    }

    fn add_ended(&mut self, shared: &Arc<Shared>) {
        if self.ended.len() >= self.tidied_at.max(NOTED) {
            self.ended.retain(|_, ended| ended.strong_count() > 0);
            self.tidied_at = self.ended.len() * 2;
        }
        self.ended.insert(shared.id.clone(), Arc::downgrade(shared));
    }
}
