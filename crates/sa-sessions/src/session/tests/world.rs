//! A driver without a runtime: a disk in memory, an agent that does what a test says, a clock that a test moves.

use crate::SessionError;
use crate::agent::{AgentCapabilities, AgentFailure, FromAgent, RpcError};
use crate::command::{Command, Reply};
use crate::history::History;
use crate::limits::SessionLimits;
use crate::policy::Policy;
use crate::record::{Activity, Record};
use crate::session::{Agent, Context, Effect, Input, Job, Leftovers, Machine, Now, Origin, Setup};
use bytes::Bytes;
use sa_api::sessions::{CreateSession, EventData, SessionState, UniversalEvent};
use sa_store::{Change, MessageChange, MessageState, StoreError, StoredMessage};
use sa_universal::{ModeTable, PromptCapabilities};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};
use tokio::sync::oneshot::{self, error::TryRecvError};
use uuid::Uuid;

/// The agent's own id of its session.
pub(super) const NATIVE: &str = "native";

thread_local! {
    static IDS: Cell<u128> = const { Cell::new(0) };
}

fn next_id() -> Uuid {
    IDS.set(IDS.get() + 1);
    Uuid::from_u128(IDS.get())
}

/// A session on disk.
#[derive(Default)]
pub(super) struct Disk {
    pub(super) events: Vec<Bytes>,
    record: Bytes,
    messages: Vec<StoredMessage>,
}

impl Disk {
    /// Takes a change as the store does, which refuses ids with holes, repeated keys and unknown turns.
    fn commit(&mut self, change: &Change) {
        for event in &change.events {
            assert_eq!(event.id, self.events.len() as u64 + 1, "ids have no holes");
            self.events.push(event.data.clone());
        }
        if let Some(record) = &change.record {
            self.record = record.clone();
        }
        for message in &change.messages {
            match message {
                MessageChange::Accept(message) => {
                    let same = |known: &&StoredMessage| known.key.is_some() && known.key == message.key;
                    assert!(!self.messages.iter().any(|known| same(&known)), "a key is accepted once");
                    self.messages.push(message.clone());
                }
                MessageChange::State { turn_id, state } => {
                    let known = self.messages.iter_mut().find(|known| known.turn_id == *turn_id);
                    known.expect("a message of that turn").state = *state;
                }
            }
        }
    }

    fn pending(&self) -> Vec<StoredMessage> {
        self.messages.iter().filter(|message| message.state != MessageState::Done).cloned().collect()
    }

    fn by_key(&self, key: &str) -> Option<StoredMessage> {
        self.messages.iter().find(|message| message.key.as_deref() == Some(key)).cloned()
    }
}

/// The state of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Good,
    /// This many commits fail.
    Fails(u8),
    /// One commit succeeds, then this many fail.
    SoonFails(u8),
}

/// The agent of a world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Abilities {
    pub(super) closes: bool,
    pub(super) resumes: bool,
    pub(super) origin: Origin,
}

/// A client that waits for an answer.
pub(super) struct Client {
    what: &'static str,
    generation: usize,
    /// Reports if an answer has come, or the reply was dropped without one.
    answered: Box<dyn FnMut() -> Result<(), TryRecvError>>,
}

pub(super) struct World {
    pub(super) disk: Disk,
    pub(super) machine: Machine,
    pub(super) abilities: Abilities,
    pub(super) health: Health,
    /// The machine is crashed after this many more effects.
    pub(super) crash_after: Option<usize>,
    /// The number of starts.
    pub(super) generation: usize,
    pub(super) published: Vec<Bytes>,
    /// Requests to the agent without an answer.
    pub(super) calls: Vec<(u64, &'static str)>,
    /// Every message to the agent.
    pub(super) sent: Vec<&'static str>,
    /// Requests of the agent without an answer.
    pub(super) asked: Vec<String>,
    pub(super) is_linked: bool,
    pub(super) job: Option<Job>,
    /// Keys that are looked up, with what the store had when that began.
    lookup: Option<Option<StoredMessage>>,
    pub(super) clients: Vec<Client>,
    pub(super) is_stalled: bool,
    pub(super) is_stopped: bool,
    pub(super) limits: SessionLimits,
    effects: VecDeque<Effect>,
    inputs: VecDeque<Input>,
    start: Instant,
    elapsed: Duration,
}

impl World {
    pub(super) fn new(abilities: Abilities) -> Self {
        Self::with_limits(abilities, SessionLimits { queue: 4, ..SessionLimits::default() })
    }

    pub(super) fn with_limits(abilities: Abilities, limits: SessionLimits) -> Self {
        let request = CreateSession { agent: "demo".to_owned(), ..CreateSession::default() };
        Self::with_record(abilities, limits, Record::new(request, "/".to_owned(), 0))
    }

