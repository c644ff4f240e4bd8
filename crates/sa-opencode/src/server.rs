//! The handshake with the server.

use super::core::Core;
use super::native::ask::{Permission, Questions};
use super::native::call::Call;
use super::native::event::Event;
use super::replies::{Outcome, PendingKind, Then};
use super::session::Session;
use sa_acp::{Served as _, Sessions, Version, failure};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The oldest version that is known to work.
const OLDEST: Version = Version(1, 18, 0);

impl Core {
    /// Handles the begin of the event stream. Questions that were asked before it are requested.
    pub(super) fn on_connected(&mut self, sessions: &Sessions<Session>) {
        if !self.server.is_ready() {
            return self.ask_soon(&Call::get("/global/health"), Then::Health);
        }
        let busy = sessions.values().filter(|session| session.is_busy());
        let places: BTreeSet<PathBuf> = busy.map(|session| session.cwd().to_owned()).collect();
        for place in places {
            let (permissions, questions) = (Call::get("/permission"), Call::get("/question"));
            self.ask_soon(&permissions.within(&place), Then::Pending(PendingKind::Permissions));
            self.ask_soon(&questions.within(&place), Then::Pending(PendingKind::Questions));
        }
    }

    /// Questions that may not have been heard.
    pub(super) fn on_pending(
        &mut self,
        sessions: &mut Sessions<Session>,
        kind: PendingKind,
        outcome: &Outcome<'_>,
    ) {
        for value in outcome.read::<Vec<Value>>().unwrap_or_default() {
            let Some(session) = value["sessionID"].as_str() else { continue };
            let event = match kind {
                PendingKind::Permissions => {
                    Permission::deserialize(&value).ok().map(|it| Event::Permission(Box::new(it)))
                }
                PendingKind::Questions => Questions::deserialize(&value).ok().map(Event::Questions),
            };
            if let Some(event) = event {
                self.on_session_event(sessions, session, event);
            }
        }
    }

    pub(super) fn on_health(&mut self, sessions: &mut Sessions<Session>, outcome: &Outcome<'_>) {
        let health: Value = match outcome.read() {
            Ok(health) => health,
            Err(reason) => return self.give_up(sessions, &failure(reason, "handshake_failed")),
        };
        let found = health["version"].as_str().unwrap_or_default();
        if Version::parse(found).is_some_and(|version| version < OLDEST) {
            return self.give_up(sessions, &OLDEST.required("OpenCode", Some(found)));
        }
        self.server.set_ready();
        self.ready_by = None;
    }
}
