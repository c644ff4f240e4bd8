//! The owner of one session: the only task that changes its record, its log and its agent.
//!
//! ```text
//!             message            permission, question
//!   idle ────────────────► running ────────────────► requiresAction
//!    ▲ ◄──── turn's end ──────┘ ◄────── answer ──────────┘
//!    │                        │ agent's end
//!    └── started anew ◄── interrupted (also after a restart of the daemon)           terminate, from anywhere ──► ended
//! ```
//!
//! What the agent says is reduced to events; they are committed to the store, with whatever else changed, before a
//! reader sees them and before the agent is answered. `starting` is how the agent's own session comes to be, `queueing` and `turns`
//! what becomes of messages, `asking` of questions and permissions, `settings` and `environment` of changes, `resting` of agents without work, `ending` of everything at the end.

mod allowing;
mod asking;
mod calling;
mod committing;
mod ending;
mod environment;
mod queue;
mod queueing;
mod reasking;
mod resting;
mod settings;
mod spans;
mod starting;
mod surroundings;

mod turns;
mod usage;

use crate::SessionError;
use crate::agent::{AgentFailure, CANCEL_REQUEST, Connection, FromAgent, Slot};
use crate::command::{Command, Urgent};
use crate::history::History;
use crate::parts::Parts;
use crate::policy::Policy;
use crate::record::Record;
use crate::shared::Shared;
use crate::transcript::Marker;
use crate::verdict::Verdict;
use asking::Asked;
use committing::Draft;
use ending::Ending;
use queue::Queue;
use sa_api::sessions::{CrashInfo, CrashKind, EventData, SessionChoices, SessionState, WithdrawnBy};
use sa_otlp::{TraceContext, TurnTracer};
use sa_store::Listing;
use sa_universal::Reducer;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use turns::{Running, named};

/// What an agent says is taken in batches of this many messages, so that a fast one costs one commit, not many.
const BATCH: usize = 1024;
/// A message that an agent writes outside of turns is complete when nothing has come for this long.
const PAUSE: Duration = Duration::from_secs(2);

/// Output of tools that is too little for an event of its own is reported after this long.
const OUTPUT: Duration = Duration::from_secs(15);

/// What an owner is made of.
pub(crate) struct OwnerParts {
    pub(crate) shared: Arc<Shared>,
    pub(crate) parts: Arc<Parts>,
    pub(crate) record: Record,
    pub(crate) policy: Policy,
    /// Variables for the agent's process alone.
    pub(crate) env: BTreeMap<String, String>,
    /// How the store lists the session.
    pub(crate) listing: Listing,
    pub(crate) commands: mpsc::Receiver<Command>,
    pub(crate) urgent: mpsc::Receiver<Urgent>,
}

pub(crate) struct Owner {
    shared: Arc<Shared>,
    parts: Arc<Parts>,
    record: Record,
    policy: Policy,
    env: BTreeMap<String, String>,
    commands: mpsc::Receiver<Command>,
    urgent: mpsc::Receiver<Urgent>,
    reducer: Reducer,
    draft: Draft,
    marker: Marker,
    link: Option<Link>,
    turn: Option<Running>,
    queue: Queue,
    asked: Vec<Asked>,
    /// Who decided on what, the newest last: for those who come too late.
    decided: VecDeque<Verdict>,
    /// What the agent is told of the conversation with the next message, if it does not know it any more.
    history: History,
    /// Tells whether the record differs from what is stored.
    stored_record: Option<u64>,
    /// How the store lists the session, if that is known.
    stored_listing: Option<Listing>,
    /// A client has cancelled while the agent was being started.
    given_up: bool,
    /// The agent runs with another environment than the session has now.
    renew: bool,
    /// The agent was let go because it had nothing to do.
    resting: bool,
    /// The agent is being given other settings.
    applying: bool,
    /// The choices that readers of the log know of.
    told_choices: SessionChoices,
    /// The agent has given itself a mode in which it asks less than it has to.
    is_too_loose: bool,
    /// The log has why the agent of this turn has ended.
    exit_told: bool,
    last_heard: Instant,
    /// The agent writes a message though no turn runs.
    speaking: bool,
    /// The agent is to close its session.
    closing: bool,
    /// Clients want the session to end.
    ending: Option<Ending>,
    /// When output of tools that waits is reported at the latest.
    output_at: Option<Instant>,
    /// Makes spans of events, if somebody collects them.
    tracer: Option<TurnTracer>,
    /// The context of the turn that runs.
    trace: Option<TraceContext>,
    done: bool,
}

/// A session of the agent's own.
pub(crate) struct Link {
    /// Shows clients which server it is.
    _shown: ShownServer,
    /// Keeps the agent's process alive.
    slot: Arc<Slot>,
    connection: Connection,
    line: mpsc::Sender<FromAgent>,
    incoming: mpsc::Receiver<FromAgent>,
    /// The process ran before this session came to it.
    joined: bool,
    /// The agent's session whose messages come here.
    native: Option<String>,
    /// The agent has opened that session.
    open: bool,
    /// The agent has also accepted all settings.
    ready: bool,
    /// The agent has no mode that never asks, so permissions are given here.
    allow_all: bool,
}

