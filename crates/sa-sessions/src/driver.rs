//! The task of one session: takes what happens to the machine, and executes its effects in order.
//!
//! ```text
//!   clients ──── Command ──────►┐                ┌─► commit ─► publish
//!   agent ──── FromAgent ──────►│ Input ─► Machine ─► Effects ─► send ─► reply
//!   jobs, deadlines ───────────►┘                └─► start jobs
//! ```
//!
//! While the store refuses a commit, the effects after it wait. Meanwhile the agent is not read, and clients get the store's
//! error.

mod context;
mod jobs;
mod leftovers;
mod link;

use crate::agent::{AgentFailure, FromAgent, Process};
use crate::command::Command;
use crate::log::EventLine;
use crate::parts::Parts;
use crate::session::{CLOSING, Commit, Effect, Input, Machine, Now};
use crate::shared::{Inbox, Shared, Shown, Takes};
use futures_util::future::{BoxFuture, OptionFuture};
use link::AgentLink;
use sa_api::Timestamp;
use sa_store::{Committed, StoreError};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;
use uuid::Uuid;

/// Pause before the store is tried again, when the disk is full or the like.
const RETRY: Duration = Duration::from_secs(1);

pub(crate) use jobs::setup;

pub(crate) struct Driver {
    shared: Arc<Shared>,
    parts: Arc<Parts>,
    machine: Machine,
    inbox: Inbox,
    link: Option<AgentLink>,
    /// The job of the agent's start.
    start: Option<BoxFuture<'static, JobDone>>,
    /// The job that looks up an idempotency key.
    lookup: Option<BoxFuture<'static, JobDone>>,
    /// Effects that are not executed yet.
    effects: VecDeque<Effect>,
    /// Inputs that executed effects have led to.
    inputs: VecDeque<Input>,
    state: State,
}

enum State {
    Running,
    /// The store refuses the commit that is first among the effects.
    Stalled {
        error: StoreError,
        retry_at: Instant,
    },
    Stopped,
}

/// Outcome of a job.
enum JobDone {
    Input(Box<Input>),
    Connected(Result<Process, AgentFailure>),
}

/// Something that the driver has waited for.
enum Event {
    Command(Command),
    Agent(FromAgent),
    Job(JobDone),
    Time,
    Stop,
}

impl Driver {
    pub(crate) fn new(shared: Arc<Shared>, parts: Arc<Parts>, machine: Machine, inbox: Inbox) -> Self {
        Self {
            shared,
            parts,
            machine,
            inbox,
            link: None,
            start: None,
            lookup: None,
            effects: VecDeque::new(),
            inputs: VecDeque::new(),
            state: State::Running,
        }
    }

    /// Runs until the session is terminated or the daemon stops.
    pub(crate) async fn run(mut self) {
        let record = self.machine.record();
        let leftovers = leftovers::read(&self.shared, &self.parts, record, &mut self.inbox).await;
        self.inputs.push_back(Input::Recovered(Box::new(leftovers)));
        self.work().await;
        self.shared.recovered.cancel();
        while !matches!(self.state, State::Stopped) {
            let event = self.next_event().await;
            self.on_event(event);
            self.work().await;
        }
        self.refuse_waiting().await;
    }

    /// Takes no more commands, and drops those that wait: their senders find the session gone. Waits for senders
    /// that have their place in a queue already: what they put there after it was dropped would never be answered.
    async fn refuse_waiting(&mut self) {
        for commands in [&mut self.inbox.commands, &mut self.inbox.urgent] {
            commands.close();
            while commands.recv().await.is_some() {}
        }
    }

    async fn next_event(&mut self) -> Event {
        let is_running = matches!(self.state, State::Running);
        let takes = match is_running && !self.machine.takes_commands() {
            true => Takes::Urgent,
            false => Takes::All,
        };
        let deadline = match &self.state {
            State::Stalled { retry_at, .. } => Some(*retry_at),
            _ => self.machine.deadline().map(Instant::from_std),
        };
        let heard = OptionFuture::from(self.link.as_mut().filter(|_| is_running).map(AgentLink::receive));
        let started = OptionFuture::from(self.start.as_mut().filter(|_| is_running));
        let looked_up = OptionFuture::from(self.lookup.as_mut().filter(|_| is_running));
        let time = OptionFuture::from(deadline.map(tokio::time::sleep_until));
        tokio::select! {
            command = self.inbox.next(takes) => Event::Command(command),
            Some(message) = heard => Event::Agent(message),
            Some(done) = started => Event::Job(done),
            Some(done) = looked_up => Event::Job(done),
            Some(()) = time => Event::Time,
            () = self.shared.stop.cancelled() => Event::Stop,
        }
    }

    fn on_event(&mut self, event: Event) {
        if let State::Stalled { error, .. } = &self.state {
            let error = error.clone().into();
            match event {
                Event::Command(command) => command.fail(error),
                Event::Stop => self.state = State::Stopped,
                _ => self.state = State::Running,
            }
            return;
        }
        let input = match event {
            Event::Command(command) => Input::Command(command),
            Event::Agent(first) => match &mut self.link {
                Some(link) => Input::Agent(link.batch(first)),
                None => return,
            },
            Event::Job(done) => self.on_job_done(done),
            Event::Time => Input::Time,
            Event::Stop => {
                self.state = State::Stopped;
                return;
            }
        };
        self.notice_end(&input);
        self.inputs.push_back(input);
    }

