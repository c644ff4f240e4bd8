//! `sandbox-agent run`: one message to an agent, from a terminal or a script.

mod outcome;
mod report;
mod turn;

use crate::args::{OutputFormat, RunPromptArgs};
use crate::commands::api::sessions::read_text;
use crate::commands::raw_mode::RawMode;
use crate::commands::session::{self, CLEANUP_TIMEOUT, Refused, explain};
use crate::commands::target::{Sessions, Target};
use crate::commands::terminal::{ColorChoice, Console, Keyboard, frames};
use crate::failure::Failure;
use crate::signals::{Ending, Signals};
use crate::{memory, run_to_end};
use anyhow::Context;
use outcome::Outcome;
use report::Report;
use sa_api::sessions::PostMessage;
use sa_client::Client;
use sa_terminal::Key;
use tokio::time::timeout;
use turn::Turn;

pub(crate) fn run(args: RunPromptArgs) -> Result<(), Failure> {
    let prompt = match &args.prompt {
        Some(prompt) => prompt.clone(),
        None => read_text("the prompt")?,
    };
    if prompt.trim().is_empty() {
        return Err(Failure::usage("no prompt: pass one as an argument or on stdin"));
    }
    memory::configure();
    run_to_end(whole(&args, prompt))
}

/// Finds the daemon, runs the turn, and leaves nothing behind that was not asked for.
async fn whole(args: &RunPromptArgs, prompt: String) -> Result<(), Failure> {
    let mut signals = Signals::install().context("cannot handle signals")?;
    let sessions = if args.keep.is_some() { Sessions::Kept } else { Sessions::Forgotten };
    let target = Target::find(&args.target, sessions).await?;
    let id = args.keep.clone().unwrap_or_else(|| session::made_up_id("run"));
    let ended = async {
        let agent = session::choose_agent(&target.client, args.session.agent.as_deref()).await?;
        let run = Run { target: &target, id: &id, agent: &agent, args };
        let ended = run.turn(prompt, &mut signals).await;
        if args.keep.is_none() {
            // The daemon may be gone, and then there is nothing to delete.
            let _ = timeout(CLEANUP_TIMEOUT, target.client.delete_session(&id)).await;
        }
        ended
    };
    let ended = ended.await;
    target.close(&mut signals).await;
    match ended?.exit_code() {
        0 => Ok(()),
        code => Err(Failure::Exit(code)),
    }
}

struct Run<'a> {
    target: &'a Target,
    id: &'a str,
    agent: &'a str,
    args: &'a RunPromptArgs,
}

/// An interruption of the wait for the agent.
enum Interruption {
    Frame,
    Key(Key),
    Signal(Ending),
}

/// The inputs of a run other than the daemon's events.
struct Inputs<'a> {
    keyboard: Option<Keyboard>,
    signals: &'a mut Signals,
    frames: tokio::time::Interval,
}

impl Inputs<'_> {
    async fn next(&mut self, wants_frames: bool) -> Interruption {
        let key = async {
            match &mut self.keyboard {
                Some(keyboard) => match keyboard.next().await {
                    Some(key) => key,
                    None => std::future::pending().await,
                },
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ending = self.signals.next() => Interruption::Signal(ending),
            key = key => match key {
                // In this mode of the terminal it is no signal.
                Key::Control('c') => Interruption::Signal(Ending::Interrupt),
                key => Interruption::Key(key),
            },
            _ = self.frames.tick(), if wants_frames => Interruption::Frame,
        }
    }
}

impl Run<'_> {
    fn client(&self) -> &Client {
        &self.target.client
    }

    async fn turn(&self, prompt: String, signals: &mut Signals) -> Result<Outcome, Failure> {
        let format = self.args.format();
        let mut console = Console::new(self.agent, ColorChoice::from(self.args.session.no_color));
        let mut report = Report::new(self.id, self.agent);
        if let Some(note) = self.target.note.as_ref().filter(|_| format == OutputFormat::Text) {
            console.view.note(note);
        }
        let raw = if format == OutputFormat::Text {
            RawMode::enter_keys().context("cannot use this terminal")?
        } else {
            None
        };
        let keyboard = raw.is_some().then(Keyboard::open);
        let mut inputs = Inputs { keyboard, signals, frames: frames() };
        let ended = self.conversation(prompt, &mut console, &mut report, &mut inputs).await;
        if format == OutputFormat::Text {
            if matches!(ended, Ok(ref outcome) if self.args.keep.is_some() && outcome.has_session()) {
                console.view.note(&format!("kept: continue with sandbox-agent chat {}", self.id));
            }
            console.finish()?;
        }
        drop(raw);
        if let (OutputFormat::Json, Ok(outcome)) = (format, &ended) {
            report.print(outcome)?;
        } else if let (OutputFormat::StreamJson, Ok(outcome)) = (format, &ended) {
            outcome.explain_start();
        }
        ended
    }

    async fn conversation(
        &self,
        prompt: String,
        console: &mut Console,
        report: &mut Report,
        inputs: &mut Inputs<'_>,
    ) -> Result<Outcome, Failure> {
        let is_text = self.args.format() == OutputFormat::Text;
        if is_text {
            console.wait_for(&format!("starting {}", self.agent), "Ctrl-C cancels");
        }
        let begun = {
            let mut begin = std::pin::pin!(self.begin(prompt));
            loop {
                tokio::select! {
                    begun = &mut begin => break begun?,
                    interruption = inputs.next(is_text) => match interruption {
                        Interruption::Signal(ending) => return Ok(Outcome::Signal(ending)),
                        Interruption::Frame => console.draw(|_, _| sa_terminal::Live::default())?,
                        Interruption::Key(_) => {}
                    },
                }
            }
        };
        let begun = match begun {
            Ok(begun) => begun,
            Err(refused) => {
                console.stop_waiting();
                if is_text {
                    console.view.explain(&refused.explanation);
                }
                return Ok(Outcome::Refused(refused));
            }
        };
        report.turn_id = Some(begun.turn_id.clone());
        if is_text {
            console.wait_for("working", "Ctrl-C cancels");
        }
        Turn::new(self, &begun, console, report, inputs).follow().await
    }

    async fn begin(&self, prompt: String) -> Result<Result<Begun, Refused>, Failure> {
        let request = session::request(self.agent, &self.args.session, self.target.place)?;
        let created = self.client().create_session(self.id, &request).await;
        let created = match session::checked(self.agent, created)? {
            Ok(created) => created,
            Err(refused) => return Ok(Err(refused)),
        };
        let message = PostMessage { message: Some(prompt), ..PostMessage::default() };
        let accepted =
            self.client().post_message(&created.session_id, &message, None).await.map_err(explain)?;
        Ok(Ok(Begun { turn_id: accepted.turn_id, after: accepted.event_id }))
    }
}

/// A turn that was begun.
struct Begun {
    turn_id: String,
    /// The message itself is known already.
    after: u64,
}
