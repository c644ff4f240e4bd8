//! The state machine of one session: `(Input, Now) -> Vec<Effect>`, without I/O, clock or randomness.
//!
//! ```text
//!             message            permission, question
//!   idle ────────────────► running ────────────────► requiresAction
//!    ▲ ◄──── turn ends ───────┘ ◄────── answer ──────────┘
//!    │                        │ agent ends
//!    └── started again ◄── interrupted (also after a restart of the daemon)          terminate, from anywhere ──► ended
//! ```
//!
//! The public state follows from three parts of the machine: the [`Phase`] of the agent, the [`Turn`] and the open [`Asks`].
//! Each input is worked into the record, the draft and these parts. Its effects begin with the commit of the draft, so
//! everything is stored before readers see it, and published before the agent or a client gets an answer.
//!
//! | in | an input | leads to |
//! |---|---|---|
//! | `Detached` | `Proceed` with a message, `Start`, `Resume` | `Starting` |
//! | `Starting` | `Prepared`, `Connected`, an answer, `HistoryRead` | its next step, then `Ready`; `Leaving` if it fails |
//! | `Starting` | `Cancel`, `Terminate` | `Leaving` |
//! | `Ready` | `Proceed` with a message | the turn starts; the next `Proceed` sends the prompt |
//! | `Ready` | a deadline: idle, or a cancelled turn that does not end | `Leaving` |
//! | `Leaving` | an answer, a deadline | `Detached`, `Starting` or `Ended` |
//! | any | the agent ends | `Detached` |
//! | any | `Terminate` | `Ended`, after at most one give-up, one close and one deletion |

