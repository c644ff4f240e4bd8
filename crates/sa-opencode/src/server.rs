//! The server: started when it is needed first, and started again after it ended.

use super::launch::Launch;
use super::limits::PORTS;
use super::machine::Machine;
use super::native::about::Health;
use super::native::ask::{Permission, Questions};
use super::native::call::Call;
use super::native::event::Event;
use super::replies::{Asked, Outcome, Then};
use agent_client_protocol_schema::v1::Error;
use sa_acp::{Ended, ServerEnd, Session as _, failure, process_ended};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// The oldest version that is known to work.
const OLDEST: (u64, u64) = (1, 18);

impl Machine {
    /// Starts the server if there is none; `true` if it is ready.
    pub(super) fn ensure_server(&mut self) -> bool {
        if self.core.server.child().is_some() {
            return self.core.server.is_ready();
        }
        let launch = Launch { endpoint: self.core.host.endpoints.next() };
        let child = self.core.processes.start(launch);
        self.core.server.started(child);
        self.ready_by = Some(self.core.now.elapsed.saturating_add(self.core.host.limits.handshake));
        false
    }

    /// Events arrive from now on. What came to pass while they did not has to be asked for.
    pub(super) fn up(&mut self) {
        if !self.core.server.is_ready() {
            return self.core.ask_soon(&Call::get("/global/health"), Then::Health);
        }
        let busy = self.sessions.values().filter(|session| session.is_busy());
        let places: BTreeSet<PathBuf> = busy.map(|session| session.cwd().to_owned()).collect();
        for place in places {
            let (permissions, questions) = (Call::get("/permission"), Call::get("/question"));
            self.core.ask_soon(&permissions.within(&place), Then::Pending(Asked::Permissions));
            self.core.ask_soon(&questions.within(&place), Then::Pending(Asked::Questions));
        }
    }

    /// Questions that may not have been heard.
    pub(super) fn pending(&mut self, asked: Asked, outcome: &Outcome<'_>) {
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
                self.heard_of(&of.session, event);
            }
        }
    }

    pub(super) fn healthy(&mut self, outcome: &Outcome<'_>) {
        let health: Health = match outcome.read() {
            Ok(health) => health,
            Err(reason) => return self.give_up(&failure(reason, "handshake_failed")),
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
            return self.give_up(&error);
        }
        self.core.server.set_ready();
        self.ready_by = None;
    }

    /// The server takes too long to be ready.
    pub(super) fn enforce_ready(&mut self) {
        if self.ready_by.is_some_and(|deadline| deadline <= self.core.now.elapsed) {
            self.ready_by = None;
            self.give_up(&failure("OpenCode did not start in time", "handshake_failed"));
        }
    }

    /// The process is of no use: whoever waits for it is told why.
    fn give_up(&mut self, error: &Error) {
        self.dismiss();
        self.fail_jobs(error);
    }

    /// Ends the process and everything that it runs. What needs it waits for the next one.
    pub(super) fn dismiss(&mut self) {
        // The server does not end by itself.
        self.core.server.dismiss(&mut self.core.processes, Duration::ZERO);
    }

    /// Everything that was under way in the process fails with it. The next prompt of a session starts another one.
    pub(super) fn server_ended(&mut self, ended: &Ended) {
        let error = process_ended("OpenCode", ended, None);
        let (end, unanswered) = self.core.server.on_ended();
        if end != ServerEnd::Expected {
            tracing::warn!(code = ended.code, signal = ended.signal, "the server ended by itself");
        }
        self.core.registry.forget();
        self.ready_by = None;
        for then in unanswered {
            self.unanswerable(then, &error);
        }
        for session in self.sessions.values_mut() {
            session.server_lost(&mut self.core, &error);
        }
        if end != ServerEnd::Failed {
            return;
        }
        let is_taken = ["EADDRINUSE", "in use"].iter().any(|words| ended.stderr.contains(words));
        if is_taken && self.core.server.may_start_again(PORTS) {
            return;
        }
        // It would end in the same way again.
        self.fail_jobs(&error);
    }
}
