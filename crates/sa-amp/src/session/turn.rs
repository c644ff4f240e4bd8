//! Prompts on their way to their answers, one native turn at a time.

use super::Session;
use crate::core::Core;
use crate::native::prompt_line;
use agent_client_protocol_schema::v1::{Error, StopReason};
use sa_acp::{ModelTokens, Session as _, failure};
use serde_json::Value;
use std::time::Duration;

/// A prompt that the CLI works on.
#[derive(Debug, Default)]
pub(super) struct Turn {
    cancelled: bool,
    /// The model stopped and the CLI does not say why; when that is taken for the end.
    pub(super) lull: Option<Duration>,
    /// Of all messages of the turn.
    pub(super) tokens: ModelTokens,
    first_line: String,
}

impl Turn {
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// Notes that the turn was cancelled; `false` if it was before.
    pub(super) fn cancel(&mut self) -> bool {
        !std::mem::replace(&mut self.cancelled, true)
    }
}

impl Session {
    /// Sends the next prompt. A process with other settings ends first, and its end starts the next one.
    pub(super) fn send_prompt(&mut self, core: &mut Core) {
        match &mut self.child {
            Some(child) if child.note != self.settings.fixed() => {
                child.end(&mut core.io.processes, core.host.limits.drain);
            }
            Some(_) => {}
            None => {
                if let Err(error) = self.start(core) {
                    return self.conversation.fail_queue(&mut core.io.client, &error);
                }
            }
        }
        let Some(child) = self.child.as_ref().filter(|child| !child.is_ending()) else { return };
        let Some(prompt) = self.conversation.next_prompt() else { return };
        core.io.processes.write(child.id, prompt_line(prompt.parts));
        self.turn = Some(Turn { first_line: prompt.first_line, ..Turn::default() });
    }

    /// Answers the running prompt, with the tokens of the turn.
    pub(super) fn finish_prompt(&mut self, core: &mut Core, turn: &Turn, outcome: Result<StopReason, Error>) {
        let usage = turn.tokens.total().map(|_| turn.tokens.usage());
        self.conversation.finish(&mut core.io.client, outcome, usage);
    }

    /// The model has said all that it wants to.
    pub(super) fn turn_ended(&mut self, core: &mut Core, reason: StopReason) {
        let Some(turn) = self.turn.take_if(|turn| !turn.cancelled) else { return };
        self.finish_unseen(core);
        self.conversation.name_after(&mut core.io.client, core.io.now, &turn.first_line);
        self.finish_prompt(core, &turn, Ok(reason));
        self.send_next(core);
    }

    /// Ends a turn of which the CLI says nothing any more: the model stopped at its limit, or refused.
    pub(super) fn enforce_lull(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        let is_due = |turn: &mut Turn| !turn.cancelled && turn.lull.is_some_and(|until| until <= now);
        let Some(turn) = self.turn.take_if(is_due) else { return };
        self.finish_unseen(core);
        let words = "The model stopped before it was done, and Amp does not say why: at its limit, or because it refused";
        self.finish_prompt(core, &turn, Err(failure(words, "stopped_early")));
        self.send_next(core);
    }

    /// The CLI says how all of its work ended, and that it ends.
    pub(super) fn on_result(&mut self, core: &mut Core, result: &Value) {
        if let Some(child) = &mut self.child {
            child.hurry(&mut core.io.processes, core.host.limits.drain);
        }
        let is_success =
            matches!(result["is_error"], Value::Null | Value::Bool(false)) && result["error"].is_null();
        if is_success {
            return self.turn_ended(core, StopReason::EndTurn);
        }
        let words = result["error"].as_str().unwrap_or("Amp failed without saying why");
        // A cancelled prompt is answered when the process is gone.
        let Some(turn) = self.turn.take_if(|turn| !turn.cancelled) else { return };
        self.tools.close(&mut core.io.client, &self.conversation.id, words);
        self.finish_prompt(core, &turn, Err(super::turn_error(words)));
    }
}
