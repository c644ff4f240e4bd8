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
//! `starting` is how an agent comes to be, `agent_side` what it does to its owner, `clock` what the passing of time does.

mod agent_side;
mod calls;
mod clock;
mod patience;
mod starting;

use crate::command::Command;
use crate::hub::{HubOptions, Registry};
use crate::pipes::{ExitWait, Pipes, exited, readable, writable};
use crate::server::Links;
use crate::shared::Shared;
use crate::stats::{Stats, add};
use crate::{CallError, Past, Position, Reader, ReaderKind, Server};
use bytes::Bytes;
use calls::{Calls, with_presence};
use patience::Patience;
use sa_agents::AgentSpec;
use sa_api::AgentExit;
use sa_jsonrpc::{Kind, Message};
use sa_relay::{Caller, Outgoing, Relay, RelayOptions, check_message};
use sa_supervisor::{Exit, Supervisor};
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long a server waits for its clients and its agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tending {
    /// Ends the server after so long without readers and callers.
    pub(crate) unattended: Option<Duration>,
    /// Fails requests after so long without a word of the agent.
    pub(crate) silence: Option<Duration>,
}

/// What an owner is made of.
pub(crate) struct OwnerParts {
    pub(crate) agent: AgentSpec,
    pub(crate) server: Server,
    pub(crate) tending: Tending,
    pub(crate) options: Arc<HubOptions>,
    pub(crate) supervisor: Supervisor,
    pub(crate) registry: Arc<Registry>,
    pub(crate) stats: Arc<Stats>,
}

pub(crate) struct Owner {
    parts: OwnerParts,
    commands: mpsc::Receiver<Command>,
    /// Came while the agent's program was being installed; their turn is next.
    waiting: VecDeque<Command>,
    shared: Arc<Shared>,
    stop: CancellationToken,
    /// Says that the server has ended, whatever becomes of this task.
    ended: DropGuard,
    relay: Relay,
    pipes: Option<Pipes>,
    exit_wait: Option<ExitWait>,
    /// The agent's exit, once known; the run ends when its output has been read.
    exit: Option<Exit>,
    /// When the run ends, or its end is enforced, though output may still come; after it, when a connection ends.
    run_deadline: Option<Instant>,
    calls: Calls,
    reads: usize,
    patience: Patience,
    /// When a client last sent something or went away.
    attended: Instant,
    /// Set when the server is to end by the owner's own decision.
    done: bool,
    last_exit: Option<AgentExit>,
    /// The newest record when the agent was last started.
    run_began: u64,
    /// Set once a reader has subscribed.
    was_read: bool,
}

impl Owner {
    pub(crate) fn new(parts: OwnerParts, links: Links) -> Self {
        let limits = &parts.options.limits;
        let options = RelayOptions {
            line_bytes: limits.line_bytes,
            unparsed_bytes: limits.unparsed_bytes,
            pending_requests: limits.pending_requests,
            asked_bytes: limits.log_bytes,
        };
        let relay = Relay::continuing(&options, links.shared.journal.ring().newest());
        let run_began = links.shared.journal.ring().newest();
        Self {
            patience: Patience::new(parts.tending.silence),
            parts,
            commands: links.commands,
            waiting: VecDeque::new(),
            shared: links.shared,
            stop: links.stop,
            ended: links.ended.drop_guard(),
            relay,
            pipes: None,
            exit_wait: None,
            exit: None,
            run_deadline: None,
            calls: Calls::default(),
            reads: 0,
            attended: Instant::now(),
            done: false,
            last_exit: None,
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
        while !self.done {
            if let Some(command) = self.waiting.pop_front() {
                self.command(command).await;
                continue;
            }
            let held_until = self.held_until();
            let deadline = self.next_deadline(held_until);
            // The timer may go off too early, as deadlines move with every message; it must not go off too late.
            if let Some(deadline) = deadline.filter(|at| timer.is_elapsed() || *at < timer.deadline()) {
                timer.as_mut().reset(deadline);
            }
            tokio::select! {
                () = stopped.as_mut() => break,
                command = self.commands.recv() => match command {
                    Some(command) => self.command(command).await,
                    None => break,
                },
                exit = exited(self.exit_wait.as_mut()) => self.agent_exited(exit),
                () = writable(self.pipes.as_ref()) => self.write(),
                () = readable(self.pipes.as_ref()), if held_until.is_none() => self.read_and_share().await,
                () = self.shared.journal.nudged() => self.attended = Instant::now(),
                () = &mut timer, if deadline.is_some() => self.time_passed(),
            }
            self.calls.deliver(&self.shared).await;
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
        if let Command::Call { message, .. } | Command::Send { message, .. } = &command
            && let Err(refused) = check_message(message)
        {
            return command.fail(refused.into());
        }
        if starts && self.exit.is_some() {
            self.end_run();
            // Those who waited for the last run learn of its end before the next one is prepared, which may take long.
            self.calls.deliver(&self.shared).await;
        }
        if self.pipes.is_none() && starts {
            let newest = self.shared.journal.ring().newest();
            if let Err(error) = self.start().await {
                return command.fail(error);
            }
            self.run_began = newest;
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
            Command::Subscribe { from, kind, reply } => drop(reply.send(Ok(self.subscribe(from, kind)))),
        }
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
            Kind::Request => self.patience.asked(&self.relay),
            // The agent was waiting for this; its silence counts from here.
            Kind::Response => self.patience.heard(),
            Kind::Notification => {}
        }
        add(&self.parts.stats.messages_to_agents, 1);
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
        let (shared, stats) = (Arc::clone(&self.shared), Arc::clone(&self.parts.stats));
        let mut reader = Reader::new(shared, stats, after, kind);
        (reader.questions, reader.past) = (questions, past);
        reader
    }

    /// Ends the agent and everybody's waiting, and lets go of the id.
    async fn finish(mut self) {
        self.parts.registry.forget(&self.parts.server);
        self.commands.close();
        self.calls.fail_all(&CallError::Deleted);
        let (farewell, grace) = (self.farewell(), self.stop_grace());
        if let Some(pipes) = &mut self.pipes {
            pipes.close_input();
            if !farewell.is_zero() {
                // One that does not go is ended all the same.
                let _ = tokio::time::timeout(farewell, pipes.process.wait()).await;
            }
            self.exit = Some(pipes.process.stop(grace).await);
            self.end_run();
        }
        self.refuse_waiting(&CallError::Deleted);
        self.shared.journal.close();
        self.parts.registry.ended(&self.parts.server);
        drop(self.ended);
    }

    fn farewell(&self) -> Duration {
        Duration::from_millis(self.parts.options.limits.farewell_ms)
    }

    fn stop_grace(&self) -> Duration {
        Duration::from_millis(self.parts.options.limits.stop_grace_ms)
    }
}
