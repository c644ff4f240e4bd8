//! The start of an agent: context prepared, process connected, session opened, settings applied.

use super::input::{Agent, Context, McpServer, Origin, Transport};
use super::machine::Machine;
use super::phase::{Attempt, Link, Phase, Purpose, Ready, Reported, Start, Step, Then, Way, Work};
use super::settings::{Applying, Progress};
use super::turn::Turn;
use super::{CLOSING, Effect, Job, trace};
use crate::agent::{AgentFailure, Opens};
use crate::command::{Answer, Reply};
use crate::history::History;
use sa_api::sessions::{Continuity, ContinuityKind, EventData, ResolvedBy, Started, StopReason};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;

/// Pauses in milliseconds before a session that another process still holds is opened again.
const BUSY_MS: [u64; 5] = [100, 300, 600, 1000, 2000];

impl Machine {
    /// Starts the agent for a new session.
    pub(super) fn on_start(&mut self, reply: Reply<(), AgentFailure>) {
        match &self.phase {
            Phase::Ready(_) => self.reply(Answer::Started(reply, Ok(()))),
            _ => self.start(Purpose::Client(reply)),
        }
    }

    pub(super) fn start(&mut self, purpose: Purpose) {
        self.try_start(purpose, Attempt::First);
    }

    pub(super) fn try_start(&mut self, purpose: Purpose, attempt: Attempt) {
        if let Err(failure) = self.check_environment() {
            return self.fail_start(purpose, None, failure, Reported::No);
        }
        let request = Box::new(self.record.request.clone());
        let (cwd, env) = (self.record.cwd.clone(), self.env.clone());
        self.effect(Effect::Start(Job::PrepareContext { request, cwd, env }));
        self.continue_start(purpose, attempt, Step::Preparing);
    }

    fn continue_start(&mut self, purpose: Purpose, attempt: Attempt, step: Step) {
        self.phase = Phase::Starting(Box::new(Start { purpose, attempt, step }));
    }

    pub(super) fn on_prepared(&mut self, outcome: Result<Context, AgentFailure>) {
        let Some(Start { purpose, attempt, .. }) = self.take_start(|step| matches!(step, Step::Preparing))
        else {
            return;
        };
        let context = match outcome {
            Ok(context) => context,
            Err(failure) => return self.fail_start(purpose, None, failure, Reported::No),
        };
        for warning in context.warnings {
            self.warn("Skills", warning);
        }
        let trace = self.tracing.context().as_ref().map(trace::variables_of).unwrap_or_default();
        let (agent, version) = (self.record.request.agent.clone(), self.record.request.agent_version.clone());
        self.effect(Effect::Start(Job::Connect { agent, version, env: self.env.clone(), trace }));
        self.continue_start(purpose, attempt, Step::Connecting(context.servers));
    }

    pub(super) fn on_connected(&mut self, outcome: Result<Agent, AgentFailure>) {
        let Some(start) = self.take_start(|step| matches!(step, Step::Connecting(_))) else { return };
        let Start { purpose, attempt, step: Step::Connecting(servers) } = start else { return };
        let agent = match outcome {
            Ok(agent) => agent,
            Err(failure) => return self.fail_start(purpose, None, failure, Reported::No),
        };
        let mcp = self.usable_servers(servers, &agent);
        self.record.runs += 1;
        let events = self.reducer.begin_run(self.record.runs);
        self.note(events);
        self.open_session(Opener { purpose, attempt, link: Link::new(agent), mcp });
    }

    /// Takes the start out of the phase if it is at such a step.
    fn take_start(&mut self, is_expected: impl FnOnce(&Step) -> bool) -> Option<Start> {
        match self.take_phase() {
            Phase::Starting(start) if is_expected(&start.step) => Some(*start),
            other => {
                self.phase = other;
                None
            }
        }
    }

    /// Returns the servers in the form that agents take, without those that this agent cannot use.
    fn usable_servers(&mut self, servers: Vec<McpServer>, agent: &Agent) -> Vec<Value> {
        let can = &agent.capabilities.mcp_capabilities;
        let mut usable = Vec::new();
        for server in servers {
            match server {
                McpServer::Usable { name, transport: Transport::Http, .. } if !can.http => {
                    self.warn_of_unusable(&name, "HTTP");
                }
                McpServer::Usable { name, transport: Transport::Sse, .. } if !can.sse => {
                    self.warn_of_unusable(&name, "SSE");
                }
                McpServer::Usable { config, .. } => usable.push(config),
                McpServer::Incomplete { name } => {
                    self.warn("MCP", format!("the MCP server '{name}' lacks a variable of the environment"));
                }
            }
        }
        usable
    }