/// Shows the ACP server of a session for as long as the session uses it.
struct ShownServer(Arc<Shared>);

impl ShownServer {
    fn new(shared: &Arc<Shared>, server: &str) -> Self {
        shared.set_server(Some(server.to_owned()));
        Self(Arc::clone(shared))
    }
}

impl Drop for ShownServer {
    fn drop(&mut self) {
        self.0.set_server(None);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(native) = &self.native {
            self.connection.release(native, &self.line);
        }
    }
}

impl Owner {
    pub(crate) fn new(parts: OwnerParts) -> Self {
        let OwnerParts { shared, parts, record, policy, env, listing, commands, urgent } = parts;
        let mut reducer = Reducer::new(named("run"));
        let told_choices = record.choices.clone();
        if let Some(usage) = &record.usage {
            reducer.carry_usage(usage.clone());
        }
        let tracer = spans::tracer(&parts, &shared.id, &record.request.agent, &env);
        Self {
            shared,
            parts,
            record,
            policy,
            env,
            commands,
            urgent,
            reducer,
            draft: Draft::default(),
            marker: Marker::default(),
            link: None,
            turn: None,
            queue: Queue::default(),
            asked: Vec::new(),
            decided: VecDeque::new(),
            history: History::Nothing,
            stored_record: None,
            stored_listing: Some(listing),
            given_up: false,
            renew: false,
            resting: false,
            applying: false,
            told_choices,
            is_too_loose: false,
            exit_told: false,
            last_heard: Instant::now(),
            speaking: false,
            closing: false,
            ending: None,
            output_at: None,
            tracer,
            trace: None,
            done: false,
        }
    }

    /// Runs until the session is terminated or the daemon stops.
    pub(crate) async fn run(mut self) {
        self.recover().await;
        self.shared.recovered.cancel();
        while !self.done {
            self.hold_mode().await;
            self.advance().await;
            if self.ending.is_some() {
                self.terminate().await;
                continue;
            }
            let deadline = self.next_deadline();
            tokio::select! {
                Some(urgent) = self.urgent.recv() => self.urgent(urgent).await,
                Some(command) = self.commands.recv() => self.command(command).await,
                input = heard(&mut self.link) => self.take(input).await,
                () = at(deadline) => self.time_passed().await,
            }
        }
    }

    async fn command(&mut self, command: Command) {
        match command {
            Command::Start { reply } => {
                let outcome = self.start().await;
                drop(reply.send(outcome));
            }
            Command::Patch { patch, reply } => {
                let outcome = self.patch(*patch).await;
                drop(reply.send(outcome));
            }
            Command::Resume { reply } => {
                self.resume().await;
                drop(reply.send(Ok(())));
            }
            Command::Relinquish { reply } => {
                let outcome = self.relinquish().await;
                drop(reply.send(outcome));
            }
        }
    }

    /// Starts the agent for a new session. Readers of its log are told, too, why it does not start.
    async fn start(&mut self) -> Result<(), AgentFailure> {
        self.exit_told = false;
        let outcome = self.ensure_agent().await;
        if let Err(failure) = &outcome
            && !self.exit_told
            && !matches!(failure, AgentFailure::GivenUp)
        {
            self.tell_failure(failure);
        }
        self.commit().await;
        outcome
    }

    async fn urgent(&mut self, urgent: Urgent) {
        match urgent {
            Urgent::Question { id, answers, reply } => {
                let outcome = self.answer_question(&id, answers).await;
                drop(reply.send(outcome));
            }
            Urgent::Permission { id, decision, reply } => {
                let outcome = self.answer_permission(&id, decision).await;
                drop(reply.send(outcome));
            }
            Urgent::Cancel { reply } => {
                let outcome = self.cancel(WithdrawnBy::Cancelled).await;
                drop(reply.send(outcome));
            }
            Urgent::Withdraw { message_id, reply } => {
                let outcome = self.withdraw_message(&message_id).await;
                drop(reply.send(outcome));
            }
            Urgent::Reorder { message_ids, reply } => {
                let outcome = self.reorder_queue(&message_ids).await;
                drop(reply.send(outcome));
            }
            Urgent::Post { reply, .. } if self.ending.is_some() => drop(reply.send(Err(SessionError::Ended))),
            Urgent::Post { message, reply } => {
                // Everything that the agent has said so far comes before the message.
                self.commit().await;
                // A client that got an error meanwhile, as nothing can be stored, sends it again.
                if reply.is_closed() {
                    return;
                }
                let outcome = self.accept(*message).await;
                drop(reply.send(outcome));
            }
            Urgent::Terminate { forget, reply } => {
                self.ending.get_or_insert_default().join(forget, reply);
            }
        }
    }

