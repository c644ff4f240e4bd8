//! The owner of one ACP server: the only task that changes its relay, its log and its agent.
//!
//! ```text
//!            Start, Call, Send with start           exit, or output closed
//!  starting ─────────────────────────────► running ───────────────────────► exited
//!     │ fails for the first time              ▲          Call with start        │
//!     ▼                                       └─────────────────────────────────┘
//!   gone ◄──────────── stop (DELETE, shutdown, unattended) from anywhere
//! ```
//!
//! `agent_side` is what the agent does to it, `clock` what the passing of time does.

mod agent_side;
mod calls;
mod clock;

use crate::command::Command;
use crate::hub::{HubOptions, Registry};
use crate::pipes::{ExitWait, Pipes, exited, readable, writable};
use crate::server::Links;
use crate::shared::Shared;
use crate::stats::{Stats, add};
use crate::{CallError, Position, Reader, Server, launch};
use bytes::Bytes;
use calls::Calls;
use sa_agents::AgentSpec;
use sa_api::{AcpServerStatus, AgentExit};
use sa_jsonrpc::{Kind, Message};
use sa_relay::{Caller, Outgoing, Relay, RelayOptions};
use sa_supervisor::{Exit, Supervisor};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What an owner is made of.
pub(crate) struct OwnerParts {
    pub(crate) agent: AgentSpec,
    pub(crate) server: Server,
    /// Ends the server after so long without readers and requests.
    pub(crate) unattended: Option<Duration>,
    pub(crate) options: Arc<HubOptions>,
    pub(crate) supervisor: Supervisor,
    pub(crate) registry: Arc<Registry>,
    pub(crate) stats: Arc<Stats>,
}

pub(crate) struct Owner {
    parts: OwnerParts,
    commands: mpsc::Receiver<Command>,
    shared: Arc<Shared>,
    stop: CancellationToken,
    ended: CancellationToken,
    relay: Relay,
    pipes: Option<Pipes>,
    exit_wait: Option<ExitWait>,
    /// The agent's exit, once known; the run ends when its output has been read.
    exit: Option<Exit>,
    /// When the run ends, or its end is enforced, though output may still come; after it, when a connection ends.
    run_deadline: Option<Instant>,
    calls: Calls,
    reads: usize,
    last_heard: Instant,
    attended: Instant,
    /// Set when the server is to end by the owner's own decision.
    done: bool,
    last_exit: Option<AgentExit>,
}

impl Owner {
    pub(crate) fn new(parts: OwnerParts, links: Links) -> Self {
        let limits = &parts.options.limits;
        let relay = Relay::new(&RelayOptions {
            line_bytes: limits.line_bytes,
            unparsed_bytes: limits.unparsed_bytes,
            pending_requests: limits.pending_requests,
            asked_bytes: limits.log_bytes,
        });
        Self {
            parts,
            commands: links.commands,
            shared: links.shared,
            stop: links.stop,
            ended: links.ended,
            relay,
            pipes: None,
            exit_wait: None,
            exit: None,
            run_deadline: None,
            calls: Calls::default(),
            reads: 0,
            last_heard: Instant::now(),
            attended: Instant::now(),
            done: false,
            last_exit: None,
        }
    }

    /// Runs until the server ends.
    pub(crate) async fn run(mut self) {
        let mut timer = pin!(tokio::time::sleep(Duration::ZERO));
        while !self.done {
            let held_until = self.held_until();
            let deadline = self.next_deadline(held_until);
            // The timer may go off too early, as deadlines move with every message; it must not go off too late.
            if let Some(deadline) = deadline.filter(|at| timer.is_elapsed() || *at < timer.deadline()) {
                timer.as_mut().reset(deadline);
            }
            tokio::select! {
                () = self.stop.cancelled() => break,
                command = self.commands.recv() => match command {
                    Some(command) => self.command(command).await,
                    None => break,
                },
                exit = exited(self.exit_wait.as_mut()) => self.agent_exited(exit),
                () = writable(self.pipes.as_ref()) => self.write(),
                () = readable(self.pipes.as_ref()), if held_until.is_none() => self.read_and_share().await,
                () = self.shared.nudge.notified() => self.attended = Instant::now(),
                () = &mut timer, if deadline.is_some() => self.time_passed(),
            }
            self.calls.deliver(&self.shared.seats).await;
        }
        self.finish().await;
    }

