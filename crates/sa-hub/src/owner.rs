//! The owner of one ACP server: the only task that changes its relay, its log and its agent.
//!
//! ```text
//!            Start, Call, Send with start           exit, or output closed
//!  starting ─────────────────────────────► running ───────────────────────► exited
//!     │ fails for the first time              ▲          Call with start        │
//!     ▼                                       └─────────────────────────────────┘
//!   gone ◄──────────── stop (DELETE, shutdown, unattended) from anywhere
//! ```

use crate::command::{Command, Reply};
use crate::hub::{HubOptions, Registry};
use crate::pipes::{ExitWait, Output, Pipes, exited, readable, writable};
use crate::server::Links;
use crate::shared::Shared;
use crate::stats::{Stats, add};
use crate::{CallError, Position, Reader, Response, Server, launch};
use bytes::Bytes;
use sa_agents::AgentSpec;
use sa_api::{AcpServerStatus, AgentExit};
use sa_jsonrpc::{ErrorObject, Kind, Message, codes};
use sa_relay::{Answer, Caller, Outgoing, Relay, RelayOptions, Surroundings};
use sa_supervisor::{Exit, Supervisor};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
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
    /// When the run ends, or its end is enforced, though output may still come.
    run_deadline: Option<Instant>,
    /// By ticket, so the first has waited longest.
    calls: BTreeMap<u64, Call>,
    /// Answers on their way out, see [`Owner::deliver`].
    answers: Vec<(Reply<Response>, Result<Response, CallError>)>,
    next_ticket: u64,
    last_heard: Instant,
    attended: Instant,
    /// Set when the server is to end by the owner's own decision.
    done: bool,
    last_exit: Option<AgentExit>,
}

/// A POST that waits.
struct Call {
    reply: Reply<Response>,
    since: Instant,
}

