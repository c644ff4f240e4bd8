//! The start of an agent: context prepared, process connected, session opened (`opening`), settings applied.

use super::input::{Agent, Context, McpServer, Origin, Transport};
use super::machine::Machine;
use super::phase::{
    AgentInUse, Attempt, Connected, Phase, Purpose, Ready, Reported, Start, StartRequest, Step, Then, Work,
};
use super::settings::{Applying, Progress};
use super::turn::Turn;
use super::{CLOSING, Effect, Job, trace};
use crate::agent::AgentFailure;
use crate::command::Reply;
use sa_api::sessions::{ResolvedBy, StopReason};
use serde_json::Value;

impl Machine {
    /// Starts the agent for a new session.
    pub(super) fn on_start(&mut self, reply: Reply<()>) {
        match &self.phase {
            Phase::Ready(_) => self.reply(reply, Ok(())),
            _ => self.start(Purpose::Client(reply)),
        }
    }

    pub(super) fn start(&mut self, purpose: Purpose) {
        self.try_start(StartRequest { purpose, attempt: Attempt::First });
    }

    pub(super) fn try_start(&mut self, start: StartRequest) {
        if let Err(failure) = self.check_rules().and_then(|()| self.check_environment()) {
            return self.fail_start(start.purpose, None, failure, Reported::No);
        }
        let request = Box::new(self.record.request.clone());
        let (cwd, env) = (self.record.cwd.clone(), self.env.clone());
        self.effect(Effect::Start(Job::PrepareContext { request, cwd, env }));
        self.continue_start(start, Step::Preparing);
    }

    pub(super) fn continue_start(&mut self, request: StartRequest, step: Step) {
        self.phase = Phase::Starting(Box::new(Start { request, step }));
    }

    /// Takes the start out of the phase, if there is one.
    pub(super) fn take_start(&mut self) -> Option<(StartRequest, Step)> {
        match self.take_phase() {
            Phase::Starting(start) => Some((start.request, start.step)),
            other => {
                self.phase = other;
                None
            }
        }
    }

    pub(super) fn on_prepared(&mut self, outcome: Result<Context, AgentFailure>) {
        let Some((start, step)) = self.take_start() else { return };
        let Step::Preparing = step else { return self.continue_start(start, step) };
        let context = match outcome {
            Ok(context) => context,
            Err(failure) => return self.fail_start(start.purpose, None, failure, Reported::No),
        };
        for warning in context.warnings {
            self.warn("Skills", warning);
        }
        let trace = self.tracing.context().as_ref().map(trace::variables_of).unwrap_or_default();
        let (agent, version) = (self.record.request.agent.clone(), self.record.request.agent_version.clone());
        self.effect(Effect::Start(Job::Connect { agent, version, env: self.env.clone(), trace }));
        self.continue_start(start, Step::Connecting(context.servers));
    }

    pub(super) fn on_connected(&mut self, outcome: Result<Agent, AgentFailure>) {
        let Some((mut start, step)) = self.take_start() else { return };
        let Step::Connecting(servers) = step else { return self.continue_start(start, step) };
        let agent = match outcome {
            Ok(agent) => agent,
            Err(failure) => return self.fail_start(start.purpose, None, failure, Reported::No),
        };
        if agent.origin == Origin::Started {
            start.attempt = Attempt::Last;
        }
        let mcp = self.usable_servers(servers, &agent);
        self.record.runs += 1;
        let events = self.reducer.begin_run(self.record.runs);
        self.note(events);
        self.open_session(start, Connected { link: AgentInUse::new(agent), mcp });
    }

    /// Returns the servers in the form that agents take, without those that this agent cannot use.
    fn usable_servers(&mut self, servers: Vec<McpServer>, agent: &Agent) -> Vec<Value> {
        let can = &agent.capabilities.mcp_capabilities;
        let mut usable = Vec::new();
        for server in servers {
            let agent = &self.record.request.agent;
            let unusable = |name: &str, transport: &str| {
                format!("the MCP server '{name}' is not used: agent '{agent}' has no MCP over {transport}")
            };
            let warning = match server {
                McpServer::Usable { name, transport: Transport::Http, .. } if !can.http => {
                    unusable(&name, "HTTP")
                }
                McpServer::Usable { name, transport: Transport::Sse, .. } if !can.sse => {
                    unusable(&name, "SSE")
                }
                McpServer::Usable { config, .. } => {
                    usable.push(config);
                    continue;
                }
                McpServer::Incomplete { name } => {
                    format!("the MCP server '{name}' lacks a variable of the environment")
                }
            };
            self.warn("MCP", warning);
        }
        usable
    }

    /// Gives the agent all its settings.
    pub(super) fn configure(&mut self, start: StartRequest, mut link: AgentInUse) {
        let mut applying = Applying::everything();
        let progress = self.first_setting(&mut applying, &mut link);
        self.on_configured(start, link, applying, progress);
    }

    pub(super) fn on_configured(
        &mut self,
        start: StartRequest,
        link: AgentInUse,
        applying: Applying,
        progress: Result<Progress, AgentFailure>,
    ) {
        match progress {
            Ok(Progress::Waiting) => self.continue_start(start, Step::Configuring { link, applying }),
            Ok(Progress::Done) => {
                self.phase = Phase::Ready(Ready { link, work: Work::Settled });
                self.report_choices();
                self.record.begun = true;
                self.note_health(None);
                match start.purpose {
                    Purpose::Turn => {}
                    Purpose::Client(reply) | Purpose::Resume(reply) => self.reply(reply, Ok(())),
                }
            }
            Err(failure) => self.fail_connected(start, Some(link), failure),
        }
    }

    /// Ends a start with an agent. A process that was joined may run a program that is gone; then another is tried.
    pub(super) fn fail_connected(
        &mut self,
        start: StartRequest,
        open_link: Option<AgentInUse>,
        failure: AgentFailure,
    ) {
        match start.attempt {
            Attempt::First if failure.is_spawn_failure() => {
                self.effect(Effect::Retire);
                self.leave(open_link, CLOSING, Then::Retry(start.purpose));
            }
            Attempt::First | Attempt::Last => {
                self.fail_start(start.purpose, open_link, failure, Reported::No);
            }
        }
    }

    /// Ends a start. The session that the agent opened is closed, as its process may serve others for long.
    pub(super) fn fail_start(
        &mut self,
        purpose: Purpose,
        open_link: Option<AgentInUse>,
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
                let (purpose, link) = (start.request.purpose, start.step.into_open_link());
                self.fail_start(purpose, link, AgentFailure::GivenUp, Reported::No);
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
                (turn, _) if given_up || matches!(turn, Turn::Discarded(_)) => {
                    self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
                }
                (_, Reported::Yes) => self.end_turn(StopReason::Error, None, ResolvedBy::AgentEnded),
                (_, Reported::No) => self.fail_turn(&failure),
            };
        }
        if reported == Reported::No && !given_up {
            self.report_failure(&failure);
        }
        match purpose {
            Purpose::Turn => {}
            Purpose::Client(reply) => self.reply(reply, Err(failure.into())),
            // The session says what went wrong.
            Purpose::Resume(reply) => self.reply(reply, Ok(())),
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

    /// Checks that the session's rules could be read. Without those of clients the agent can start: it asks more often.
    fn check_rules(&mut self) -> Result<(), AgentFailure> {
        let unreadable = |why| AgentFailure::Machine(format!("a rule of this session cannot be read: {why}"));
        for why in self.policy.check().map_err(unreadable)?.to_vec() {
            self.warn("Permissions", format!("a rule that a client added is not used: {why}"));
        }
        Ok(())
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