    fn warn_of_unusable(&mut self, name: &str, transport: &str) {
        let agent = &self.record.request.agent;
        let description =
            format!("the MCP server '{name}' is not used: agent '{agent}' has no MCP over {transport}");
        self.warn("MCP", description);
    }

    fn open_session(&mut self, opener: Opener) {
        match (self.record.native_session_id.clone(), self.record.fork_of.clone()) {
            (Some(native), _) => self.reopen_session(opener, native, 0),
            (None, Some(parent)) if !self.record.owes_history => self.fork_session(opener, &parent),
            (None, _) => self.new_session(opener, None),
        }
    }

    fn new_session(&mut self, opener: Opener, lost: Option<String>) {
        let params = json!({ "cwd": self.record.cwd, "mcpServers": opener.mcp });
        self.reducer.begin_session();
        self.call_opening(opener, "session/new", params, Opens::New, Way::New { lost });
    }

    fn fork_session(&mut self, opener: Opener, parent: &str) {
        if opener.link.agent.capabilities.session_capabilities.fork.is_none() {
            let agent = &self.record.request.agent;
            let failure = AgentFailure::Unsupported(format!("agent '{agent}' cannot fork sessions"));
            return self.fail_start(opener.purpose, None, failure, Reported::No);
        }
        let params = json!({ "sessionId": parent, "cwd": self.record.cwd, "mcpServers": opener.mcp });
        self.call_opening(opener, "session/fork", params, Opens::New, Way::Fork);
    }

    /// Continues the session from before. An agent that can only load it repeats the whole history, which the log already has.
    fn reopen_session(&mut self, opener: Opener, native: String, retries: usize) {
        let can = &opener.link.agent.capabilities;
        let method = match (can.session_capabilities.resume.is_some(), can.load_session) {
            (true, _) => "session/resume",
            (false, true) => "session/load",
            (false, false) => {
                let reason = "the agent can neither resume nor load sessions".to_owned();
                return self.new_session(opener, Some(reason));
            }
        };
        self.effect(Effect::Adopt(native.clone()));
        let params = json!({ "sessionId": native, "cwd": self.record.cwd, "mcpServers": opener.mcp });
        self.reducer.quiet(true);
        self.call_opening(opener, method, params, Opens::Known(native), Way::Reopen { retries });
    }

    /// Sends the request that opens a session. If the session has rules, a built-in agent asks about everything that it would
    /// allow by itself.
    fn call_opening(
        &mut self,
        opener: Opener,
        method: &'static str,
        mut params: Value,
        opens: Opens,
        way: Way,
    ) {
        if self.policy.has_rules() {
            params["_meta"] = json!({ "sandboxAgent": { "askAll": true } });
        }
        let call = self.call(method, params, opens, self.limits.start());
        let Opener { purpose, attempt, link, mcp } = opener;
        self.continue_start(purpose, attempt, Step::Opening { link, mcp, way, call });
    }

    pub(super) fn on_start_answer(&mut self, start: Start, outcome: Result<Box<RawValue>, AgentFailure>) {
        let Start { purpose, attempt, step } = start;
        match step {
            Step::Opening { link, mcp, way, call } => {
                let opener = Opener { purpose, attempt, link, mcp };
                match way {
                    Way::Reopen { retries } => {
                        self.reducer.quiet(false);
                        self.on_reopened(opener, retries, outcome);
                    }
                    Way::New { .. } | Way::Fork => self.on_opened(opener, way, call.method, outcome),
                }
            }
            Step::Configuring { mut link, mut applying } => {
                let progress = self.next_setting(&mut applying, &mut link, outcome);
                self.on_configured(purpose, attempt, link, applying, progress);
            }
            step => self.continue_start(purpose, attempt, step),
        }
    }

    fn on_reopened(&mut self, opener: Opener, retries: usize, outcome: Result<Box<RawValue>, AgentFailure>) {
        match outcome {
            Ok(result) => {
                self.report_started(&opener.link, &result);
                if self.record.owes_history {
                    return self.remember(opener, None);
                }
                let continuity = Continuity { kind: ContinuityKind::Native, reason: None };
                self.draft.event(EventData::Continuity(continuity));
                self.configure(opener);
            }
            Err(busy) if busy.is_session_busy() && retries < BUSY_MS.len() => {
                tracing::debug!(session = %self.id, %busy, "trying again");
                let until = self.now.instant + Duration::from_millis(BUSY_MS[retries]);
                let Opener { purpose, attempt, link, mcp } = opener;
                let step = Step::Pausing { link, mcp, retries: retries + 1, until };
                self.continue_start(purpose, attempt, step);
            }
            Err(lost) if lost.is_session_lost() => self.new_session(opener, Some(lost.to_string())),
            // The session may be there the next time.
            Err(failure) => self.fail_opening(opener, failure),
        }
    }

