//! The handle of one process: what callers can ask of it.

use crate::error::{InputError, ResizeError};
use crate::input::QueuedInput;
use crate::limits::{INPUT_QUEUE_BYTES, INPUT_WAIT};
use crate::log::{Entry, Position};
use crate::owner::ProcessCommand;
use crate::reader::Reader;
use crate::shared::Shared;
use crate::spec::Spec;
use bytes::Bytes;
use sa_api::{ExitStatus, ProcessInfo, ProcessLogsStream, ProcessOwner, ProcessState, Timestamp};
use sa_journal::{Gap, Step};
use sa_supervisor::{Exit, Process as Child, TerminalSize};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The state of a process's input after what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterInput {
    Open,
    Closed,
}

/// The end of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub exit: ExitStatus,
    /// The time of the end.
    pub at: Timestamp,
}

impl Ended {
    pub(crate) fn now(child: &Child, exit: Exit) -> Self {
        Self { exit: status(child, exit), at: Timestamp::now() }
    }
}

/// Returns an exit as the contract describes it.
pub(crate) fn status(child: &Child, Exit { code, signal }: Exit) -> ExitStatus {
    ExitStatus { exit_code: code, signal, oom_killed: child.ran_out_of_memory() }
}

/// One process. Cloning gives another handle on the same one.
#[derive(Debug, Clone)]
pub struct Process {
    inner: Arc<Inner>,
}

/// The parts of a process.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) id: String,
    /// In the order of creation.
    pub(crate) number: u64,
    pub(crate) spec: Spec,
    pub(crate) created_at: Timestamp,
    pub(crate) child: Child,
    pub(crate) commands: mpsc::Sender<ProcessCommand>,
    pub(crate) shared: Arc<Shared>,
}

impl Process {
    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    pub fn id(&self) -> &str {
        &self.inner.id
    }

    pub(crate) fn number(&self) -> u64 {
        self.inner.number
    }

    pub fn has_terminal(&self) -> bool {
        self.inner.spec.terminal.is_some()
    }

    /// Returns the process as the contract describes it.
    pub fn describe(&self) -> ProcessInfo {
        let Inner { id, spec, created_at, child, shared, .. } = &*self.inner;
        let ended = shared.ended();
        ProcessInfo {
            id: id.clone(),
            command: spec.command.clone(),
            args: spec.args.clone(),
            cwd: spec.cwd.clone(),
            tty: spec.terminal.is_some(),
            interactive: spec.interactive,
            owner: ProcessOwner::User,
            status: if ended.is_some() { ProcessState::Exited } else { ProcessState::Running },
            pid: ended.is_none().then(|| child.pid()),
            exit: ended.as_ref().map(|ended| ended.exit).unwrap_or_default(),
            created_at: *created_at,
            exited_at: ended.as_ref().map(|ended| ended.at),
            created_at_ms: created_at.as_millis(),
            exited_at_ms: ended.map(|ended| ended.at.as_millis()),
        }
    }

    /// Returns how the process ended, once its output is complete.
    pub fn ended(&self) -> Option<Ended> {
        self.inner.shared.ended()
    }

    /// Waits until it has ended and its output is complete.
    pub async fn wait(&self) {
        self.inner.shared.wait_for_end().await;
    }

    /// Ends it and all that it started: SIGTERM, `grace`, SIGKILL. Dropping the future does not take it back.
    pub async fn stop(&self, grace: Duration) {
        self.inner.child.stop(grace).await;
        self.wait().await;
    }

    /// Queues input. Waits for a while when as much is queued as may be.
    pub async fn input(&self, bytes: Bytes, after: AfterInput) -> Result<(), InputError> {
        tokio::time::timeout(INPUT_WAIT, self.input_patiently(bytes, after))
            .await
            .unwrap_or(Err(InputError::NotReading))
    }

    /// Sends input, and waits until there is room for it or the process ends.
    pub async fn input_patiently(&self, bytes: Bytes, after: AfterInput) -> Result<(), InputError> {
        let Inner { shared, commands, .. } = &*self.inner;
        if shared.ended().is_some() {
            return Err(InputError::Ended);
        }
        let room = u32::try_from(bytes.len().min(INPUT_QUEUE_BYTES)).unwrap_or(u32::MAX);
        let room = Arc::clone(&shared.room).acquire_many_owned(room).await.map_err(|_| InputError::Ended)?;
        let (reply, answer) = oneshot::channel();
        let command = ProcessCommand::Input { piece: QueuedInput { bytes, _room: room }, after, reply };
        commands.send(command).await.map_err(|_| InputError::Ended)?;
        answer.await.unwrap_or(Err(InputError::Ended))
    }

    pub async fn resize(&self, size: TerminalSize) -> Result<(), ResizeError> {
        if !self.has_terminal() {
            return Err(ResizeError::NoTerminal);
        }
        let (reply, answer) = oneshot::channel();
        let command = ProcessCommand::Resize { size, reply };
        self.inner.commands.send(command).await.map_err(|_| ResizeError::Ended)?;
        answer.await.unwrap_or(Err(ResizeError::Ended))
    }

    /// Reads its output, also what comes later, perhaps of one stream only.
    pub fn reader(&self, from: Position, only: Option<ProcessLogsStream>) -> Reader {
        Reader::new(&self.inner.shared, from, only)
    }

    /// Returns the output that is there now, and what is missing before it.
    pub fn output(&self, from: Position, only: Option<ProcessLogsStream>) -> (Vec<Entry>, Option<Gap>) {
        let mut reader = self.reader(from, only);
        let newest = self.inner.shared.journal.ring().newest();
        let (mut entries, mut missing): (Vec<Entry>, Option<Gap>) = (Vec::new(), None);
        // Up to what was there at the beginning: a flood must not keep this from coming back.
        while reader.cursor() < newest {
            match reader.try_step() {
                Some(Step::Entry(entry)) => entries.push(entry),
                Some(Step::Gap(gap)) => {
                    // Only a gap before the first entry can be reported, so one inside starts the output again.
                    entries.clear();
                    missing = Some(gap);
                }
                None => break,
            }
        }
        (entries, missing)
    }

    pub(crate) fn log_cost(&self) -> usize {
        self.inner.shared.journal.ring().cost()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Processes, Spec};
    use sa_api::ProcessConfig;
    use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};

    #[tokio::test]
    async fn a_command_that_was_on_its_way_when_the_process_ended_is_answered() {
        let options = SupervisorOptions { env: BaseEnv::Clean(Vec::new()), guardian: None };
        let supervisor = Supervisor::start(options).unwrap();
        let processes = Processes::new(supervisor, ProcessConfig::default(), std::path::Path::new("/"));
        let spec =
            Spec { command: "/bin/sleep".to_owned(), args: vec!["1000".to_owned()], ..Spec::default() };
        let process = processes.create(spec).await.unwrap();
        // The place in the queue is taken, the command is not there yet.
        let place = process.inner.commands.reserve().await.unwrap();
        process.stop(Duration::ZERO).await;
        process.inner.commands.closed().await;
        let (reply, answer) = oneshot::channel();
        place.send(ProcessCommand::Resize { size: TerminalSize { columns: 1, rows: 1 }, reply });
        let answered = tokio::time::timeout(Duration::from_secs(20), answer).await;
        assert!(answered.expect("nobody answers").is_err(), "nobody was there to resize it");
    }
}