/// How long output is still read after the agent's exit: a grandchild may hold the pipe open for ever.
const DRAIN: Duration = Duration::from_millis(100);
/// How long an agent that closed its output or input may take to exit before it is stopped.
const HALF_CLOSED: Duration = Duration::from_millis(250);

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
            calls: BTreeMap::new(),
            answers: Vec::new(),
            next_ticket: 0,
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
            let deadline =
                [held_until, self.run_deadline, self.silence_deadline(), self.unattended_deadline()]
                    .into_iter()
                    .flatten()
                    .min();
            if let Some(deadline) = deadline.filter(|deadline| *deadline != timer.deadline()) {
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
                () = readable(self.pipes.as_ref()), if held_until.is_none() => self.read(),
                () = self.shared.nudge.notified() => self.attended = Instant::now(),
                () = &mut timer, if deadline.is_some() => self.time_passed(),
            }
            if !self.answers.is_empty() {
                self.deliver().await;
            }
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
                let ticket = self.next_ticket;
                self.next_ticket += 1;
                match self.accept(message, Caller::Post(ticket)) {
                    Ok(()) => drop(self.calls.insert(ticket, Call { reply, since: Instant::now() })),
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

    fn write(&mut self) {
        let Some(pipes) = self.pipes.as_mut() else { return };
        if let Err(error) = pipes.write() {
            tracing::debug!(server = %self.parts.server.id(), %error, "agent closed its input");
            self.half_closed();
        }
    }

    fn read(&mut self) {
        let Some(pipes) = self.pipes.as_mut() else { return };
        let (relay, calls) = (&mut self.relay, &self.calls);
        let attached = |ticket| calls.get(&ticket).is_some_and(|call: &Call| !call.reply.is_closed());
        let around = Surroundings { attached: &attached, streams: self.shared.seats.streams() };
        let output = pipes.read(|data| (data.len(), relay.agent_data(data, &around)));
        match output {
            Output::Data((length, output)) => {
                add(&self.parts.stats.bytes_from_agents, length as u64);
                self.last_heard = Instant::now();
                self.publish(output, None);
            }
            Output::Nothing => {}
            Output::End if self.exit.is_some() => self.end_run(),
            Output::End => self.half_closed(),
        }
    }

    /// Puts what the agent said into the log and, after that, answers on their way to the calls that wait.
    fn publish(&mut self, output: sa_relay::Output, exit: Option<&AgentExit>) {
        add(&self.parts.stats.messages_from_agents, output.messages as u64);
        if let Some(segment) = output.segment {
            self.shared.append(segment);
        }
        if output.deliveries.is_empty() {
            return;
        }
        for delivery in output.deliveries {
            let Some(call) = self.calls.remove(&delivery.ticket) else { continue };
            let answer = match delivery.answer {
                Answer::Response { bytes, is_error } => Ok(Response { bytes, is_error }),
                Answer::AgentEnded => Err(CallError::Ended(exit.cloned().unwrap_or_default())),
            };
            self.answers.push((call.reply, answer));
        }
        self.attended = Instant::now();
        self.publish_pending();
    }

    /// Answers the calls, readers first: whoever follows a stream beside a POST should see what led to an answer
    /// before the answer, and the readers were woken when the log grew.
    async fn deliver(&mut self) {
        if self.shared.seats.count() > 0 {
            tokio::task::yield_now().await;
        }
        for (reply, answer) in self.answers.drain(..) {
            drop(reply.send(answer));
        }
    }

    fn publish_pending(&self) {
        self.shared.state().pending_requests = self.relay.pending_requests();
    }

    fn agent_exited(&mut self, exit: Exit) {
        self.exit_wait = None;
        self.exit = Some(exit);
        if self.pipes.as_ref().is_some_and(Pipes::has_output) {
            self.run_deadline = Some(Instant::now() + DRAIN);
        } else {
            self.end_run();
        }
    }

    /// The agent closed one of its streams: it cannot be talked to and gets a moment to exit by itself.
    fn half_closed(&mut self) {
        if self.exit.is_none() && self.run_deadline.is_none() {
            self.run_deadline = Some(Instant::now() + HALF_CLOSED);
        }
    }

    /// The agent is gone and its output was read: every wait ends here.
    fn end_run(&mut self) {
        let (Some(pipes), Some(exit)) = (self.pipes.take(), self.exit.take()) else { return };
        (self.exit_wait, self.run_deadline) = (None, None);
        let exit =
            AgentExit { code: exit.code, signal: exit.signal, stderr_tail: pipes.process.stderr_tail() };
        tracing::info!(
            server = %self.parts.server.id(), agent = %self.parts.agent.id,
            code = exit.code, signal = exit.signal, "agent ended"
        );
        add(&self.parts.stats.exits, 1);
        let event = serde_json::to_value(&exit).unwrap_or_default();
        let error = ErrorObject {
            code: codes::INTERNAL_ERROR,
            message: "the agent ended before it answered".to_owned(),
            data: Some(event.clone()),
        };
        let calls = &self.calls;
        let attached = |ticket| calls.contains_key(&ticket);
        let around = Surroundings { attached: &attached, streams: self.shared.seats.streams() };
        let output = self.relay.agent_end(&event.to_string(), &error, &around);
        {
            let mut state = self.shared.state();
            state.status = AcpServerStatus::Exited;
            state.pid = None;
            state.exit = Some(exit.clone());
        }
        self.publish(output, Some(&exit));
        self.publish_pending();
        self.last_exit = Some(exit);
        // A connection belongs to one client, who was told on its streams; they end with the agent.
        self.done |= self.parts.unattended.is_some();
    }

    fn time_passed(&mut self) {
        let now = Instant::now();
        if self.run_deadline.is_some_and(|deadline| deadline <= now) {
            self.run_deadline = None;
            match &self.pipes {
                Some(_) if self.exit.is_some() => self.end_run(),
                Some(pipes) => {
                    let (process, grace) = (pipes.process.clone(), self.stop_grace());
                    self.exit_wait = Some(Box::pin(async move { process.stop(grace).await }));
                }
                None => {}
            }
        }
        if self.silence_deadline().is_some_and(|deadline| deadline <= now) {
            self.silence(now);
        }
        self.done |= self.unattended_deadline().is_some_and(|deadline| deadline <= now);
    }

    /// Fails the calls that have waited through too long a silence. The agent may still answer; the streams get it.
    fn silence(&mut self, now: Instant) {
        let Some(silence) = self.parts.options.limits.silence() else { return };
        let heard = self.last_heard;
        for (ticket, call) in self.calls.extract_if(.., |_, call| call.since.max(heard) + silence <= now) {
            self.relay.abandon(ticket);
            add(&self.parts.stats.silences, 1);
            drop(call.reply.send(Err(CallError::Silent(silence))));
        }
    }

    fn silence_deadline(&self) -> Option<Instant> {
        if self.calls.is_empty() || self.relay.agent_waits() {
            return None;
        }
        let silence = self.parts.options.limits.silence()?;
        let oldest = self.calls.first_key_value()?.1.since;
        Some(oldest.max(self.last_heard) + silence)
    }

    /// Until when readers that are behind hold the agent's output back.
    fn held_until(&self) -> Option<Instant> {
        let limits = &self.parts.options.limits;
        self.pipes.as_ref()?;
        let look = || {
            let end = self.shared.log().end();
            let stall = Duration::from_millis(limits.reader_stall_ms);
            self.shared.seats.lookout(end, limits.reader_lag_bytes as u64, stall).until
        };
        if look().is_none() {
            self.shared.holding.store(false, Ordering::Release);
            return None;
        }
        if !self.shared.holding.swap(true, Ordering::AcqRel) {
            add(&self.parts.stats.holds, 1);
        }
        // Once more: a reader may have caught up before it could see that it is waited for.
        look()
    }

    fn unattended_deadline(&self) -> Option<Instant> {
        let grace = self.parts.unattended?;
        let attended = self.shared.seats.count() > 0 || self.relay.pending_requests() > 0;
        (!attended).then(|| self.attended + grace)
    }

    fn stop_grace(&self) -> Duration {
        Duration::from_millis(self.parts.options.limits.stop_grace_ms)
    }

    /// Ends the agent and everybody's waiting, and lets go of the id.
    async fn finish(mut self) {
        self.parts.registry.forget(&self.parts.server);
        self.commands.close();
        for (_, call) in std::mem::take(&mut self.calls) {
            drop(call.reply.send(Err(CallError::Deleted)));
        }
        let grace = self.stop_grace();
        if let Some(pipes) = &mut self.pipes {
            pipes.close_input();
            let exit = pipes.process.stop(grace).await;
            self.exit = Some(exit);
        }
        self.end_run();
        self.deliver().await;
        while let Ok(command) = self.commands.try_recv() {
            command.fail(CallError::Deleted);
        }
        self.shared.close();
        self.ended.cancel();
    }
}