    pub(super) fn on_pause_over(&mut self) {
        let Some(start) = self.take_start(|step| matches!(step, Step::Pausing { .. })) else { return };
        let Start { purpose, attempt, step: Step::Pausing { link, mcp, retries, .. } } = start else {
            return;
        };
        let native = self.record.native_session_id.clone().unwrap_or_default();
        self.reopen_session(Opener { purpose, attempt, link, mcp }, native, retries);
    }

    fn on_opened(
        &mut self,
        opener: Opener,
        way: Way,
        method: &str,
        outcome: Result<Box<RawValue>, AgentFailure>,
    ) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Opened {
            session_id: String,
        }
        let opened = outcome.and_then(|result| {
            let opened = serde_json::from_str::<Opened>(result.get());
            let opened = opened.map_err(|error| AgentFailure::Nonsense {
                method: method.to_owned(),
                reason: error.to_string(),
            })?;
            Ok((opened.session_id, result))
        });
        let (native, result) = match opened {
            Ok(opened) => opened,
            Err(failure) => return self.fail_opening(opener, failure),
        };
        self.effect(Effect::Adopt(native.clone()));
        self.record.native_session_id = Some(native);
        self.report_started(&opener.link, &result);
        let lost = match way {
            Way::New { lost } => {
                self.record.unanswered.clear();
                lost
            }
            Way::Fork | Way::Reopen { .. } => None,
        };
        self.record.owes_history |= lost.is_some();
        self.remember(opener, lost);
    }

    fn report_started(&mut self, link: &Link, result: &RawValue) {
        self.draft.event(EventData::Started(Started {
            agent_version: link.agent.version.clone(),
            cwd: self.record.cwd.clone(),
            forked_from: self.record.forked_from.clone(),
        }));
        let events = self.reducer.session_opened(result);
        self.note(events);
    }

    /// Has the conversation read that the agent does not know.
    fn remember(&mut self, opener: Opener, reason: Option<String>) {
        if !self.record.owes_history {
            return self.configure(opener);
        }
        self.effect(Effect::Start(Job::ReadHistory { current_turn: self.turn.id() }));
        let Opener { purpose, attempt, link, .. } = opener;
        self.continue_start(purpose, attempt, Step::Remembering { link, reason });
    }

    pub(super) fn on_history_read(&mut self, history: History) {
        let Some(start) = self.take_start(|step| matches!(step, Step::Remembering { .. })) else {
            self.history = history;
            return match self.turn {
                Turn::Starting(_) => self.send_prompt(),
                Turn::Discarded(_) => self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded),
                _ => {}
            };
        };
        let Start { purpose, attempt, step: Step::Remembering { link, reason } } = start else { return };
        let kind = match history {
            History::Nothing => {
                self.record.owes_history = false;
                None
            }
            History::Text(_) => Some(ContinuityKind::Replayed),
            History::Unreadable => Some(ContinuityKind::Lost),
        };
        self.history = history;
        if let Some(kind) = kind {
            self.draft.event(EventData::Continuity(Continuity { kind, reason }));
        }
        self.configure(Opener { purpose, attempt, link, mcp: Vec::new() });
    }

    fn configure(&mut self, opener: Opener) {
        let Opener { purpose, attempt, mut link, .. } = opener;
        let mut applying = Applying::everything();
        let progress = self.first_setting(&mut applying, &mut link);
        self.on_configured(purpose, attempt, link, applying, progress);
    }

    fn on_configured(
        &mut self,
        purpose: Purpose,
        attempt: Attempt,
        link: Link,
        applying: Applying,
        progress: Result<Progress, AgentFailure>,
    ) {
        match progress {
            Ok(Progress::Waiting) => {
                self.continue_start(purpose, attempt, Step::Configuring { link, applying });
            }
            Ok(Progress::Done) => {
                self.phase = Phase::Ready(Ready { link, work: Work::Settled });
                self.report_choices();
                self.record.begun = true;
                self.note_health(None);
                match purpose {
                    Purpose::Turn => self.prompt(),
                    Purpose::Client(reply) => self.reply(Answer::Started(reply, Ok(()))),
                    Purpose::Resume(reply) => self.reply(Answer::Done(reply, Ok(()))),
                }
            }
            Err(failure) => self.fail_connected(purpose, attempt, link, Opened::Yes, failure),
        }
    }

    fn fail_opening(&mut self, opener: Opener, failure: AgentFailure) {
        self.fail_connected(opener.purpose, opener.attempt, opener.link, Opened::No, failure);
    }

    /// Ends a start with an agent. A process that was joined may run a program that is gone; then another is tried.
    fn fail_connected(
        &mut self,
        purpose: Purpose,
        attempt: Attempt,
        link: Link,
        opened: Opened,
        failure: AgentFailure,
    ) {
        let joined = link.agent.origin == Origin::Joined;
        let open_link = (opened == Opened::Yes).then_some(link);
        if failure.is_spawn_failure() && joined && attempt == Attempt::First {
            self.effect(Effect::Retire);
            return self.leave(open_link, CLOSING, Then::Retry(purpose));
        }
        self.fail_start(purpose, open_link, failure, Reported::No);
    }

    /// Ends a start. The session that the agent opened is closed, as its process may serve others for long.
    pub(super) fn fail_start(
        &mut self,
        purpose: Purpose,
        open_link: Option<Link>,
        failure: AgentFailure,
        reported: Reported,
    ) {
        self.reducer.quiet(false);
        let failure = self.advise(failure);
        self.leave(open_link, CLOSING, Then::StartFailed { purpose, failure, reported });
    }

    /// Gives up a start that nobody wants any more.
    pub(super) fn give_up_start(&mut self) {
        match self.take_phase() {
            Phase::Starting(start) => {
                self.effect(Effect::Abort);
                let Start { purpose, step, .. } = *start;
                self.fail_start(purpose, step.into_open_link(), AgentFailure::GivenUp, Reported::No);
            }
            Phase::Leaving(mut leaving) => {
                leaving.then = leaving.then.without_retry();
                self.phase = Phase::Leaving(leaving);
            }
            other => self.phase = other,
        }
    }

    pub(super) fn on_start_failed(&mut self, purpose: Purpose, failure: AgentFailure, reported: Reported) {
        let given_up = matches!(failure, AgentFailure::GivenUp);
        if !given_up {
            // Otherwise nobody knows whether it would have started.
            self.note_health(Some(&failure));
        }
        if let Purpose::Turn = purpose {
            return match (&self.turn, reported) {
                _ if given_up => self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded),
                (Turn::Discarded(_), _) => self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded),
                (_, Reported::Yes) => self.end_turn(StopReason::Error, None, ResolvedBy::AgentEnded),
                (_, Reported::No) => self.fail_turn(&failure),
            };
        }
        if reported == Reported::No && !given_up {
            self.report_failure(&failure);
        }
        match purpose {
            Purpose::Turn => {}
            Purpose::Client(reply) => self.reply(Answer::Started(reply, Err(failure))),
            // The session says what went wrong.
            Purpose::Resume(reply) => self.reply(Answer::Done(reply, Ok(()))),
        }
    }

    /// Notes why the agent could not be started, for everyone who looks at the session.
    fn note_health(&mut self, failure: Option<&AgentFailure>) {
        let error = failure.map(AgentFailure::to_api);
        if self.record.error != error {
            self.record.error = error;
            self.draft.touch();
        }
    }

    /// Adds to a failure for lack of credentials how a client of the API can give them.
    pub(super) fn advise(&self, failure: AgentFailure) -> AgentFailure {
        let needs_credentials = failure.needs_credentials();
        match failure {
            AgentFailure::Refused { method, message, code, data } if needs_credentials => {
                let member = if self.token.is_ok() { "token" } else { "env" };
                let id = &self.id;
                let message = format!(
                    "{message}; over HTTP: give `{member}` when creating the session, or PATCH /v1/sessions/{id} with `{member}`"
                );
                AgentFailure::Refused { method, message, code, data }
            }
            other => other,
        }
    }

    /// Checks that everything is there that the session was given. Without its own credential it does not start: the daemon's
    /// may be somebody else's.
    fn check_environment(&mut self) -> Result<(), AgentFailure> {
        let missing = |name: &&String| !self.env.contains_key(*name);
        if let Some(variable) = self.record.token_variable.as_ref().filter(missing) {
            return Err(AgentFailure::Token(format!(
                "the session was made with a token of its own ({variable}), which is not kept when the daemon ends: \
                 give it again with PATCH and `token`"
            )));
        }
        let lost: Vec<&str> = self.record.variables.iter().filter(missing).map(String::as_str).collect();
        if !lost.is_empty() {
            let names = lost.join(", ");
            self.warn(
                "Environment",
                format!(
                    "the agent is started without {names}: variables are not kept when the daemon ends; \
                     give them again with PATCH and `env`"
                ),
            );
        }
        Ok(())
    }
}

/// A start with a connected agent.
struct Opener {
    purpose: Purpose,
    attempt: Attempt,
    link: Link,
    mcp: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opened {
    Yes,
    No,
}
