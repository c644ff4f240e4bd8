//! Tickets: what a browser puts into a WebSocket's address instead of the token. Each opens one socket, once, soon.

use sa_api::Ticket;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Tickets that have been issued and not used.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    issued: Mutex<HashMap<String, Instant>>,
}

/// How many tickets may be open; the next one ends the oldest.
const OPEN: usize = 1024;

impl Tickets {
    /// A new ticket.
    pub(crate) fn issue(&self, life: Duration) -> Ticket {
        let ticket = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        let now = Instant::now();
        let mut issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        issued.retain(|_, expires| *expires > now);
        if issued.len() >= OPEN
            && let Some(oldest) =
                issued.iter().min_by_key(|(_, expires)| **expires).map(|(key, _)| key.clone())
        {
            issued.remove(&oldest);
        }
        issued.insert(ticket.clone(), now + life);
        let expires = SystemTime::now() + life;
        let expires_at_ms = expires.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        Ticket { ticket, expires_at_ms }
    }

    /// Uses a ticket up. False if it was never issued, was used, or is too old.
    pub(crate) fn redeem(&self, ticket: &str) -> bool {
        let expires = self.issued.lock().unwrap_or_else(PoisonError::into_inner).remove(ticket);
        expires.is_some_and(|expires| expires > Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_opens_once_and_not_for_ever() {
        let tickets = Tickets::default();
        let ticket = tickets.issue(Duration::from_secs(60)).ticket;
        assert!(tickets.redeem(&ticket) && !tickets.redeem(&ticket));
        let stale = tickets.issue(Duration::ZERO).ticket;
        assert!(!tickets.redeem(&stale) && !tickets.redeem("made up"));
    }
}
