//! Messages whose idempotency key is being looked up.

use crate::command::{Posted, Reply};
use sa_api::sessions::MessageAccepted;
use std::collections::{HashMap, VecDeque};

/// A message and the client that waits for it.
pub(super) type Waiting = (Posted, Reply<MessageAccepted>);

/// Messages by key. One of each key is looked up at a time, so that none is accepted twice.
#[derive(Default)]
pub(super) struct Lookups(HashMap<String, VecDeque<Waiting>>);

/// The next step for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    LookUp,
    Wait,
}

impl Lookups {
    pub(super) fn add(&mut self, key: &str, waiting: Waiting) -> Next {
        let same_key = self.0.entry(key.to_owned()).or_default();
        same_key.push_back(waiting);
        if same_key.len() == 1 { Next::LookUp } else { Next::Wait }
    }

    /// Takes out the message whose key was looked up, and says what to do for the next one of that key.
    pub(super) fn take(&mut self, key: &str) -> Option<(Waiting, Next)> {
        let same_key = self.0.get_mut(key)?;
        let waiting = same_key.pop_front()?;
        if same_key.is_empty() {
            self.0.remove(key);
            return Some((waiting, Next::Wait));
        }
        Some((waiting, Next::LookUp))
    }
}
