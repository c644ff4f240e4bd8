//! Runs the machine on a pair of streams.

use super::core::{Archive, Effect, Environment, Host};
use super::machine::{Machine, Step};
use super::store::Store;
use sa_acp::{InputLine, LineReader, MAX_LINE, Now, OutputBuffer, run_on_stdio, until};
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout};

/// Answers that may wait for a client that does not read, in bytes, before no more requests are read from it.
const MAX_BACKLOG: usize = 1 << 20;

/// The time that a client may take to read what was written before the agent ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub struct Options {
    /// The directory of sessions, so that a later process can load them; without it they end with this one.
    pub state_dir: Option<PathBuf>,
    /// For the command `env`.
    pub env: Environment,
}

impl Default for Options {
    fn default() -> Self {
        Self { state_dir: None, env: Box::new(|_| None) }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("state_dir", &self.state_dir).finish_non_exhaustive()
    }
}

/// The end of the agent's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(u8),
    /// By SIGABRT.
    Abort,
}

impl Exit {
    /// Ends the process if it has to end by a signal; the code to end it with otherwise.
    pub fn leave(self) -> ExitCode {
        match self {
            Self::Code(code) => ExitCode::from(code),
            Self::Abort => std::process::abort(),
        }
    }
}

/// Serves the client on this process's standard input and output until either ends: all of `sandbox-agent acp demo`.
pub fn run_stdio(options: Options) -> ExitCode {
    match run_on_stdio(async |input, output| run(input, output, options).await) {
        Ok(exit) => exit.leave(),
        Err(error) => {
            complain(&format!("demo: cannot start: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Serves one client until its side of the connection ends, or until a script ends the agent.
pub async fn run(input: impl AsyncRead + Unpin, output: impl AsyncWrite + Unpin, options: Options) -> Exit {
    let store = match options.state_dir.map(Store::open).transpose() {
        Ok(store) => store,
        Err(error) => {
            complain(&format!("demo: cannot open the state directory: {error}"));
            return Exit::Code(1);
        }
    };
    let host = Host {
        env: options.env,
        new_session_id: Box::new(|| uuid::Uuid::now_v7().to_string()),
        archive: store.clone().map(|store| Box::new(store) as Box<dyn Archive>),
    };
    let driver = Driver {
        machine: Machine::new(host),
        reader: LineReader::new(input, MAX_LINE),
        reads: true,
        output: Some(output),
        pending_output: OutputBuffer::default(),
        store,
        started: Instant::now(),
    };
    driver.serve().await
}

struct Driver<R, W> {
    machine: Machine,
    reader: LineReader<R>,
    reads: bool,
    output: Option<W>,
    pending_output: OutputBuffer,
    store: Option<Store>,
    started: Instant,
}

/// The reason why the machine is not polled.
enum Pause {
    /// Enough waits to be written.
    Full,
    /// There is nothing to do until this time.
    Idle(Option<Duration>),
    /// Something has to be done after what was written.
    Then(Last),
}

enum Last {
    Close,
    Exit(Exit),
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Driver<R, W> {
    async fn serve(mut self) -> Exit {
        loop {
            let wake = match self.work() {
                Pause::Full | Pause::Idle(None) => None,
                Pause::Idle(Some(time)) => Some(self.started + time),
                Pause::Then(Last::Exit(exit)) => {
                    self.write_all().await;
                    return exit;
                }
                Pause::Then(Last::Close) => {
                    self.close_output().await;
                    continue;
                }
            };
            let may_read = self.reads && self.machine.backlog() < MAX_BACKLOG;
            tokio::select! {
                read = self.reader.fill(), if may_read => match read {
                    Ok(true) => self.take_lines(),
                    Ok(false) | Err(_) => return self.wind_up().await,
                },
                wrote = write(&mut self.pending_output, &mut self.output) => if wrote.is_err() {
                    return Exit::Code(0);
                },
                () = until(wake) => {}
            }
        }
    }

    /// Polls the machine until it rests or enough waits to be written.
    fn work(&mut self) -> Pause {
        while !self.pending_output.is_full() {
            let now = self.now();
            let effect = match self.machine.poll(now, self.pending_output.buffer()) {
                Step::Wrote => continue,
                Step::Idle(wake) => return Pause::Idle(wake),
                Step::Effect(effect) => effect,
            };
            match effect {
                Effect::Save(saved) => self.stored(|store| store.save(&saved)),
                Effect::Forget(session) => self.stored(|store| store.forget(&session)),
                Effect::Stderr(line) => complain(&line),
                Effect::StopReading => self.reads = false,
                Effect::CloseOutput => return Pause::Then(Last::Close),
                Effect::Exit(code) => return Pause::Then(Last::Exit(Exit::Code(code))),
                Effect::Abort => return Pause::Then(Last::Exit(Exit::Abort)),
            }
        }
        Pause::Full
    }

    /// Gives the machine all lines that have arrived, as long as it does not have to keep too many answers.
    fn take_lines(&mut self) {
        let now = self.now();
        while self.machine.backlog() < MAX_BACKLOG {
            match self.reader.take() {
                Some(InputLine::Whole(line)) => self.machine.line(now, line),
                Some(InputLine::TooLong(length)) => self.machine.overlong(now, length),
                None => return,
            }
        }
    }

    /// The client said its last word: does what can be done without it and without waiting, and ends.
    async fn wind_up(mut self) -> Exit {
        self.machine.input_ended(self.now());
        let rest = async {
            loop {
                match self.work() {
                    Pause::Then(Last::Exit(exit)) => return exit,
                    Pause::Then(Last::Close) => self.close_output().await,
                    Pause::Idle(_) if self.pending_output.is_settled() => return Exit::Code(0),
                    Pause::Idle(_) | Pause::Full => {
                        if write(&mut self.pending_output, &mut self.output).await.is_err() {
                            return Exit::Code(0);
                        }
                    }
                }
            }
        };
        timeout(LAST_WORDS, rest).await.unwrap_or(Exit::Code(0))
    }

    /// Writes all that waits, unless the client is too slow.
    async fn write_all(&mut self) {
        let rest = async {
            while !self.pending_output.is_settled() {
                write(&mut self.pending_output, &mut self.output).await?;
            }
            io::Result::Ok(())
        };
        // The process ends in any case.
        let _ = timeout(LAST_WORDS, rest).await;
    }

    async fn close_output(&mut self) {
        self.write_all().await;
        self.pending_output.discard();
        if let Some(mut output) = self.output.take() {
            // It is dropped next, which closes it in any case.
            let _ = output.shutdown().await;
        }
    }

    /// Does something with the store. A session that cannot be stored still works.
    fn stored(&self, action: impl FnOnce(&Store) -> io::Result<()>) {
        if let Some(Err(error)) = self.store.as_ref().map(action) {
            complain(&format!("demo: cannot store a session: {error}"));
        }
    }

    fn now(&self) -> Now {
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Now { elapsed: self.started.elapsed(), unix }
    }
}

/// Writes some of the pending output. Never returns while there is none. Drops it once the output is closed.
async fn write(pending: &mut OutputBuffer, output: &mut Option<impl AsyncWrite + Unpin>) -> io::Result<()> {
    match output {
        Some(output) => pending.write_next(output).await,
        None if pending.is_settled() => std::future::pending().await,
        None => {
            pending.discard();
            Ok(())
        }
    }
}

/// Writes a line to standard error, which nobody may be reading.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
