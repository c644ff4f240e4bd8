//! What the agent does to its owner: it reads, writes, closes its streams, ends.

use super::Owner;
use super::calls::with_presence;
use crate::pipes::{Asked, Output, Pipes};
use crate::stats::add;
use crate::{CallError, Response};
use sa_api::{AcpServerStatus, AgentExit};
use sa_jsonrpc::{ErrorObject, codes};
use sa_relay::Answer;
use sa_supervisor::Exit;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long output is still read after the agent's exit: a grandchild may hold the pipe open for ever.
pub(super) const DRAIN: Duration = Duration::from_millis(100);
/// How long an agent that closed its output or input may take to exit before it is stopped.
const HALF_CLOSED: Duration = Duration::from_millis(250);
/// How long the streams of a connection outlive its agent: clients that take the end of any of them for the end of
/// everything must have read from the others how their requests ended.
const FAREWELL: Duration = Duration::from_millis(500);
/// How often a pipe is read at the end of a run: enough to empty the largest one, and an end to what grandchildren write.
const LAST_READS: usize = 64;
/// How many reads pass between two turns of everybody else.
const READS_IN_A_ROW: usize = 4;

impl Owner {
    pub(super) fn write(&mut self) {
        let Some(pipes) = self.pipes.as_mut() else { return };
        if let Err(error) = pipes.write() {
            tracing::debug!(server = %self.parts.server.id(), %error, "agent closed its input");
            self.half_closed();
        }
    }

    /// Reads once, and now and then lets others run: an agent that writes without pause would keep this thread, and the
    /// sockets that wait for it, for as long as the runtime allows a task to go on, which is many reads.
    pub(super) async fn read_and_share(&mut self) {
        if !self.read(Asked::Runtime) {
            return;
        }
        self.reads += 1;
        if self.reads.is_multiple_of(READS_IN_A_ROW) {
            tokio::task::yield_now().await;
        }
    }

    /// Reads once. False if there was nothing to read.
    pub(super) fn read(&mut self, asked: Asked) -> bool {
        let Some(pipes) = self.pipes.as_mut() else { return false };
        let relay = &mut self.relay;
        let read = with_presence(&self.calls, &self.shared, |present| {
            pipes.read(asked, |data| (data.len(), relay.agent_data(data, present)))
        });
        match read {
            Output::Data((length, output)) => {
                add(&self.parts.stats.bytes_from_agents, length as u64);
                self.patience.heard();
                self.publish(output, None);
                true
            }
            Output::Nothing => false,
            Output::End => {
                self.output_closed();
                false
            }
        }
    }

    /// Puts what the agent said into the log and, after that, answers on their way to the calls that wait.
    pub(super) fn publish(&mut self, output: sa_relay::Output, exit: Option<&AgentExit>) {
        add(&self.parts.stats.messages_from_agents, output.messages as u64);
        if let Some(segment) = output.segment {
            self.shared.journal.append(Arc::new(segment));
        }
        if !output.deliveries.is_empty() {
            self.attended = Instant::now();
        }
        for delivery in output.deliveries {
            let answer = match delivery.answer {
                Answer::Response { bytes, is_error } => Ok(Response { bytes, is_error }),
                Answer::AgentEnded => Err(CallError::Ended(exit.cloned().unwrap_or_default())),
                Answer::Silent => Err(CallError::Silent(self.parts.tending.silence.unwrap_or_default())),
            };
            self.calls.answer(delivery.ticket, answer);
        }
        self.publish_pending();
    }

    /// Shows how many requests the agent has not answered.
    pub(super) fn publish_pending(&mut self) {
        self.shared.state().pending_requests = self.relay.pending_requests();
    }

    pub(super) fn agent_exited(&mut self, exit: Exit) {
        self.exit_wait = None;
        self.exit = Some(exit);
        if self.pipes.as_ref().is_some_and(Pipes::has_output) {
            self.run_deadline = Some(Instant::now() + DRAIN);
        } else {
            self.end_run();
        }
    }

    fn output_closed(&mut self) {
        if self.exit.is_some() { self.end_run() } else { self.half_closed() }
    }

    /// The agent closed one of its streams: it cannot be talked to and gets a moment to exit by itself.
    fn half_closed(&mut self) {
        if self.exit.is_none() && self.run_deadline.is_none() {
            self.run_deadline = Some(Instant::now() + HALF_CLOSED);
        }
    }

    /// The agent is gone: the last of its output is read and every wait ends here.
    pub(super) fn end_run(&mut self) {
        let Some(exit) = self.exit.take() else { return };
        for _ in 0..LAST_READS {
            if !self.read(Asked::System) {
                break;
            }
        }
        let Some(pipes) = self.pipes.take() else { return };
        (self.exit_wait, self.run_deadline) = (None, None);
        let exit =
            AgentExit { code: exit.code, signal: exit.signal, stderr_tail: pipes.process.stderr_tail() };
        tracing::info!(
            server = %self.parts.server.id(), agent = %self.parts.agent.id,
            code = exit.code, signal = exit.signal, "agent ended"
        );
        add(&self.parts.stats.exits, 1);
        {
            let mut state = self.shared.state();
            state.status = AcpServerStatus::Exited;
            state.pid = None;
            state.exit = Some(exit.clone());
        }
        self.tell_end(&exit);
        self.last_exit = Some(exit);
        // A connection belongs to one client, who is told on its streams; then they end, too.
        self.run_deadline = self.parts.tending.unattended.map(|_| Instant::now() + FAREWELL);
    }

    fn tell_end(&mut self, exit: &AgentExit) {
        let event = serde_json::to_value(exit).unwrap_or_default();
        let data = event.to_string();
        let message = "the agent ended before it answered".to_owned();
        let error = ErrorObject { code: codes::INTERNAL_ERROR, message, data: Some(event) };
        let relay = &mut self.relay;
        let output =
            with_presence(&self.calls, &self.shared, |present| relay.agent_end(&data, &error, present));
        self.publish(output, Some(exit));
        self.publish_pending();
    }
}
