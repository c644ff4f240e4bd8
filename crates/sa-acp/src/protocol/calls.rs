//! The requests that an agent has sent to its client and that are not answered yet.

use sa_jsonrpc::Id;
use std::collections::BTreeMap;

/// Open requests to the client, each with what to do when it is answered.
#[derive(Debug)]
pub(crate) struct Calls<T> {
    last: i64,
    open: BTreeMap<i64, T>,
}

impl<T> Calls<T> {
    pub(crate) fn new() -> Self {
        Self { last: 0, open: BTreeMap::new() }
    }

    /// Notes a request and gives the id to send it under. Ids are never used twice on a connection.
    pub(crate) fn open(&mut self, then: T) -> i64 {
        self.last += 1;
        self.open.insert(self.last, then);
        self.last
    }

    /// Takes the request that `id` answers; `None` for one that was never sent, is answered, or was withdrawn.
    pub(crate) fn answered(&mut self, id: &Id) -> Option<(i64, T)> {
        let Id::Int(id) = *id else { return None };
        self.open.remove(&id).map(|then| (id, then))
    }

    /// Forgets every request that `of` picks and returns their ids in the order of sending.
    pub(crate) fn withdraw(&mut self, of: impl Fn(&T) -> bool) -> Vec<i64> {
        self.open.extract_if(.., |_, then| of(then)).map(|(id, _)| id).collect()
    }
}