    async fn command(&mut self, command: Command) {
        // A command that finds no agent and may start one does so; all others find what there is.
        let starts = match &command {
            Command::Start { .. } => true,
            Command::Call { start, .. } | Command::Send { start, .. } => *start,
            Command::Subscribe { .. } => false,
        };
        if starts && self.exit.is_some() {
            self.end_run();
        }
        if self.pipes.is_none()
            && starts
            && let Err(error) = self.start().await
        {
            return command.fail(error);
        }
        match command {
            Command::Start { reply } => drop(reply.send(Ok(()))),
            Command::Call { message, reply, .. } => {
                let ticket = self.calls.ticket();
                match self.accept(message, Caller::Post(ticket)) {
                    Ok(()) => self.calls.wait(ticket, reply),
                    Err(error) => drop(reply.send(Err(error))),
                }
            }
            Command::Send { message, caller, reply, .. } => drop(reply.send(self.accept(message, caller))),
            Command::Subscribe { from, stream, reply } => drop(reply.send(Ok(self.subscribe(from, stream)))),
        }
    }

    async fn start(&mut self) -> Result<(), CallError> {
        self.shared.state().status = AcpServerStatus::Starting;
        let spec = launch::command(&self.parts.agent, &self.parts.options.this_program);
        let spawned = match self.parts.supervisor.spawn(spec).await {
            Ok(spawned) => spawned,
            Err(error) => return Err(self.start_failed(error.to_string())),
        };
        let process = spawned.process.clone();
        tracing::info!(server = %self.parts.server.id(), agent = %self.parts.agent.id, pid = process.pid(), "agent started");
        add(&self.parts.stats.starts, 1);
        {
            let mut state = self.shared.state();
            state.status = AcpServerStatus::Running;
            state.pid = Some(process.pid());
            state.exit = None;
        }
        self.pipes = Some(Pipes::new(spawned));
        self.exit_wait = Some(Box::pin(async move { process.wait().await }));
        self.run_deadline = None;
        self.last_heard = Instant::now();
        Ok(())
    }

    fn start_failed(&mut self, reason: String) -> CallError {
        let error = CallError::Spawn { agent: self.parts.agent.id.clone(), reason };
        tracing::warn!(server = %self.parts.server.id(), %error, "agent not started");
        if self.last_exit.is_none() {
            // It never ran: there is nothing to keep the server for, and whoever waits learns why.
            self.parts.registry.forget(&self.parts.server);
            self.done = true;
            // Set once here, by the first start; whoever still holds the handle finds it there.
            let _ = self.shared.failure.set(error.clone());
            self.commands.close();
            while let Ok(command) = self.commands.try_recv() {
                command.fail(error.clone());
            }
        } else {
            self.shared.state().status = AcpServerStatus::Exited;
        }
        error
    }

    /// Puts a client's message on its way to the agent.
    fn accept(&mut self, message: Message<Bytes>, caller: Caller) -> Result<(), CallError> {
        let limit = self.parts.options.limits.stdin_queue_bytes;
        let Some(pipes) = self.pipes.as_mut().filter(|pipes| pipes.takes_input() && self.exit.is_none())
        else {
            let ended = CallError::NotRunning(self.last_exit.clone().unwrap_or_default());
            return Err(if self.pipes.is_some() { CallError::Closing } else { ended });
        };
        let queued = pipes.inbox.len();
        if queued > 0 && queued + message.bytes.len() > limit {
            return Err(CallError::NotReading { queued });
        }
        let bytes = match self.relay.client_message(&message, caller)? {
            Outgoing::Verbatim => message.bytes,
            Outgoing::Rewritten(bytes) => bytes.into(),
        };
        if message.shape.kind == Kind::Response {
            // The agent was waiting for this; its silence counts from here.
            self.last_heard = Instant::now();
        }
        add(&self.parts.stats.messages_to_agents, 1);
        self.attended = Instant::now();
        pipes.inbox.push(bytes);
        self.publish_pending();
        self.write();
        Ok(())
    }

    fn subscribe(&mut self, from: Position, stream: bool) -> Reader {
        let (after, questions) = match from {
            Position::Now => (self.shared.log().newest(), self.relay.open_questions()),
            Position::After(sequence) => (sequence, Vec::new()),
        };
        Reader::new(Arc::clone(&self.shared), Arc::clone(&self.parts.stats), after, questions, stream)
    }

    /// Ends the agent and everybody's waiting, and lets go of the id.
    async fn finish(mut self) {
        self.parts.registry.forget(&self.parts.server);
        self.commands.close();
        self.calls.fail_all(&CallError::Deleted);
        let grace = self.stop_grace();
        if let Some(pipes) = &mut self.pipes {
            pipes.close_input();
            self.exit = Some(pipes.process.stop(grace).await);
            self.end_run();
        }
        while let Ok(command) = self.commands.try_recv() {
            command.fail(CallError::Deleted);
        }
        self.shared.close();
        self.ended.cancel();
    }

    fn stop_grace(&self) -> Duration {
        Duration::from_millis(self.parts.options.limits.stop_grace_ms)
    }
}
