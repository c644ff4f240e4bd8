//! Handles the agent's side of a run: its output, its closed streams, its exit.

use super::Owner;
use super::calls::with_presence;
use super::run::{Agent, Due, Exited, OutputState, Run};
use crate::pipes::{Output, Readiness};
use crate::stats::add;
use crate::{CallError, Response};
use sa_api::{AcpServerStatus, AgentExit};
use sa_jsonrpc::{ErrorObject, codes};
use sa_relay::Answer;
use sa_supervisor::Exit;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Time between the end of a connection's agent and the end of its streams. Some clients take the end of one stream
/// for the end of all, so they must have read from the others how their requests ended.
const STREAM_DRAIN: Duration = Duration::from_millis(500);
/// Reads at the end of a run: enough to empty the largest pipe, and a bound on the output of grandchildren.
const LAST_READS: usize = 64;
/// Reads between two yields to other tasks.
const READS_IN_A_ROW: usize = 4;

impl Owner {
    pub(super) fn write(&mut self) {
        if let Run::Live { agent, phase } = &mut self.run
            && let Err(error) = agent.pipes.write()
        {
            tracing::debug!(server = %self.parts.server.id(), %error, "agent closed its input");
            phase.on_input_closed(Instant::now());
        }
    }

    /// Reads once and, now and then, yields: an agent that writes without pause would otherwise keep this thread, and
    /// the sockets that wait for it, for as long as the runtime lets one task run, which is many reads.
    pub(super) async fn read_and_yield(&mut self) {
        match self.read() {
            Output::Data(()) => {
                self.reads += 1;
                if self.reads.is_multiple_of(READS_IN_A_ROW) {
                    tokio::task::yield_now().await;
                }
            }
            Output::Nothing => {}
            Output::End => {
                if let Run::Live { phase, .. } = &mut self.run {
                    let due = phase.on_output_closed(Instant::now());
                    self.perform(due);
                }
            }
        }
    }

    fn read(&mut self) -> Output<()> {
        let Some(pipes) = self.run.pipes_mut() else { return Output::Nothing };
        let relay = &mut self.relay;
        let read = with_presence(&self.calls, &self.shared, |present| {
            pipes.read(Readiness::Runtime, |data| (data.len(), relay.agent_data(data, present)))
        });
        self.publish_read(read)
    }

    fn publish_read(&mut self, read: Output<(usize, sa_relay::Output)>) -> Output<()> {
        match read {
            Output::Data((length, output)) => {
                add(&self.parts.hub.stats.bytes_from_agents, length as u64);
                self.patience.restart();
                self.publish(output, None);
                Output::Data(())
            }
            Output::Nothing => Output::Nothing,
            Output::End => Output::End,
        }
    }

    /// Puts what the agent said into the log and, after that, answers on their way to the calls that wait.
    pub(super) fn publish(&mut self, output: sa_relay::Output, exit: Option<&AgentExit>) {
        add(&self.parts.hub.stats.messages_from_agents, output.messages as u64);
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
                Answer::Silent => Err(CallError::Silent(self.parts.timeouts.silence.unwrap_or_default())),
            };
            self.calls.answer(delivery.ticket, answer);
        }
        self.publish_pending();
    }

    /// Shows how many requests the agent has not answered.
    pub(super) fn publish_pending(&mut self) {
        self.shared.state().pending_requests = self.relay.pending_requests();
    }

    pub(super) fn on_exit(&mut self, exit: Exit) {
        let Run::Live { agent, phase } = &mut self.run else { return };
        let output = if agent.pipes.has_output() { OutputState::Open } else { OutputState::Closed };
        let due = phase.on_exit(exit, output, Instant::now());
        self.perform(due);
    }

    /// Performs the action that a transition asked for.
    pub(super) fn perform(&mut self, due: Due) {
        let grace = self.stop_grace();
        match (due, std::mem::replace(&mut self.run, Run::Idle)) {
            (Due::End(exit), Run::Live { agent, .. }) => {
                self.run = Run::Exited(self.end_run(agent, exit));
            }
            (Due::Stop, Run::Live { mut agent, phase }) => {
                let process = agent.pipes.process.clone();
                agent.exit = Box::pin(async move { process.stop(grace).await });
                self.run = Run::Live { agent, phase };
            }
            (_, run) => self.run = run,
        }
    }

    /// Reads the last output of an agent that has exited, and ends every wait for it.
    pub(super) fn end_run(&mut self, mut agent: Agent, exit: Exit) -> Exited {
        for _ in 0..LAST_READS {
            let relay = &mut self.relay;
            let read = with_presence(&self.calls, &self.shared, |present| {
                agent.pipes.read(Readiness::System, |data| (data.len(), relay.agent_data(data, present)))
            });
            if !matches!(self.publish_read(read), Output::Data(())) {
                break;
            }
        }
        let stderr_tail = agent.pipes.process.stderr_tail();
        let exit = AgentExit { code: exit.code, signal: exit.signal, stderr_tail };
        tracing::info!(
            server = %self.parts.server.id(), agent = %self.parts.agent.id,
            code = exit.code, signal = exit.signal, "agent ended"
        );
        add(&self.parts.hub.stats.exits, 1);
        {
            let mut state = self.shared.state();
            state.status = AcpServerStatus::Exited;
            state.pid = None;
            state.exit = Some(exit.clone());
        }
        self.report_exit(&exit);
        // A connection belongs to one client. Its streams report the exit, then they end.
        let until = self.parts.timeouts.unattended.map(|_| Instant::now() + STREAM_DRAIN);
        Exited { exit, until }
    }

    fn report_exit(&mut self, exit: &AgentExit) {
        let event = serde_json::to_value(exit).unwrap_or_default();
        let data = event.to_string();
        let message = "the agent ended before it answered".to_owned();
        let error = ErrorObject { code: codes::INTERNAL_ERROR, message, data: Some(event) };
        let relay = &mut self.relay;
        let output =
            with_presence(&self.calls, &self.shared, |present| relay.agent_end(&data, &error, present));
        self.publish(output, Some(exit));
    }
}