    pub(super) fn with_record(abilities: Abilities, limits: SessionLimits, record: Record) -> Self {
        let start = Instant::now();
        let disk = Disk { record: record.to_bytes(), ..Disk::default() };
        let now = Now { instant: start, wall_ms: 0, ids: next_id };
        let machine = Machine::new(setup(record, 0, limits.clone()), now);
        let mut world = Self {
            disk,
            machine,
            abilities,
            health: Health::Good,
            crash_after: None,
            generation: 0,
            published: Vec::new(),
            calls: Vec::new(),
            sent: Vec::new(),
            asked: Vec::new(),
            is_linked: false,
            job: None,
            lookup: None,
            clients: Vec::new(),
            is_stalled: false,
            is_stopped: false,
            limits,
            effects: VecDeque::new(),
            inputs: VecDeque::new(),
            start,
            elapsed: Duration::ZERO,
        };
        world.feed(Input::Recovered(Box::default()));
        world
    }

    fn now(&self) -> Now {
        let wall_ms = u64::try_from(self.elapsed.as_millis()).unwrap();
        Now { instant: self.start + self.elapsed, wall_ms, ids: next_id }
    }

    /// Gives the machine an input and executes all that follows from it.
    pub(super) fn feed(&mut self, input: Input) {
        self.inputs.push_back(input);
        self.work();
    }

    fn work(&mut self) {
        while !self.is_stopped && !self.is_stalled {
            if self.crash_after == Some(0) {
                return self.crash();
            }
            if let Some(effect) = self.effects.pop_front() {
                self.crash_after = self.crash_after.map(|left| left - 1);
                self.execute(effect);
                continue;
            }
            let input = self.inputs.pop_front().unwrap_or(Input::Proceed);
            let is_last = matches!(input, Input::Proceed);
            let effects = self.machine.on(input, self.now());
            let is_commit = |effect: &Effect| matches!(effect, Effect::Commit(_) | Effect::TryCommit(_));
            assert!(!effects.iter().skip(1).any(is_commit), "the commit comes before everything else");
            self.effects = effects.into();
            if is_last && self.effects.is_empty() {
                return self.check_asks();
            }
        }
    }

    /// Nobody can answer an agent that is gone, so nothing that it asked is open.
    fn check_asks(&self) {
        let record = self.machine.record();
        let is_open = !record.questions.is_empty() || !record.permissions.is_empty();
        assert!(self.is_linked || !is_open, "something is open that nobody waits for");
        assert_eq!(record.questions.len() + record.permissions.len(), self.asked.len());
    }

    fn execute(&mut self, effect: Effect) {
        match effect {
            Effect::Commit(commit) if self.is_full() => {
                self.effects.push_front(Effect::Commit(commit));
                self.is_stalled = true;
            }
            Effect::Commit(commit) => self.commit(&commit.change),
            Effect::TryCommit(_) if self.is_full() => {
                self.inputs.push_front(Input::Stored(Err(StoreError::Full)));
            }
            Effect::TryCommit(commit) => {
                self.commit(&commit.change);
                self.inputs.push_front(Input::Stored(Ok(())));
            }
            Effect::Call { call, method, .. } => {
                self.sent.push(method);
                match self.is_linked {
                    true => self.calls.push((call, method)),
                    false => {
                        let failure = AgentFailure::Ended(Default::default());
                        self.inputs.push_back(Input::CallFailed { call, failure });
                    }
                }
            }
            Effect::Notify { method, .. } => self.sent.push(method),
            Effect::Answer { request, .. } if self.is_linked => {
                let open = self.asked.iter().position(|asked| *asked == request);
                self.asked.remove(open.expect("a request is answered once"));
            }
            Effect::Leave => self.unlink(),
            Effect::Reply(answer) => answer(),
            Effect::Start(Job::LookUpKey(key)) => {
                let known = key.and_then(|key| self.disk.by_key(&key));
                assert!(self.lookup.replace(known).is_none(), "one lookup at a time");
            }
            Effect::Start(job) => self.job = Some(job),
            Effect::Abort => self.job = None,
            Effect::Stop => self.is_stopped = true,
            _ => {}
        }
    }

    /// Returns whether the store refuses the next commit.
    fn is_full(&mut self) -> bool {
        let (is_full, health) = match self.health {
            Health::Good => (false, Health::Good),
            Health::SoonFails(count) => (false, Health::Fails(count)),
            Health::Fails(1) => (true, Health::Good),
            Health::Fails(count) => (true, Health::Fails(count - 1)),
        };
        self.health = health;
        is_full
    }

