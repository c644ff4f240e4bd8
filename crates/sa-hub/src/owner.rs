//! The owner of one ACP server: the only task that changes its relay, its log and its agent.
//!
//! ```text
//!         a command that           prepared,            a stream closes
//!         needs an agent           spawned              ┌─────────────────► HalfClosed ──timeout──► Stopping
//!  Idle ─────────────────► Preparing ─────────► Running ┤                       │ exit                 │ exit
//!    ▲ failed                ▲   │ failed               │ exit                  ▼                      ▼
//!    └───────────────────────┼───┤                      └─────────────────► Draining ◄────────────────┘
//!                            │   ▼                                              │ output closed, timeout, or
//!                            └─ Exited ◄────────────────────────────────────────┘ a command that needs an agent
//! ```
//!
//! `Run` holds these states; the four that have a process are its `Phase`. A process whose output is closed when it
//! exits skips `Draining`. The server ends when it is deleted, when the daemon stops, when its first start fails, and,
//! if it belongs to a connection, some time after its agent has exited or its last client has left.
//!
//! `starting` prepares and starts an agent, `agent_side` handles its output and its exit, `clock` the deadlines.

mod agent_side;
mod calls;
mod clock;
mod patience;
mod run;
mod starting;

use crate::command::ServerCommand;
use crate::hub::HubInner;
use crate::pipes::{readable, writable};
use crate::server::Links;
use crate::shared::Shared;
use crate::stats::add;
use crate::{CallError, Past, Position, Reader, ReaderKind, Server};
use bytes::Bytes;
use calls::{Calls, with_presence};
use patience::Patience;
use run::Run;
use sa_agents::AgentSpec;
use sa_jsonrpc::{Kind, Message};
use sa_relay::{Caller, Outgoing, Relay, RelayOptions, check_message};
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Timeouts of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// Ends the server after so long without readers and callers.
    pub(crate) unattended: Option<Duration>,
    /// Fails requests after so long without a word of the agent.
    pub(crate) silence: Option<Duration>,
}

/// The parts of an owner.
pub(crate) struct OwnerParts {
    pub(crate) agent: AgentSpec,
    pub(crate) server: Server,
    pub(crate) timeouts: Timeouts,
    pub(crate) hub: Arc<HubInner>,
}

pub(crate) struct Owner {
    parts: OwnerParts,
    commands: mpsc::Receiver<ServerCommand>,
    /// Came while the agent's program was being installed; their turn is next.
    waiting: VecDeque<ServerCommand>,
    shared: Arc<Shared>,
    stop: CancellationToken,
    /// Says that the server has ended, whatever becomes of this task.
    ended: DropGuard,
    relay: Relay,
    run: Run,
    calls: Calls,
    reads: usize,
    patience: Patience,
    /// The time at which a client last sent a message or left.
    attended: Instant,
    /// The newest record when the agent was last started.
    run_began: u64,
    /// Set once a reader has subscribed.
    was_read: bool,
}

impl Owner {
    pub(crate) fn new(parts: OwnerParts, links: Links) -> Self {
        let limits = &parts.hub.options.limits;
        let options = RelayOptions {
            line_bytes: limits.line_bytes,
            unparsed_bytes: limits.unparsed_bytes,
            pending_requests: limits.pending_requests,
            asked_bytes: limits.log_bytes,
        };
        let relay = Relay::continuing(&options, links.shared.journal.ring().newest());
        let run_began = links.shared.journal.ring().newest();
        Self {
            patience: Patience::new(parts.timeouts.silence),
            parts,
            commands: links.commands,
            waiting: VecDeque::new(),
            shared: links.shared,
            stop: links.stop,
            ended: links.ended.drop_guard(),
            relay,
            run: Run::Idle,
            calls: Calls::default(),
            reads: 0,
            attended: Instant::now(),
            run_began,
            was_read: false,
        }
    }

    /// Runs until the server ends.
    pub(crate) async fn run(mut self) {
        let mut timer = pin!(tokio::time::sleep(Duration::ZERO));
        // Made once: making and dropping it in every turn costs as much as a short message.
        let stop = self.stop.clone();
        let mut stopped = pin!(stop.cancelled());
        loop {
            while !self.run.is_preparing()
                && let Some(command) = self.waiting.pop_front()
            {
                self.on_command(command);
            }
            self.calls.deliver(&self.shared).await;
            let held_until = self.held_until();
            let deadline = self.next_deadline(held_until);
            // The timer may go off too early, as deadlines move with every message; it must not go off too late.
            if let Some(deadline) = deadline.filter(|at| timer.is_elapsed() || *at < timer.deadline()) {
                timer.as_mut().reset(deadline);
            }
            let has_room = self.waiting.len() < self.parts.hub.options.limits.pending_requests;
            let (pipes, pending) = self.run.split();
            tokio::select! {
                () = stopped.as_mut() => break,
                command = self.commands.recv(), if has_room => match command {
                    Some(command) => self.on_command(command),
                    None => break,
                },
                progress = pending.resolve() => if self.on_progress(progress).await.is_break() {
                    break;
                },
                () = writable(pipes) => self.write(),
                () = readable(pipes), if held_until.is_none() => self.read_and_yield().await,
                () = self.shared.journal.nudged() => self.attended = Instant::now(),
                () = &mut timer, if deadline.is_some() => if self.on_time().is_break() {
                    break;
                },
            }
        }
        self.finish().await;
    }

