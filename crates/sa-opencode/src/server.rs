//! The handshake with the server.

use super::core::Core;
use super::native::about::Health;
use super::native::ask::{Permission, Questions};
use super::native::call::Call;
use super::native::event::Event;
use super::replies::{Asked, Outcome, Then};
use super::session::Session;
use sa_acp::{Served as _, Session as _, Sessions, failure};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The oldest version that is known to work.
const OLDEST: (u64, u64) = (1, 18);

impl Core {
    /// Events arrive from now on. What came to pass while they did not has to be asked for.
    pub(super) fn on_connected(&mut self, sessions: &Sessions<Session>) {
        if !self.server.is_ready() {
            return self.ask_soon(&Call::get("/global/health"), Then::Health);
        }
        let busy = sessions.values().filter(|session| session.is_busy());
        let places: BTreeSet<PathBuf> = busy.map(|session| session.cwd().to_owned()).collect();
        for place in places {
            let (permissions, questions) = (Call::get("/permission"), Call::get("/question"));
            self.ask_soon(&permissions.within(&place), Then::Pending(Asked::Permissions));
            self.ask_soon(&questions.within(&place), Then::Pending(Asked::Questions));
        }
    }

    /// Questions that may not have been heard.
    pub(super) fn pending(&mut self, sessions: &mut Sessions<Session>, asked: Asked, outcome: &Outcome<'_>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct OfSession {
            #[serde(rename = "sessionID")]
            session: String,
        }
        for value in outcome.read::<Vec<Value>>().unwrap_or_default() {
            let Ok(of) = OfSession::deserialize(&value) else { continue };
            let event = match asked {
                Asked::Permissions => {
                    Permission::deserialize(&value).ok().map(|it| Event::Permission(Box::new(it)))
                }
                Asked::Questions => Questions::deserialize(&value).ok().map(Event::Questions),
            };
            if let Some(event) = event {
                self.on_session_event(sessions, &of.session, event);
            }
        }
    }

    pub(super) fn healthy(&mut self, sessions: &mut Sessions<Session>, outcome: &Outcome<'_>) {
        let health: Health = match outcome.read() {
            Ok(health) => health,
            Err(reason) => return self.give_up(sessions, &failure(reason, "handshake_failed")),
        };
        let mut numbers = health.version.split('.').map(|number| number.parse::<u64>().ok());
        // A number of another form is not ours to judge.
        if let (Some(Some(major)), Some(Some(minor))) = (numbers.next(), numbers.next())
            && (major, minor) < OLDEST
        {
            let (version, oldest) = (health.version, format!("{}.{}.0", OLDEST.0, OLDEST.1));
            let mut error = failure(
                format!("OpenCode {oldest} or newer is needed; this is {version}"),
                "version_too_old",
            );
            error.data =
                Some(json!({ "errorKind": "version_too_old", "version": version, "oldest": oldest }));
            return self.give_up(sessions, &error);
        }
        self.server.set_ready();
        self.ready_by = None;
    }

    /// The server takes too long to be ready.
    pub(super) fn enforce_ready(&mut self, sessions: &mut Sessions<Session>) {
        if self.ready_by.is_some_and(|deadline| deadline <= self.now.elapsed) {
            self.ready_by = None;
            self.give_up(sessions, &failure("OpenCode did not start in time", "handshake_failed"));
        }
    }
}
