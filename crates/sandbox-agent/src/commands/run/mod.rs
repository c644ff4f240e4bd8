//! `sandbox-agent run`: one message to an agent, from a terminal or a script.

mod asking;

use crate::args::{ChoiceArgs, RunPromptArgs};
use crate::commands::api::sessions::{mode, read_text};
use crate::commands::api::{explain, with_client};
use crate::commands::render::print_text;
use crate::commands::transcript::Transcript;
use crate::failure::Failure;
use crate::signals::{Ending, Signals};
use anyhow::{Context, anyhow};
use asking::Asking;
use sa_api::sessions::{CreateSession, EventData, PostMessage, StopReason};
use sa_client::{Client, EventQuery, SessionStep};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time that the daemon gets to cancel the turn or delete the session of a command that is ending.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) fn run(args: RunPromptArgs) -> Result<ExitCode, Failure> {
    let prompt = match &args.prompt {
        Some(prompt) => prompt.clone(),
        None => read_text("the prompt")?,
    };
    if prompt.trim().is_empty() {
        return Err(Failure::usage("no prompt: pass one as an argument or on stdin"));
    }
    let at_terminal = args.permission.is_none() && asking::at_terminal() && args.prompt.is_some();
    with_client(&args.connection, async |client| {
        let id = args.keep.clone().unwrap_or_else(made_up_id);
        let outcome = Run { client, id: &id, args: &args, at_terminal }.turn(prompt).await;
        if args.keep.is_none() {
            // The daemon may be gone, and then there is nothing to delete.
            let _ = tokio::time::timeout(CLEANUP_TIMEOUT, client.delete_session(&id)).await;
        }
        outcome
    })
}

struct Run<'a> {
    client: &'a Client,
    id: &'a str,
    args: &'a RunPromptArgs,
    at_terminal: bool,
}

impl Run<'_> {
    async fn turn(&self, prompt: String) -> Result<(), Failure> {
        let mut signals = Signals::install().context("cannot handle signals")?;
        let begun = tokio::select! {
            begun = self.begin(prompt) => begun?,
            ending = signals.next() => return Err(Failure::Exit(ending.exit_code())),
        };
        let mut events =
            self.client.follow_events(self.id, EventQuery::after(begun.after)).await.map_err(explain)?;
        let mut transcript = Transcript::new();
        let mut asking = Asking::new(self.client, self.id, self.at_terminal, self.args.permission);
        let mut stopping = false;
        loop {
            let step = tokio::select! {
                step = events.next() => step.map_err(explain)?,
                line = asking.line() => {
                    asking.take(line, &mut transcript).await?;
                    continue;
                }
                ending = signals.next() => {
                    if stopping {
                        return Err(Failure::Exit(ending.exit_code()));
                    }
                    if ending != Ending::Interrupt {
                        // Nobody waits for the rest: not the script that sent SIGTERM, not a terminal that was closed.
                        let _ = tokio::time::timeout(CLEANUP_TIMEOUT, self.client.cancel_turn(self.id)).await;
                        return Err(Failure::Exit(ending.exit_code()));
                    }
                    stopping = true;
                    transcript.note("stopping; Ctrl-C again ends this command at once")?;
                    self.client.cancel_turn(self.id).await.map_err(explain)?;
                    continue;
                }
            };
            match step {
                Some(SessionStep::Event(event, json)) => {
                    if self.args.json {
                        print_text(&json)?;
                    } else {
                        transcript.show(&event)?;
                    }
                    if let EventData::TurnEnded(ended) = &event.data
                        && ended.turn_id == begun.turn_id
                    {
                        let done = ended.stop_reason == StopReason::EndTurn;
                        return if done { Ok(()) } else { Err(Failure::Exit(1)) };
                    }
                    if matches!(&event.data, EventData::MessageWithdrawn(withdrawn) if withdrawn.turn_id == begun.turn_id)
                    {
                        return Err(Failure::Exit(1));
                    }
                    asking.heed(&event.data, &mut transcript).await?;
                }
                Some(SessionStep::Gap(gap)) => {
                    transcript.note(&format!("events before {} are no longer kept", gap.oldest))?;
                }
                None => return Err(Failure::Failed(anyhow!("the session ended before the turn did"))),
            }
        }
    }

    async fn begin(&self, prompt: String) -> Result<Begun, Failure> {
        let ChoiceArgs { agent_mode, permission_mode, model, variant, options } = &self.args.choices;
        let request = CreateSession {
            agent: self.args.agent.clone(),
            agent_mode: agent_mode.clone(),
            permission_mode: permission_mode.map(mode).unwrap_or_default(),
            model: model.clone(),
            variant: variant.clone(),
            options: options.iter().cloned().collect(),
            cwd: self.args.cwd.clone(),
            ..CreateSession::default()
        };
        let created = self.client.create_session(self.id, &request).await.map_err(explain)?;
        if let Some(error) = created.error {
            let error = serde_json::to_string(&error).unwrap_or_default();
            return Err(Failure::Failed(anyhow!("the agent is not ready: {error}")));
        }
        let message = PostMessage { message: Some(prompt), ..PostMessage::default() };
        let accepted = self.client.post_message(self.id, &message, None).await.map_err(explain)?;
        Ok(Begun { turn_id: accepted.turn_id, after: accepted.event_id })
    }
}

/// A turn that was begun.
struct Begun {
    turn_id: String,
    /// The message itself is known already.
    after: u64,
}

/// An id that no other run has.
fn made_up_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("run-{:x}-{:x}", now.as_nanos(), std::process::id())
}