    fn on_command(&mut self, command: ServerCommand) {
        if let ServerCommand::Call { message, .. } | ServerCommand::Send { message, .. } = &command
            && let Err(refused) = check_message(message)
        {
            return command.fail(refused.into());
        }
        let needs_agent = !matches!(command, ServerCommand::Subscribe { .. });
        if needs_agent && self.run.is_preparing() {
            self.waiting.push_back(command);
        } else if command.starts_agent() && !self.run.is_alive() {
            self.prepare(command);
        } else {
            self.execute(command);
        }
    }

    /// Executes a command with the agent there is.
    fn execute(&mut self, command: ServerCommand) {
        match command {
            ServerCommand::Start { reply } => drop(reply.send(Ok(()))),
            ServerCommand::Call { message, reply, .. } => {
                let ticket = self.calls.ticket();
                match self.accept(message, Caller::Post(ticket)) {
                    Ok(()) => self.calls.wait(ticket, reply),
                    Err(error) => drop(reply.send(Err(error))),
                }
            }
            ServerCommand::Send { message, caller, reply, .. } => {
                drop(reply.send(self.accept(message, caller)))
            }
            ServerCommand::Subscribe { from, kind, reply } => {
                drop(reply.send(Ok(self.subscribe(from, kind))))
            }
        }
    }

    /// Puts a client's message on its way to the agent.
    fn accept(&mut self, message: Message<Bytes>, caller: Caller) -> Result<(), CallError> {
        let limit = self.parts.hub.options.limits.stdin_queue_bytes;
        let pipes = self.run.input()?;
        let queued = pipes.inbox.len();
        if queued > 0 && queued + message.bytes.len() > limit {
            return Err(CallError::NotReading { queued });
        }
        self.attended = Instant::now();
        let relay = &mut self.relay;
        let outgoing = with_presence(&self.calls, &self.shared, |present| {
            relay.client_message(&message, caller, present)
        });
        let bytes = match outgoing? {
            Outgoing::Verbatim => message.bytes,
            Outgoing::Rewritten(bytes) => bytes.into(),
            Outgoing::Nothing => return Ok(()),
        };
        match message.shape.kind {
            Kind::Request => self.patience.on_request(&self.relay),
            // The agent was waiting for this; its silence counts from here.
            Kind::Response => self.patience.restart(),
            Kind::Notification => {}
        }
        add(&self.parts.hub.stats.messages_to_agents, 1);
        pipes.inbox.push(bytes);
        self.publish_pending();
        self.write();
        Ok(())
    }

    fn subscribe(&mut self, from: Position, kind: ReaderKind) -> Reader {
        let is_first = !std::mem::replace(&mut self.was_read, true);
        let oldest = self.shared.journal.ring().oldest();
        let newest = self.shared.journal.ring().newest();
        let (after, questions, past) = match from {
            Position::After(sequence) => (sequence, Vec::new(), None),
            Position::Fresh if is_first => {
                // Those that left the log come first, the others in their place.
                let (left, here): (Vec<_>, Vec<_>) =
                    self.relay.open_questions().into_iter().partition(|question| question.sequence < oldest);
                let open = here.iter().map(|question| question.sequence).collect();
                (self.run_began, left, Some(Past { upto: newest, open }))
            }
            Position::Now | Position::Fresh => (newest, self.relay.open_questions(), None),
        };
        let (shared, stats) = (Arc::clone(&self.shared), Arc::clone(&self.parts.hub.stats));
        let mut reader = Reader::new(shared, stats, after, kind);
        (reader.questions, reader.past) = (questions, past);
        reader
    }

    /// Ends the agent and every wait, and gives the id up.
    async fn finish(mut self) {
        self.calls.deliver(&self.shared).await;
        self.parts.hub.registry.forget(&self.parts.server);
        self.commands.close();
        self.calls.fail_all(&CallError::Deleted);
        match std::mem::replace(&mut self.run, Run::Idle) {
            Run::Live { mut agent, .. } => {
                agent.pipes.close_input();
                let drain = Duration::from_millis(self.parts.hub.options.limits.drain_ms);
                if !drain.is_zero() {
                    // One that does not exit is stopped all the same.
                    let _ = tokio::time::timeout(drain, agent.pipes.process.wait()).await;
                }
                let exit = agent.pipes.process.stop(self.stop_grace()).await;
                self.end_run(agent, exit);
            }
            Run::Preparing(preparing) => preparing.command.fail(CallError::Deleted),
            Run::Idle | Run::Exited(_) => {}
        }
        self.refuse_waiting(&CallError::Deleted).await;
        self.shared.journal.close();
        self.parts.hub.registry.ended(&self.parts.server);
        drop(self.ended);
    }

    fn stop_grace(&self) -> Duration {
        Duration::from_millis(self.parts.hub.options.limits.stop_grace_ms)
    }
}
