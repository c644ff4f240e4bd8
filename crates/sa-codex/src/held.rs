//! Sessions whose threads another process still works on. The app-server of a session that was moved needs a moment to let
//! go of its thread, so opening one is tried again for a while.

use super::core::Core;
use super::limits::{HELD, RETRY};
use super::session::Opening;
use sa_acp::{Job, failure};
use std::time::Duration;

/// A session that could not be opened.
#[derive(Debug)]
pub(super) struct Held {
    opening: Opening,
    /// The time at which it is tried again.
    at: Duration,
}

impl Held {
    pub(super) fn deadline(&self) -> Duration {
        self.at
    }

    pub(super) fn opening(&self) -> &Opening {
        &self.opening
    }
}

impl Core {
    /// Opens a session later that cannot be opened now, or refuses the client after a while.
    pub(super) fn hold(&mut self, mut opening: Opening, reason: &str) {
        let now = self.now.elapsed;
        let until = *opening.give_up.get_or_insert(now + HELD);
        if until <= now {
            let reason = format!("{reason}: another process still uses this session, try again later");
            return self.client.fail(&opening.key, &failure(reason, "busy"));
        }
        self.held.push(Held { opening, at: now + RETRY });
    }

    /// Tries again what is due.
    pub(super) fn open_held(&mut self) {
        let now = self.now.elapsed;
        for held in self.held.extract_if(.., |held| held.at <= now) {
            self.server.jobs.push_back(Job::Open(Box::new(held.opening)));
        }
    }
}