use super::Effect;
use super::asks::Asks;
use super::change::Change;
use super::draft::{PendingChanges, Stored};
use super::ending::Ending;
use super::input::{Input, Now};
use super::phase::{Call, Phase, Why};
use super::queue::Queue;
use super::queueing::Arrivals;
use super::trace::Tracing;
use super::trial::Trial;
use super::turn::{Cause, Turn};
use crate::agent::{AgentFailure, CANCEL_REQUEST, FromAgent, Opens};
use crate::command::{Command, Reply};
use crate::error::Result;
use crate::history::History;
use crate::limits::SessionLimits;
use crate::policy::Policy;
use crate::record::{Decider, Record};
use sa_agents::TokenVariable;
use sa_api::AgentExit;
use sa_api::sessions::{
    CrashInfo, CrashKind, EventData, Notice, NoticeSeverity, QueuedMessage, SessionChoices, SessionState,
};
use sa_store::Listing;
use sa_universal::{ModeTable, Reducer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A message that an agent writes outside of turns is complete when nothing has come for this long.
const PAUSE: Duration = Duration::from_secs(2);
/// Output of tools that is too little for an event of its own is reported after this long.
const OUTPUT: Duration = Duration::from_secs(15);

/// The parts of a machine.
pub(crate) struct Setup {
    pub(crate) id: String,
    pub(crate) limits: SessionLimits,
    /// The agent's names of modes.
    pub(crate) modes: ModeTable,
    /// The variable in which the agent takes a credential.
    pub(crate) token: Result<TokenVariable, AgentFailure>,
    pub(crate) record: Record,
    pub(crate) policy: Policy,
    /// Variables for the agent's process alone.
    pub(crate) env: BTreeMap<String, String>,
    /// The session's entry in the store's list.
    pub(crate) listing: Listing,
    /// The id of the last event in the log.
    pub(crate) last: u64,
    pub(crate) tracing: Option<Tracing>,
}

pub(crate) struct Machine {
    pub(super) id: String,
    pub(super) limits: SessionLimits,
    pub(super) modes: ModeTable,
    pub(super) token: Result<TokenVariable, AgentFailure>,
    pub(super) now: Now,
    pub(super) phase: Phase,
    pub(super) turn: Turn,
    pub(super) asks: Asks,
    pub(super) queue: Queue,
    pub(super) record: Record,
    pub(super) policy: Policy,
    pub(super) env: BTreeMap<String, String>,
    pub(super) reducer: Reducer,
    pub(super) draft: PendingChanges,
    pub(super) stored: Stored,
    /// A client's change that is being stored.
    pub(super) trial: Option<Trial>,
    /// A client's change that the agent has taken, to be stored next.
    pub(super) applied: Option<Change>,
    /// A message was accepted that interrupts the turn. Its client is answered first, as stopping a turn has to be stored, too.
    pub(super) is_interrupted: bool,
    pub(super) arrivals: Arrivals,
    /// The conversation that the agent gets with the next message, if it does not know it any more.
    pub(super) history: History,
    /// The choices that readers of the log know of.
    pub(super) reported_choices: SessionChoices,
    pub(super) last_heard: Instant,
    /// The agent writes a message though no turn runs.
    pub(super) speaking: bool,
    /// The latest time at which output of tools that waits is reported.
    output_at: Option<Instant>,
    /// Clients want the session to end.
    pub(super) ending: Option<Ending>,
    pub(super) tracing: Tracing,
    calls: u64,
    effects: Vec<Effect>,
}

impl Machine {
    pub(crate) fn new(setup: Setup, now: Now) -> Self {
        let Setup { id, limits, modes, token, record, policy, env, listing, last, tracing } = setup;
        let mut reducer = Reducer::new(now.new_id("run"));
        if let Some(usage) = &record.usage {
            reducer.carry_usage(usage.clone());
        }
        let why = if record.state == SessionState::Starting { Why::New } else { Why::Lost };
        Self {
            id,
            limits,
            modes,
            token,
            now,
            phase: Phase::Detached(why),
            turn: Turn::None,
            asks: Asks::default(),
            queue: Queue::default(),
            reported_choices: record.choices.clone(),
            record,
            policy,
            env,
            reducer,
            draft: PendingChanges::default(),
            stored: Stored::new(listing, last),
            trial: None,
            applied: None,
            is_interrupted: false,
            arrivals: Arrivals::default(),
            history: History::Nothing,
            last_heard: now.instant,
            speaking: false,
            output_at: None,
            ending: None,
            tracing: tracing.unwrap_or_default(),
            calls: 0,
            effects: Vec::new(),
        }
    }

    /// Takes an input and returns what is to be done for it, the commit first.
    pub(crate) fn on(&mut self, input: Input, now: Now) -> Vec<Effect> {
        self.now = now;
        match input {
            Input::Recovered(leftovers) => self.on_recovered(*leftovers),
            Input::Command(command) => self.on_command(command),
            Input::Agent(messages) => messages.into_iter().for_each(|message| self.on_agent(message)),
            Input::CallFailed { call, failure } => self.on_call_failed(call, failure),
            Input::Prepared(outcome) => self.on_prepared(outcome),
            Input::Connected(outcome) => self.on_connected(outcome),
            Input::HistoryRead(history) => self.on_history_read(history),
            Input::KeyLookedUp(known) => self.on_key_looked_up(known),
            Input::Stored(outcome) => self.on_stored(outcome),
            // The agent was not read meanwhile, which is no silence of its own.
            Input::StoreRecovered => self.last_heard = now.instant,
            Input::StoreLost => self.on_store_lost(),
            Input::Time => self.on_time(),
            Input::Proceed => self.on_proceed(),
        }
        let asks = self.asks.len();
        if let Some(call) = self.phase.call_mut() {
            call.observe(asks, now.instant);
        }
        self.flush()
    }

    /// Returns the commit of what the input has changed, then everything else to be done.
    fn flush(&mut self) -> Vec<Effect> {
        self.settle();
        let commit = self.take_commit().map(|commit| match self.trial {
            Some(_) => Effect::TryCommit(commit),
            None => Effect::Commit(commit),
        });
        commit.into_iter().chain(std::mem::take(&mut self.effects)).collect()
    }

    pub(crate) fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the waiting messages as clients see them.
    pub(crate) fn queued(&self) -> Vec<QueuedMessage> {
        self.queue.describe()
    }

    /// Returns whether a [`Command`] that can wait is taken: nothing is under way but the agent's own work.
    pub(crate) fn takes_commands(&self) -> bool {
        self.is_settled() && self.ending.is_none()
    }

    fn is_settled(&self) -> bool {
        let phase = matches!(self.phase, Phase::Detached(_)) || self.phase.settled().is_some();
        phase && !self.turn.is_starting() && self.applied.is_none() && self.trial.is_none()
    }

    /// Does the next thing that needs no input of its own.
    fn on_proceed(&mut self) {
        if let Some(change) = self.applied.take() {
            return self.store_change(change);
        }
        if std::mem::take(&mut self.is_interrupted) && !self.turn.is_none() {
            return self.stop_turn(Cause::Client);
        }
        if self.phase.settled().is_some() && self.continue_turn() {
            return;
        }
        if !self.is_settled() {
            return;
        }
        if self.ending.is_some() {
            return self.terminate();
        }
        if self.hold_mode() || !self.turn.is_none() || self.record.queue_held {
            return;
        }
        if let Some(message) = self.queue.pop() {
            self.begin_turn(message);
        }
    }

    fn on_command(&mut self, command: Command) {
        match command {
            Command::Start { reply } => self.on_start(reply),
            Command::Patch { patch, reply } => self.on_patch(*patch, reply),
            Command::Resume { reply } => self.on_resume(reply),
            Command::Relinquish { reply } => self.on_relinquish(reply),
            Command::Question { id, answers, reply } => {
                let outcome = self.answer_question(&id, answers);
                self.reply(reply, outcome);
            }
            Command::Permission { id, decision, reply } => {
                let outcome = self.answer_permission(&id, decision);
                self.reply(reply, outcome);
            }
            Command::Cancel { reply } => self.on_cancel(reply),
            Command::Withdraw { message_id, reply } => self.on_withdraw(&message_id, reply),
            Command::Reorder { message_ids, reply } => self.on_reorder(&message_ids, reply),
            Command::Post { message, reply } => self.on_post(*message, reply),
            Command::Terminate { native, reply } => self.on_terminate(native, reply),
        }
    }

    fn on_agent(&mut self, message: FromAgent) {
        // Messages that follow the agent's end in one batch have no session any more.
        if self.phase.link().is_none() {
            return;
        }
        self.last_heard = self.now.instant;
        match message {
            FromAgent::Notification { method, params } => self.on_notification(&method, &params),
            FromAgent::Request { id, method, params } => self.on_request(id, &method, &params),
            FromAgent::Response { call, outcome } => self.on_response(call, outcome),
            FromAgent::Unparsed(unparsed) => {
                let details = serde_json::to_value(&unparsed).ok();
                let message = format!("the agent wrote a line that is no message: {}", unparsed.reason);
                self.report_error(CrashKind::Unparsed, message, details);
            }
            FromAgent::Gap => {
                let message = "messages of the agent were lost: the daemon could not take them in time";
                self.report_error(CrashKind::Gap, message.to_owned(), None);
            }
            FromAgent::Ended(exit) => self.on_agent_ended(exit),
        }
    }

    fn on_notification(&mut self, method: &str, params: &RawValue) {
        match method {
            "session/update" => {
                let events = self.reducer.update(params);
                self.speaking |= self.turn.is_none() && !events.is_empty();
                self.note(events);
                if self.reducer.is_behind() {
                    self.output_at.get_or_insert(self.now.instant + OUTPUT);
                }
            }
            "elicitation/complete" => self.on_visited(params),
            CANCEL_REQUEST => self.on_request_withdrawn(params),
            // A notification does not have to be understood.
            _ => tracing::debug!(session = %self.id, method, "the agent sent an unknown notification"),
        }
    }

    /// Hands an answer of the agent to the turn or to the phase that waits for it.
    fn on_response(&mut self, call: u64, outcome: Result<Box<RawValue>, crate::agent::RpcError>) {
        if self.turn.prompted().is_some_and(|prompted| prompted.call == call) {
            self.on_turn_answered(outcome);
        } else if let Some(method) = self.awaited(call) {
            self.on_answer(outcome.map_err(|error| AgentFailure::refused(method, error)));
        }
    }

    fn on_call_failed(&mut self, call: u64, failure: AgentFailure) {
        if self.turn.prompted().is_some_and(|prompted| prompted.call == call) {
            match failure.exit().cloned() {
                // The call noticed the agent's end before the session did. The end comes after the agent's last messages.
                Some(exit) if exit != AgentExit::default() => {}
                Some(exit) => self.on_agent_ended(exit),
                None => self.fail_turn(&failure),
            }
        } else if self.awaited(call).is_some() {
            self.on_answer(Err(failure));
        }
    }

    /// Returns the method of the call that the phase waits for, if it is this one.
    fn awaited(&mut self, call: u64) -> Option<&'static str> {
        self.phase.call_mut().filter(|waiting| waiting.id == call).map(|waiting| waiting.method)
    }

    fn on_answer(&mut self, outcome: Result<Box<RawValue>, AgentFailure>) {
        match self.take_phase() {
            Phase::Starting(start) => self.on_start_answer(start.request, start.step, outcome),
            Phase::Ready(ready) => self.on_setting_answer(ready, outcome),
            Phase::Leaving(leaving) => self.on_leaving_answer(*leaving, &outcome),
            idle @ (Phase::Detached(_) | Phase::Ended) => self.phase = idle,
        }
    }

    pub(super) fn take_phase(&mut self) -> Phase {
        std::mem::replace(&mut self.phase, Phase::Detached(Why::Lost))
    }

    /// Returns when the machine wants [`Input::Time`].
    pub(crate) fn deadline(&mut self) -> Option<Instant> {
        let all = [
            self.phase.call_mut().and_then(|call| call.deadline()),
            self.phase.retry_at(),
            self.asks.deadline(),
            self.cancelled_by(),
            self.silence_at(),
            self.speaking.then(|| self.last_heard + PAUSE),
            self.output_at,
            self.idle_at(),
        ];
        all.into_iter().flatten().min()
    }

    fn on_time(&mut self) {
        let now = self.now.instant;
        self.expire_asks();
        if self.speaking && self.turn.is_none() && self.last_heard + PAUSE <= now {
            self.speaking = false;
            let events = self.reducer.end_turn();
            self.note(events);
        }
        if self.output_at.is_some_and(|at| at <= now) {
            self.output_at = None;
            let events = self.reducer.catch_up();
            self.note(events);
        }
        if let Some(call) = self.phase.call_mut().filter(|call| call.deadline().is_some_and(|by| by <= now)) {
            let late = call.late();
            return self.on_answer(Err(late));
        }
        if self.phase.retry_at().is_some_and(|until| until <= now) {
            self.on_pause_over();
        } else if self.cancelled_by().is_some_and(|by| by <= now) {
            self.abandon_turn();
        } else if self.silence_at().is_some_and(|at| at <= now) {
            self.on_silence();
        } else if self.idle_at().is_some_and(|at| at <= now) {
            self.shut_down_idle();
        }
    }

    /// Returns until when the agent has to end a turn that was cancelled. It has time while it takes settings.
    fn cancelled_by(&self) -> Option<Instant> {
        match &self.turn {
            Turn::Cancelling { by, .. } => self.phase.settled().map(|_| *by),
            _ => None,
        }
    }

    /// Returns when the agent has said nothing for too long, if it has to say something.
    fn silence_at(&self) -> Option<Instant> {
        let limit =
            self.limits.silence().filter(|_| self.asks.is_empty() && self.phase.settled().is_some())?;
        matches!(self.turn, Turn::Running(_)).then(|| self.last_heard + limit)
    }

    /// Returns when the agent is shut down if nothing happens until then. One that could not continue its session never is.
    fn idle_at(&self) -> Option<Instant> {
        let idle = self.limits.idle().filter(|_| self.turn.is_none() && self.asks.is_empty())?;
        self.phase.settled().filter(|link| link.can_return()).map(|_| self.last_heard + idle)
    }

    /// Takes events into the draft, and what they say of the session into the record.
    pub(super) fn note(&mut self, events: Vec<EventData>) {
        for event in events {
            match &event {
                EventData::Usage(usage) => self.note_usage(usage),
                EventData::ModeChanged(_) => {
                    self.record.choices.clone_from(self.reducer.choices());
                    self.follow_mode();
                    continue;
                }
                EventData::InfoChanged(_) if self.record.title_by == Decider::Client => continue,
                EventData::InfoChanged(info) => self.record.title.clone_from(&info.title),
                _ => {}
            }
            self.draft.event(event);
        }
    }

    pub(super) fn warn(&mut self, title: &str, description: String) {
        self.notice(NoticeSeverity::Warning, title, description);
    }

    pub(super) fn notice(&mut self, severity: NoticeSeverity, title: &str, description: String) {
        let notice = Notice { severity, title: title.to_owned(), description: Some(description) };
        self.draft.event(EventData::Notice(notice));
    }

    pub(super) fn report_error(&mut self, kind: CrashKind, message: String, details: Option<Value>) {
        let turn_id = self.turn.id();
        self.draft.event(EventData::Error(CrashInfo { message, kind, turn_id, exit: None, details }));
    }

    /// Sets the public state.
    fn settle(&mut self) {
        let waits = !self.record.questions.is_empty() || !self.record.permissions.is_empty();
        let state = match &self.phase {
            Phase::Ended => return,
            Phase::Starting(_) | Phase::Detached(Why::New) => SessionState::Starting,
            Phase::Leaving(leaving) if leaving.then.is_part_of_start() => SessionState::Starting,
            _ if waits => SessionState::RequiresAction,
            _ if !self.turn.is_none() => SessionState::Running,
            Phase::Ready(_) | Phase::Leaving(_) | Phase::Detached(Why::IdleShutdown) => SessionState::Idle,
            Phase::Detached(Why::Lost) => SessionState::Interrupted,
        };
        if self.record.state != state {
            self.record.state = state;
            self.draft.touch();
        }
    }

    /// Sends a request that the phase waits for.
    pub(super) fn call(
        &mut self,
        method: &'static str,
        params: Value,
        opens: Opens,
        limit: Duration,
    ) -> Call {
        let call = self.send(method, params, opens);
        Call::new(call, method, limit, self.asks.len(), self.now.instant)
    }

    /// Sends a request and returns its number.
    pub(super) fn send(&mut self, method: &'static str, params: Value, opens: Opens) -> u64 {
        self.calls += 1;
        self.effect(Effect::Call { call: self.calls, method, params, opens });
        self.calls
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(super) fn reply<T: Send + 'static>(&mut self, reply: Reply<T>, outcome: Result<T>) {
        self.effect(Effect::Reply(reply.with(outcome)));
    }
}