    fn commit(&mut self, change: &Change) {
        self.disk.commit(change);
        self.published.extend(change.events.iter().map(|event| event.data.clone()));
        assert_eq!(self.published, self.disk.events, "what is published is what is stored");
    }

    fn unlink(&mut self) {
        self.is_linked = false;
        self.calls.clear();
        self.asked.clear();
    }

    /// Kills the daemon and starts another one.
    pub(super) fn crash(&mut self) {
        let pending = self.disk.pending();
        self.crash_with(Leftovers { pending, ..Leftovers::default() });
    }

    /// Kills the daemon and starts another one, which finds this.
    pub(super) fn crash_with(&mut self, leftovers: Leftovers) {
        self.crash_after = None;
        self.generation += 1;
        self.unlink();
        (self.effects, self.inputs) = Default::default();
        (self.job, self.lookup) = Default::default();
        self.is_stalled = false;
        let mut record = Record::from_bytes(&self.disk.record).unwrap();
        if record.state == SessionState::Ended {
            self.is_stopped = true;
            return;
        }
        record.state = SessionState::Interrupted;
        let last = self.disk.events.len() as u64;
        self.machine = Machine::new(setup(record, last, self.limits.clone()), self.now());
        self.feed(Input::Recovered(Box::new(leftovers)));
    }

    /// Sends what a client asks for, unless the driver would refuse it or leave it waiting.
    pub(super) fn command(&mut self, command: Command) {
        match self.is_stalled {
            true => command.fail(SessionError::Store(StoreError::Full)),
            false if !command.can_wait() || self.machine.takes_commands() => {
                self.feed(Input::Command(command))
            }
            false => command.fail(SessionError::ShuttingDown),
        }
    }

    /// Returns a reply whose answer the world waits for.
    pub(super) fn reply<T: Send + 'static>(&mut self, what: &'static str) -> Reply<T> {
        let (reply, mut pending) = Reply::channel();
        let mut is_answered = false;
        let answered = Box::new(move || {
            let received = pending.answer.try_recv().map(drop);
            is_answered |= received.is_ok();
            if is_answered { Ok(()) } else { received }
        });
        self.clients.push(Client { what, generation: self.generation, answered });
        reply
    }

