//! A run of events that one client saw, compared with the log.

use super::session::Entry;
use crate::dice::Dice;

/// The events that a request selects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    types: Vec<&'static str>,
    without_deltas: bool,
}

/// Types that clients select.
const TYPES: [&str; 6] =
    ["message", "turnStarted", "turnEnded", "questionAsked", "permissionResolved", "messageWithdrawn"];

impl Filter {
    /// Selects everything, most of the time.
    pub(crate) fn random(dice: &mut Dice) -> Self {
        let mut filter = Self::default();
        if dice.chance(20) {
            filter.types = TYPES.into_iter().filter(|_| dice.chance(40)).collect();
        }
        filter.without_deltas = dice.chance(15);
        filter
    }

    /// Returns the parameters of the query, each with a leading `&`.
    pub(crate) fn query(&self) -> String {
        let mut query = String::new();
        if !self.types.is_empty() {
            query.push_str(&format!("&types={}", self.types.join(",")));
        }
        if self.without_deltas {
            query.push_str("&deltas=false");
        }
        query
    }

    fn selects(&self, kind: &str) -> bool {
        (self.types.is_empty() || self.types.contains(&kind))
            && !(self.without_deltas && kind == "messageDelta")
    }
}

/// Events that followed each other on one stream or page.
#[derive(Debug)]
pub(crate) struct Observation {
    /// The request, for the report.
    pub(crate) request: String,
    /// The event after which it began.
    pub(crate) after: u64,
    pub(crate) filter: Filter,
    /// Ids and bytes, in the order in which they came.
    pub(crate) events: Vec<(u64, String)>,
}

impl Observation {
    /// Compares it with the log: every selected event between its first and its last, in order, byte for byte.
    pub(super) fn judge(&self, log: &[Entry]) -> Result<(), String> {
        let Some((last, _)) = self.events.last() else { return Ok(()) };
        let start = usize::try_from(self.after).unwrap_or(usize::MAX);
        let mut expected = (self.after + 1..).zip(log.iter().skip(start));
        for (id, bytes) in &self.events {
            let next = expected.find(|(_, entry)| self.filter.selects(&entry.kind));
            match next {
                Some((wanted, entry)) if wanted == *id && *entry.bytes == **bytes => {}
                Some((wanted, entry)) if wanted == *id => {
                    return Err(format!(
                        "{}: event {id} has changed\n  seen: {bytes}\n  now:  {}",
                        self.request, entry.bytes
                    ));
                }
                Some((wanted, entry)) => {
                    return Err(format!(
                        "{}: event {wanted} ({}) was not sent; {id} came in its place, {last} last",
                        self.request, entry.kind
                    ));
                }
                None => {
                    let newest = log.len();
                    return Err(format!(
                        "{}: event {id} was sent and is lost; the log ends with {newest}: {bytes}",
                        self.request
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Filter, Observation};

    fn log(kinds: &[&str]) -> Vec<Entry> {
        let entry =
            |(at, kind): (usize, &&str)| Entry { kind: (*kind).into(), bytes: format!("{}", at + 1).into() };
        kinds.iter().enumerate().map(entry).collect()
    }

    fn seen(after: u64, filter: &Filter, ids: &[u64]) -> Result<(), String> {
        let events = ids.iter().map(|id| (*id, id.to_string())).collect();
        let observation = Observation { request: "GET".into(), after, filter: filter.clone(), events };
        observation.judge(&log(&["message", "messageDelta", "messageDelta", "turnEnded"]))
    }

    #[test]
    fn holes_repeats_and_losses_are_found() {
        let all = Filter::default();
        assert_eq!(seen(0, &all, &[1, 2, 3, 4]), Ok(()));
        assert_eq!(seen(2, &all, &[3]), Ok(()));
        for ids in [&[1, 3][..], &[2], &[1, 1], &[1, 2, 3, 4, 5]] {
            assert!(seen(0, &all, ids).is_err(), "{ids:?}");
        }
        let filter = Filter { types: vec!["message", "turnEnded"], without_deltas: false };
        assert_eq!(seen(0, &filter, &[1, 4]), Ok(()));
        assert!(seen(0, &filter, &[4]).is_err());
        let filter = Filter { types: Vec::new(), without_deltas: true };
        assert_eq!(seen(1, &filter, &[4]), Ok(()));
    }

    #[test]
    fn an_event_never_changes() {
        let events = vec![(1, "other".to_owned())];
        let observation = Observation { request: "GET".into(), after: 0, filter: Filter::default(), events };
        assert!(observation.judge(&log(&["message"])).is_err_and(|why| why.contains("has changed")));
    }
}