    /// Puts the end of an agent before an input that may need the agent.
    fn notice_end(&mut self, input: &Input) {
        let needs_agent = matches!(input, Input::Command(_) | Input::Proceed);
        if let Some(link) = self.link.as_mut().filter(|_| needs_agent)
            && let Some(messages) = link.last_messages()
        {
            self.inputs.push_back(Input::Agent(messages));
        }
    }

    /// Feeds the machine and executes its effects, until it needs something new to happen or the store stalls.
    ///
    /// A stop waits for the effects of the last input, and for the outcome of what a client wanted stored: a client whose message
    /// was stored gets the answer that says so.
    async fn work(&mut self) {
        while let State::Running = self.state {
            if let Some(effect) = self.effects.pop_front() {
                self.execute(effect).await;
                continue;
            }
            let is_outcome = matches!(self.inputs.front(), Some(Input::Stored(_)));
            if self.shared.stop.is_cancelled() && !is_outcome {
                self.state = State::Stopped;
                return;
            }
            if self.inputs.is_empty() {
                self.notice_end(&Input::Proceed);
            }
            let input = self.inputs.pop_front().unwrap_or(Input::Proceed);
            let is_last = matches!(input, Input::Proceed);
            self.effects = self.machine.on(input, now()).into();
            if is_last && self.effects.is_empty() {
                return;
            }
        }
    }

    async fn execute(&mut self, effect: Effect) {
        match effect {
            Effect::Commit(commit) => self.commit(commit).await,
            Effect::TryCommit(commit) => self.try_commit(commit).await,
            Effect::Show => self.shared.show(self.machine.record(), self.machine.queued()),
            Effect::ShowTrace(trace) => self.shared.state().trace = trace,
            Effect::ShowEnvironment(env) => self.shared.state().env = env,
            Effect::CountTurn => drop(self.parts.totals.turns.fetch_add(1, Ordering::Relaxed)),
            Effect::CountEnd(turn) => self.parts.totals.turn_figures.add(&turn),
            Effect::Adopt(native) => {
                if let Some(link) = &mut self.link {
                    link.adopt(native);
                }
            }
            Effect::Call { call, method, params, opens } => {
                let sent = match &self.link {
                    Some(link) => link.call(call, method, &params, opens).await,
                    None => Err(AgentFailure::Ended(Default::default())),
                };
                if let Err(failure) = sent {
                    self.inputs.push_back(Input::CallFailed { call, failure });
                }
            }
            Effect::Notify { method, params } => {
                if let Some(link) = &self.link {
                    link.notify(method, &params).await;
                }
            }
            Effect::Answer { request, outcome } => {
                if let Some(link) = &self.link {
                    link.answer(&request, &outcome).await;
                }
            }
            Effect::Retire => {
                if let Some(link) = &self.link {
                    link.retire();
                }
            }
            Effect::Leave => self.link = None,
            Effect::Reply(answer) => answer(),
            Effect::Start(job) => self.start_job(job),
            Effect::Abort => self.start = None,
            Effect::ReleaseSkills => release_skills(&self.parts, &self.shared.id).await,
            Effect::CloseLog => self.shared.log.close(),
            Effect::Stop => self.state = State::Stopped,
        }
    }

    /// Stores a commit, again and again if need be: what an agent has said cannot be taken back.
    async fn commit(&mut self, commit: Commit) {
        let stored = self.parts.options.store.commit(&self.shared.id, commit.change.clone()).await;
        match stored {
            Ok(committed) => {
                if self.shared.stalled.send_if_modified(|stalled| stalled.take().is_some()) {
                    self.inputs.push_back(Input::StoreRecovered);
                }
                self.publish(commit.lines, committed, commit.change.record.is_some());
            }
            Err(error @ (StoreError::Full | StoreError::Exhausted(_) | StoreError::Io(_))) => {
                tracing::error!(session = %self.shared.id, %error, "events cannot be stored; trying again");
                self.shared.stalled.send_replace(Some(error.clone()));
                self.effects.push_front(Effect::Commit(commit));
                self.state = State::Stalled { error, retry_at: Instant::now() + RETRY };
            }
            Err(error) => {
                tracing::error!(session = %self.shared.id, %error, "events cannot be stored; the session is given up");
                self.shared.stalled.send_replace(Some(error));
                self.effects.clear();
                self.inputs = VecDeque::from([Input::StoreLost]);
            }
        }
    }

    async fn try_commit(&mut self, commit: Commit) {
        let is_record_new = commit.change.record.is_some();
        let stored = self.parts.options.store.commit(&self.shared.id, commit.change).await;
        let outcome = stored.map(|committed| self.publish(commit.lines, committed, is_record_new));
        self.inputs.push_front(Input::Stored(outcome));
    }

    fn publish(&self, lines: Vec<EventLine>, committed: Committed, is_record_new: bool) {
        self.parts.totals.events.fetch_add(lines.len() as u64, Ordering::Relaxed);
        let record = self.machine.record();
        let shown = match is_record_new {
            true => Shown::Changed(record),
            false => Shown::Touched { at_ms: record.updated_at_ms },
        };
        self.shared.publish(lines, committed.oldest, shown, self.machine.queued());
    }
}

/// Removes a session's skills, unless another session takes long for its own: the next daemon's start does it then.
async fn release_skills(parts: &Parts, id: &str) {
    match tokio::time::timeout(CLOSING, parts.options.skills.release(id)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(session = %id, %error, "skills of an ended session are left in place");
        }
        Err(_) => tracing::warn!(session = %id, "skills of an ended session stay until the next start"),
    }
}

/// Returns the present moment.
pub(crate) fn now() -> Now {
    Now { instant: std::time::Instant::now(), wall_ms: Timestamp::now().as_millis(), ids: Uuid::now_v7 }
}