    /// Returns a reply and the end where its answer arrives.
    pub(super) fn watched<T: Send + 'static>(
        &mut self,
    ) -> (Reply<T>, oneshot::Receiver<Result<T, SessionError>>) {
        let (reply, pending) = Reply::channel();
        (reply, pending.answer)
    }

    pub(super) fn agent(&mut self, message: FromAgent) {
        if self.is_linked && !self.is_stalled {
            self.feed(Input::Agent(vec![message]));
        }
    }

    pub(super) fn update(&mut self, update: Value) {
        let params = raw(&json!({ "sessionId": NATIVE, "update": update }));
        self.agent(FromAgent::Notification { method: "session/update".to_owned(), params });
    }

    /// Has the agent ask something, under an id of its own.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> String {
        let id = format!("\"{}\"", next_id());
        if self.is_linked && !self.is_stalled {
            self.asked.push(id.clone());
            let (method, params) = (method.to_owned(), raw(&params));
            self.agent(FromAgent::Request { id: id.clone(), method, params });
        }
        id
    }

    /// Has the agent answer a request of the daemon.
    pub(super) fn answer(&mut self, call: u64, outcome: Result<Value, RpcError>) {
        self.calls.retain(|(waiting, _)| *waiting != call);
        self.agent(FromAgent::Response { call, outcome: outcome.map(|value| raw(&value)) });
    }

    /// Has the agent answer the newest request of that method as agents do.
    pub(super) fn answer_well(&mut self, method: &str) {
        let call = self.calls.iter().rev().find(|(_, waiting)| *waiting == method).expect(method).0;
        self.answer(call, Ok(good_answer(method)));
    }

    pub(super) fn end_agent(&mut self) {
        self.agent(FromAgent::Ended(Default::default()));
    }

    /// Ends the job that runs.
    pub(super) fn finish_job(&mut self, outcome: Result<(), AgentFailure>) {
        if self.is_stalled {
            return;
        }
        let input = match self.job.take() {
            Some(Job::PrepareContext { .. }) => {
                Input::Prepared(outcome.map(|()| Context { servers: Vec::new(), warnings: Vec::new() }))
            }
            Some(Job::Connect { .. }) => {
                self.is_linked = outcome.is_ok();
                Input::Connected(outcome.map(|()| self.agent_of_world()))
            }
            Some(Job::ReadHistory { .. }) => Input::HistoryRead(match outcome {
                Ok(()) => History::Text("earlier".to_owned()),
                Err(_) => History::Unreadable,
            }),
            Some(Job::LookUpKey(_)) | None => return,
        };
        self.feed(input);
    }

    pub(super) fn finish_lookup(&mut self) {
        if !self.is_stalled
            && let Some(known) = self.lookup.take()
        {
            self.feed(Input::KeyLookedUp(Ok(known)));
        }
    }

    fn agent_of_world(&self) -> Agent {
        let Abilities { closes, resumes, origin } = self.abilities;
        let mut capabilities = AgentCapabilities::default();
        let is_there = |there: bool| there.then(|| json!({}));
        capabilities.session_capabilities.close = is_there(closes);
        capabilities.session_capabilities.delete = is_there(closes);
        capabilities.session_capabilities.resume = is_there(resumes);
        Agent { capabilities, prompts: PromptCapabilities::default(), version: None, origin }
    }

    /// Lets time pass, or the store recover if it is stalled.
    pub(super) fn pass(&mut self, time: Duration) {
        self.elapsed += time;
        if std::mem::take(&mut self.is_stalled) {
            self.work();
            if self.is_stalled {
                return;
            }
            return self.feed(Input::StoreRecovered);
        }
        if !self.is_stopped {
            self.feed(Input::Time);
        }
    }

    /// Starts the agent and answers as agents do, until it is ready.
    pub(super) fn make_ready(&mut self) {
        let reply = self.reply("start");
        self.command(Command::Start { reply });
        self.finish_start();
    }

    pub(super) fn finish_start(&mut self) {
        for _ in 0..10 {
            if self.job.is_some() {
                self.finish_job(Ok(()));
            } else if let Some((call, method)) = self.calls.last().copied()
                && method != "session/prompt"
            {
                self.answer(call, Ok(good_answer(method)));
            }
        }
    }

    pub(super) fn state(&self) -> SessionState {
        self.machine.record().state
    }

    /// Returns everything in the log.
    pub(super) fn log(&self) -> Vec<EventData> {
        let read = |json: &Bytes| UniversalEvent::from_json(json).unwrap().data;
        self.disk.events.iter().map(read).collect()
    }

    /// Returns the clients of this daemon that have no answer.
    pub(super) fn unanswered(&mut self) -> Vec<&'static str> {
        let (generation, is_stopped) = (self.generation, self.is_stopped);
        let mine = self.clients.iter_mut().filter(|client| client.generation == generation);
        let unanswered = mine.filter_map(|client| match (client.answered)() {
            Ok(()) => None,
            // The machine is dropped then, and its clients learn that the session has ended.
            Err(TryRecvError::Empty) if is_stopped => None,
            Err(_) => Some(client.what),
        });
        unanswered.collect()
    }

    /// Terminates the session and lets time pass until it is. Returns after how many steps.
    pub(super) fn terminate(&mut self, command: impl FnOnce(Reply<()>) -> Command) -> usize {
        self.health = Health::Good;
        self.crash_after = None;
        if self.is_stalled {
            self.pass(Duration::from_secs(1));
        }
        if self.is_stopped {
            return 0;
        }
        let reply = self.reply("terminate");
        self.command(command(reply));
        for step in 0..20 {
            if self.is_stopped {
                return step;
            }
            let deadline = self.machine.deadline().expect("every wait of an end has a deadline");
            self.pass(deadline.saturating_duration_since(self.now().instant));
        }
        panic!("the session does not end");
    }
}

/// Returns an answer as agents give it.
pub(super) fn good_answer(method: &str) -> Value {
    match method {
        "session/prompt" => json!({ "stopReason": "end_turn" }),
        "session/new" | "session/fork" | "session/resume" | "session/load" => {
            let modes = [json!({"id": "ask", "name": "Ask"}), json!({"id": "loose", "name": "Loose"})];
            json!({ "sessionId": NATIVE, "modes": { "currentModeId": "ask", "availableModes": modes } })
        }
        _ => json!({}),
    }
}

pub(super) fn refusal(code: i64, kind: Option<&str>) -> RpcError {
    let data = kind.map(|kind| json!({ "errorKind": kind }));
    RpcError { code, message: "no".to_owned(), data }
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

fn setup(record: Record, last: u64, limits: SessionLimits) -> Setup {
    let permission = [("default", "ask"), ("bypass", "loose")];
    let permission = permission.map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned()));
    Setup {
        id: "session".to_owned(),
        limits,
        modes: ModeTable::named(&permission.into(), &BTreeMap::new()),
        token: Err(AgentFailure::Unsupported("no token".to_owned())),
        policy: Policy::stored(&record.request.policy, &record.allowances),
        env: BTreeMap::new(),
        listing: record.listing(Activity::UnderWay),
        last,
        tracing: None,
        record,
    }
}
