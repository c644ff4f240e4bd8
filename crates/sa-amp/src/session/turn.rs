//! Prompts on their way to their answers, one native turn at a time.

use super::Session;
use super::prompt::block;
use crate::core::Core;
use crate::native::{Outcome, Tokens, prompt_line};
use agent_client_protocol_schema::v1::{Error, StopReason, Usage};
use sa_acp::{Session as _, failure};
use std::time::Duration;

/// A prompt that the CLI works on.
#[derive(Debug)]
pub(super) struct Turn {
    cancelled: bool,
    /// The model stopped and the CLI does not say why; when that is taken for the end.
    lull: Option<Duration>,
    /// Of all messages of the turn.
    tokens: Tokens,
    first_line: String,
}

impl Turn {
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    pub(super) fn lull(&self) -> Option<Duration> {
        self.lull
    }

    pub(super) fn set_lull(&mut self, until: Option<Duration>) {
        self.lull = until;
    }

    pub(super) fn count(&mut self, tokens: Tokens) {
        let add = |sum: &mut Option<u64>, more: Option<u64>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0) + more);
            }
        };
        add(&mut self.tokens.input_tokens, tokens.input_tokens);
        add(&mut self.tokens.output_tokens, tokens.output_tokens);
        add(&mut self.tokens.cache_read_input_tokens, tokens.cache_read_input_tokens);
        add(&mut self.tokens.cache_creation_input_tokens, tokens.cache_creation_input_tokens);
    }

    /// Notes that the turn was cancelled; `false` if it was before.
    pub(super) fn cancel(&mut self) -> bool {
        !std::mem::replace(&mut self.cancelled, true)
    }
}

/// The sum of what a message, or a turn, took.
pub(super) fn total(tokens: Tokens) -> u64 {
    let parts = [
        tokens.input_tokens,
        tokens.output_tokens,
        tokens.cache_read_input_tokens,
        tokens.cache_creation_input_tokens,
    ];
    parts.into_iter().flatten().sum()
}

fn of_turn(tokens: Tokens) -> Usage {
    let (input, output) = (tokens.input_tokens.unwrap_or(0), tokens.output_tokens.unwrap_or(0));
    Usage::new(total(tokens), input, output)
        .cached_read_tokens(tokens.cache_read_input_tokens)
        .cached_write_tokens(tokens.cache_creation_input_tokens)
}

impl Session {
    /// Sends the next prompt. A process with other settings ends first, and its end starts the next one.
    pub(super) fn send_prompt(&mut self, core: &mut Core) {
        match &mut self.child {
            Some(child) if child.note != self.settings.fixed() => {
                child.end(&mut core.processes, core.host.limits.drain);
            }
            Some(_) => {}
            None => {
                if let Err(error) = self.start(core) {
                    return self.conversation.fail_queue(&mut core.client, &error);
                }
            }
        }
        let Some(child) = self.child.as_ref().filter(|child| !child.is_ending()) else { return };
        let Some(prompt) = self.conversation.next_prompt() else { return };
        let content: Vec<_> = prompt.parts.into_iter().map(block).collect();
        core.processes.write(child.id, prompt_line(&content));
        self.turn = Some(Turn {
            cancelled: false,
            lull: None,
            tokens: Tokens::default(),
            first_line: prompt.first_line,
        });
    }

    /// Answers the running prompt, with the tokens of the turn.
    pub(super) fn finish_prompt(&mut self, core: &mut Core, turn: &Turn, outcome: Result<StopReason, Error>) {
        let usage = turn.tokens.input_tokens.is_some().then(|| of_turn(turn.tokens));
        self.conversation.finish(&mut core.client, outcome, usage);
    }

    /// The model has said all that it wants to.
    pub(super) fn turn_ended(&mut self, core: &mut Core, reason: StopReason) {
        let Some(turn) = self.turn.take_if(|turn| !turn.cancelled) else { return };
        self.finish_unseen(core);
        self.name_after(core, &turn.first_line);
        self.finish_prompt(core, &turn, Ok(reason));
        self.send_next(core);
    }

    /// Ends a turn of which the CLI says nothing any more: the model stopped at its limit, or refused.
    pub(super) fn enforce_lull(&mut self, core: &mut Core) {
        let now = core.now.elapsed;
        let is_due = |turn: &mut Turn| !turn.cancelled && turn.lull.is_some_and(|until| until <= now);
        let Some(turn) = self.turn.take_if(is_due) else { return };
        self.finish_unseen(core);
        let words = "The model stopped before it was done, and Amp does not say why: at its limit, or because it refused";
        self.finish_prompt(core, &turn, Err(failure(words, "stopped_early")));
        self.send_next(core);
    }

    /// The CLI says how all of its work ended, and that it ends.
    pub(super) fn result(&mut self, core: &mut Core, outcome: &Outcome) {
        if let Some(child) = &mut self.child {
            child.hurry(&mut core.processes, core.host.limits.drain);
        }
        if !outcome.is_error {
            return self.turn_ended(core, StopReason::EndTurn);
        }
        let words = outcome.error.as_deref().unwrap_or("Amp failed without saying why");
        // Whoever cancelled is answered when the process is gone.
        let Some(turn) = self.turn.take_if(|turn| !turn.cancelled) else { return };
        self.tools.close(&mut core.client, &self.conversation.id, words);
        self.finish_prompt(core, &turn, Err(super::turn_error(words)));
    }

    /// A new session is called by what was asked first.
    fn name_after(&mut self, core: &mut Core, first_line: &str) {
        if first_line.is_empty() || std::mem::replace(&mut self.is_named, true) {
            return;
        }
        self.conversation.rename(&mut core.client, core.now, first_line.to_owned());
    }
}
