//! Which sequence numbers the records of a server have. An id that is used again continues where its last server
//! stopped: a client that comes back with an event id of that one gets a gap, or everything, and never a hole.

use crate::ServerId;
use std::collections::{HashMap, VecDeque};

/// The number of ended servers that are remembered.
const REMEMBERED: usize = 4096;

/// The last numbers of servers that have ended.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    last: HashMap<ServerId, u64>,
    order: VecDeque<ServerId>,
    /// No server that was forgotten had a higher number.
    floor: u64,
}

impl Numbers {
    /// Remembers nothing; `floor` is a number that no earlier daemon can have reached.
    pub(crate) fn new(floor: u64) -> Self {
        Self { floor, ..Self::default() }
    }

    /// Returns the number before the first one of a new server.
    pub(crate) fn before_first(&self, id: &ServerId) -> u64 {
        self.last.get(id).copied().unwrap_or(self.floor)
    }

    /// Notes that a server has ended, and its last number.
    pub(crate) fn note(&mut self, id: &ServerId, last: u64) {
        if let Some(known) = self.last.get_mut(id) {
            *known = last.max(*known);
            return;
        }
        self.last.insert(id.clone(), last);
        self.order.push_back(id.clone());
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.floor = self.floor.max(self.last.remove(&oldest).unwrap_or(0));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_number_is_never_given_twice_to_one_id() {
        let id = |number: usize| ServerId::parse(&format!("s{number}")).unwrap();
        let mut numbers = Numbers::new(0);
        assert_eq!(numbers.before_first(&id(0)), 0);
        numbers.note(&id(0), 70);
        assert_eq!((numbers.before_first(&id(0)), numbers.before_first(&id(1))), (70, 0));
        numbers.note(&id(0), 90);
        for other in 1..=REMEMBERED {
            numbers.note(&id(other), 5);
        }
        assert_eq!(numbers.last.len(), REMEMBERED);
        assert!(numbers.before_first(&id(0)) >= 90, "also when it was forgotten");
    }
}
