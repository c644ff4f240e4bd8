//! The requests to the server, for tests, within bounds; and the number of times that each fault of a script has
//! come.

use crate::amp::Threads;
use crate::direct::Place;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, VecDeque};
use tokio::sync::watch;

/// A request as it came in.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// Counts all requests of the server, from 1.
    pub number: u64,
    /// `messages`, `responses`, `chat`, `gemini`, or `other`.
    pub api: &'static str,
    /// The HTTP method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// By name in lower case; the last one counts when a name comes twice.
    pub headers: BTreeMap<String, String>,
    /// The credential of the caller.
    pub auth: Option<Auth>,
    /// The model that is asked for.
    pub model: Option<String>,
    /// The body, or null if it is no JSON.
    pub body: Value,
}

/// A credential as it was presented.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Auth {
    /// The header's name, or `key` for the query parameter.
    pub name: String,
    /// The value as given.
    pub value: String,
}

/// The most requests that are kept.
const MOST_REQUESTS: usize = 512;

/// The most bytes of bodies that are kept.
const MOST_BYTES: usize = 64 << 20;

/// The most counters of faults that are kept.
const MOST_COUNTERS: usize = 4096;

/// The requests, and the only state that scripts have.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    inner: Mutex<Inner>,
    /// The number of requests so far.
    count: watch::Sender<u64>,
    /// The threads that Amp has stored.
    pub(crate) threads: Threads,
}

#[derive(Debug, Default)]
struct Inner {
    requests: VecDeque<(Request, usize)>,
    bytes: usize,
    counters: HashMap<Place, u32>,
    oldest: VecDeque<Place>,
}

impl Journal {
    /// Keeps a request, whose body had so many bytes, and numbers it. The oldest go when the bounds are reached.
    pub(crate) fn keep(&self, mut request: Request, bytes: usize) {
        let mut inner = self.inner.lock();
        request.number = *self.count.borrow() + 1;
        inner.requests.push_back((request, bytes));
        inner.bytes += bytes;
        while inner.requests.len() > MOST_REQUESTS || inner.bytes > MOST_BYTES && inner.requests.len() > 1 {
            inner.bytes -= inner.requests.pop_front().map_or(0, |(_, bytes)| bytes);
        }
        self.count.send_modify(|count| *count += 1);
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.inner.lock().requests.iter().map(|(request, _)| request.clone()).collect()
    }

    pub(crate) fn clear(&self) {
        let mut inner = self.inner.lock();
        inner.requests.clear();
        inner.bytes = 0;
    }

    pub(crate) fn count(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    /// Returns whether a fault that comes so many times is still to come; counts it if so.
    pub(crate) fn is_due(&self, place: Place, times: u32) -> bool {
        let mut inner = self.inner.lock();
        if !inner.counters.contains_key(&place) {
            inner.oldest.push_back(place);
            if inner.oldest.len() > MOST_COUNTERS
                && let Some(oldest) = inner.oldest.pop_front()
            {
                inner.counters.remove(&oldest);
            }
        }
        let count = inner.counters.entry(place).or_default();
        let due = *count < times;
        if due {
            *count += 1;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            number: 0,
            api: "other",
            method: "POST".into(),
            path: "/".into(),
            headers: BTreeMap::new(),
            auth: None,
            model: None,
            body: Value::Null,
        }
    }

    #[test]
    fn the_oldest_requests_go() {
        let journal = Journal::default();
        for _ in 0..MOST_REQUESTS + 3 {
            journal.keep(request(), 1);
        }
        let kept = journal.requests();
        assert_eq!((kept.len(), kept[0].number), (MOST_REQUESTS, 4));
        journal.keep(request(), MOST_BYTES);
        assert_eq!(journal.requests().len(), 1);
        journal.clear();
        journal.keep(request(), 1);
        assert_eq!(journal.requests()[0].number, MOST_REQUESTS as u64 + 5);
    }

    #[test]
    fn faults_are_counted_by_place() {
        let journal = Journal::default();
        let due = |place, times| journal.is_due(place, times);
        assert_eq!([due((1, 0), 2), due((1, 0), 2), due((1, 0), 2)], [true, true, false]);
        assert_eq!([due((1, 1), 1), due((2, 0), 1), due((1, 0), 2)], [true, true, false]);
        for place in 0..MOST_COUNTERS as u64 {
            due((3, place as usize), 1);
        }
        assert!(due((1, 0), 1), "the oldest counters are forgotten");
    }
}