    /// Takes what the agent said, and what else it has said meanwhile.
    async fn take(&mut self, first: Option<FromAgent>) {
        let mut next = first;
        for _ in 0..BATCH {
            match next {
                Some(input) => self.input(input),
                None => break,
            }
            next = self.link.as_mut().and_then(|link| link.incoming.try_recv().ok());
        }
        if let Some(input) = next {
            self.input(input);
        }
        self.commit().await;
    }

    /// Works one message of the agent's into the draft.
    fn input(&mut self, input: FromAgent) {
        self.last_heard = Instant::now();
        match input {
            FromAgent::Notification { method, params } => self.told(&method, &params),
            FromAgent::Request { id, method, params } => self.asks(id, &method, &params),
            FromAgent::Response { call, outcome } => {
                if self.turn.as_ref().is_some_and(|turn| turn.call == Some(call)) {
                    self.turn_answered(outcome);
                }
            }
            FromAgent::Unparsed(unparsed) => self.draft.event(EventData::Error(CrashInfo {
                message: format!("the agent wrote a line that is no message: {}", unparsed.reason),
                kind: CrashKind::Unparsed,
                turn_id: self.turn_id(),
                exit: None,
                details: serde_json::to_value(&unparsed).ok(),
            })),
            FromAgent::Gap => self.draft.event(EventData::Error(CrashInfo {
                message: "messages of the agent were lost: the daemon could not take them in time".to_owned(),
                kind: CrashKind::Gap,
                turn_id: self.turn_id(),
                ..CrashInfo::default()
            })),
            FromAgent::Ended(exit) => self.agent_ended(exit),
        }
    }

    fn told(&mut self, method: &str, params: &RawValue) {
        match method {
            "session/update" => {
                let events = self.reducer.update(params);
                self.speaking |= self.turn.is_none() && !events.is_empty();
                self.note(events);
                if self.reducer.is_behind() {
                    self.output_at.get_or_insert_with(|| Instant::now() + OUTPUT);
                }
            }
            "elicitation/complete" => self.visited(params),
            CANCEL_REQUEST => self.taken_back(params),
            // Nothing that is told has to be understood.
            _ => tracing::debug!(session = %self.shared.id, method, "the agent told something else"),
        }
    }

    /// Takes events into the draft, and what they say of the session into the record.
    fn note(&mut self, events: Vec<EventData>) {
        for event in events {
            match &event {
                EventData::Usage(usage) => self.note_usage(usage),
                EventData::ModeChanged(_) => {
                    self.record.choices.clone_from(self.reducer.choices());
                    self.follow_mode();
                    if self.has_settled() {
                        self.tell_choices();
                    }
                    continue;
                }
                EventData::InfoChanged(_) if self.record.titled => continue,
                EventData::InfoChanged(info) => self.record.title.clone_from(&info.title),
                _ => {}
            }
            self.draft.event(event);
        }
    }

    fn turn_id(&self) -> Option<String> {
        self.turn.as_ref().map(|turn| turn.turn_id.clone())
    }

    /// Sets the state that follows from what is going on.
    fn settle(&mut self) {
        let waits = !self.record.questions.is_empty() || !self.record.permissions.is_empty();
        let state = match (&self.turn, &self.link) {
            _ if waits => SessionState::RequiresAction,
            (Some(_), _) => SessionState::Running,
            (None, Some(link)) if link.ready => SessionState::Idle,
            (None, None) if self.resting => SessionState::Idle,
            _ => SessionState::Interrupted,
        };
        if self.record.state != state {
            self.record.state = state;
            self.draft.touch();
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let silence = || Some(self.last_heard + self.parts.limits.silence().filter(|_| self.has_to_speak())?);
        let asked = self.asked.iter().filter_map(|asked| asked.deadline).min();
        let cancelled = self.turn.as_ref().and_then(|turn| turn.cancel_by);
        let pause = self.speaking.then(|| self.last_heard + PAUSE);
        [silence(), asked, cancelled, pause, self.output_at, self.rests_at()].into_iter().flatten().min()
    }

    /// Returns whether it is the agent's turn to say something. One that was asked to stop has another limit for that.
    fn has_to_speak(&self) -> bool {
        self.asked.is_empty() && self.turn.as_ref().is_some_and(|turn| turn.cancel_by.is_none())
    }

    async fn time_passed(&mut self) {
        let now = Instant::now();
        self.expire_asked(now);
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
        if self.turn.as_ref().and_then(|turn| turn.cancel_by).is_some_and(|by| by <= now) {
            self.abandon_turn().await;
        } else if let Some(silence) = self.parts.limits.silence()
            && self.has_to_speak()
            && self.last_heard + silence <= now
        {
            self.silent(silence).await;
        }
        self.rest(now).await;
        self.commit().await;
    }
}

/// The next message of the agent's; never, if there is none.
async fn heard(link: &mut Option<Link>) -> Option<FromAgent> {
    match link {
        Some(link) => link.incoming.recv().await,
        None => std::future::pending().await,
    }
}

/// That moment; never, if there is none.
async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
