//! Requests that a process has not answered.

use std::collections::BTreeMap;
use std::time::Duration;

/// Open requests to a process by their ids, each with what to do when it is answered. Processes do not answer everything, so
/// most are waited for only so long.
#[derive(Debug)]
pub struct Pending<K, T> {
    open: BTreeMap<K, Open<T>>,
}

#[derive(Debug)]
struct Open<T> {
    deadline: Option<Duration>,
    then: T,
}

impl<K: Ord, T> Pending<K, T> {
    /// Notes a request, and until when its answer is waited for.
    pub fn insert(&mut self, id: K, deadline: Option<Duration>, then: T) {
        self.open.insert(id, Open { deadline, then });
    }

    /// Takes what the answer `id` is awaited for.
    pub fn answered<Q: Ord + ?Sized>(&mut self, id: &Q) -> Option<T>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.open.remove(id).map(|open| open.then)
    }

    /// Takes what was not answered in time.
    pub fn expired(&mut self, now: Duration) -> Vec<T> {
        let is_late = |open: &Open<T>| open.deadline.is_some_and(|deadline| deadline <= now);
        self.open.extract_if(.., |_, open| is_late(open)).map(|(_, open)| open.then).collect()
    }

    pub fn take_all(&mut self) -> Vec<T> {
        std::mem::take(&mut self.open).into_values().map(|open| open.then).collect()
    }

    /// Returns what answers are awaited for.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.open.values().map(|open| &open.then)
    }

    /// Returns how many answers are awaited.
    pub fn count(&self) -> usize {
        self.open.len()
    }

    /// Returns when the next answer is late.
    pub fn deadline(&self) -> Option<Duration> {
        self.open.values().filter_map(|open| open.deadline).min()
    }

    /// Waits for one answer until then, whatever was said before.
    pub fn await_until(&mut self, id: &K, deadline: Duration) -> Option<&mut T> {
        let open = self.open.get_mut(id)?;
        open.deadline = Some(deadline);
        Some(&mut open.then)
    }

    /// Waits no longer than this for what `of` picks.
    pub fn hurry(&mut self, deadline: Duration, of: impl Fn(&T) -> bool) {
        for open in self.open.values_mut().filter(|open| of(&open.then)) {
            open.deadline = Some(open.deadline.map_or(deadline, |before| before.min(deadline)));
        }
    }
}

impl<K, T> Default for Pending<K, T> {
    fn default() -> Self {
        Self { open: BTreeMap::new() }
    }
}
