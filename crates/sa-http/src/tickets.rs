//! Tickets: what a browser puts into a stream's address instead of the token.
//!
//! A ticket opens streams (event streams and WebSockets) and nothing else. Without a path it opens any one of them, once, soon. With a
//! path it opens that one as often as an `EventSource` reconnects, until it expires or is revoked.

use parking_lot::Mutex;
use sa_api::{Ticket, Timestamp};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Tickets that have been issued and can be used.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    issued: Mutex<HashMap<String, Issued>>,
}

#[derive(Debug)]
struct Issued {
    expires: Instant,
    path: Option<String>,
}

/// Tickets that may be open; the next one ends the one that would expire first.
const OPEN: usize = 1024;

impl Tickets {
    /// Issues a ticket, for one path or for one use.
    pub(crate) fn issue(&self, path: Option<String>, life: Duration) -> Ticket {
        let ticket = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        let now = Instant::now();
        let mut issued = self.issued.lock();
        issued.retain(|_, issued| issued.expires > now);
        if issued.len() >= OPEN
            && let Some(first) = issued.iter().min_by_key(|(_, one)| one.expires).map(|(key, _)| key.clone())
        {
            issued.remove(&first);
        }
        issued.insert(ticket.clone(), Issued { expires: now + life, path: path.clone() });
        let life = u64::try_from(life.as_millis()).unwrap_or(u64::MAX);
        let expires_at = Timestamp::from_millis(Timestamp::now().as_millis().saturating_add(life));
        Ticket { ticket, path, expires_at }
    }

    /// Uses a ticket for a stream at this path. False if it was never issued, was used up, is for another path, or is too old.
    pub(crate) fn redeem(&self, ticket: &str, path: &str) -> bool {
        let mut issued = self.issued.lock();
        let Some(found) = issued.get(ticket) else { return false };
        let is_fresh = found.expires > Instant::now();
        match &found.path {
            Some(bound) => is_fresh && bound == path,
            None => issued.remove(ticket).is_some() && is_fresh,
        }
    }

    /// Ends a ticket before its time.
    pub(crate) fn revoke(&self, ticket: &str) {
        self.issued.lock().remove(ticket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(60);

    #[test]
    fn a_ticket_without_a_path_opens_once() {
        let tickets = Tickets::default();
        let ticket = tickets.issue(None, SOON).ticket;
        assert!(tickets.redeem(&ticket, "/a") && !tickets.redeem(&ticket, "/a"));
        let stale = tickets.issue(None, Duration::ZERO).ticket;
        assert!(!tickets.redeem(&stale, "/a") && !tickets.redeem("made up", "/a"));
    }

    #[test]
    fn a_ticket_for_a_path_opens_it_until_it_ends() {
        let tickets = Tickets::default();
        let ticket = tickets.issue(Some("/a".to_owned()), SOON).ticket;
        assert!(
            tickets.redeem(&ticket, "/a") && !tickets.redeem(&ticket, "/b") && tickets.redeem(&ticket, "/a")
        );
        tickets.revoke(&ticket);
        assert!(!tickets.redeem(&ticket, "/a"));
        let stale = tickets.issue(Some("/a".to_owned()), Duration::ZERO).ticket;
        assert!(!tickets.redeem(&stale, "/a"));
    }

    #[test]
    fn the_next_to_expire_makes_room() {
        let tickets = Tickets::default();
        let kept = tickets.issue(Some("/a".to_owned()), 2 * SOON).ticket;
        let first = tickets.issue(None, SOON / 2).ticket;
        for _ in 0..OPEN - 1 {
            tickets.issue(None, SOON);
        }
        assert!(!tickets.redeem(&first, "/a") && tickets.redeem(&kept, "/a"));
    }
}
