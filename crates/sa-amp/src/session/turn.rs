//! Prompts on their way to their answers, one native turn at a time.

use super::Session;
use crate::core::Core;
use crate::native::{Outcome, Tokens, prompt_line};
use agent_client_protocol_schema::v1::{Error, StopReason, Usage};
use sa_acp::{RequestKey, failure};
use std::time::Duration;

/// A prompt that the CLI works on.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) key: RequestKey,
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

    /// Answers the client.
    pub(super) fn settle(self, core: &mut Core, outcome: Result<StopReason, Error>) {
        match outcome {
            Ok(reason) => {
                let usage = self.tokens.input_tokens.is_some().then(|| of_turn(self.tokens));
                core.client.prompt_done(&self.key, reason, usage);
            }
            Err(error) => core.client.fail(&self.key, &error),
        }
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
    /// Sends the next prompt to the CLI if that is ready for it. What is sent while it works would be folded into that work
    /// and never get an answer of its own.
    pub(super) fn send_next(&mut self, core: &mut Core) {
        if self.turn.is_some() || self.conversation.queue.is_empty() || !self.conversation.is_open() {
            return;
        }
        if let Some(child) = &self.child {
            if !child.ending && child.fixed != self.settings.fixed() {
                self.dismiss(core);
            }
        } else if let Err(error) = self.start(core) {
            return self.conversation.fail_queue(&mut core.client, &error);
        }
        // The end of the one before starts the next one.
        let Some(child) = self.child.as_ref().filter(|child| !child.ending) else { return };
        let id = child.id;
        let Some(prompt) = self.conversation.queue.pop_front() else { return };
        core.processes.write(id, prompt_line(&prompt.content));
        self.turn = Some(Turn {
            key: prompt.key,
            cancelled: false,
            lull: None,
            tokens: Tokens::default(),
            first_line: prompt.first_line,
        });
    }

    /// Ends the process: the CLI stops in no other way. Its end is the end of the turn. Questions that it asked are void.
    pub(super) fn stop(&mut self, core: &mut Core) {
        let Some(turn) = &mut self.turn else { return };
        if std::mem::replace(&mut turn.cancelled, true) {
            return;
        }
        self.drop_asks(core);
        if let Some(child) = &mut self.child {
            child.ending = true;
            core.processes.end(child.id, Duration::ZERO);
        }
    }

    /// The model has said all that it wants to.
    pub(super) fn turn_ended(&mut self, core: &mut Core, reason: StopReason) {
        let Some(turn) = self.turn.take_if(|turn| !turn.cancelled) else { return };
        self.finish_unseen(core);
        self.name_after(core, &turn.first_line);
        turn.settle(core, Ok(reason));
        self.send_next(core);
    }

    /// Ends a turn of which the CLI says nothing any more: the model stopped at its limit, or refused.
    pub(super) fn enforce_lull(&mut self, core: &mut Core) {
        let now = core.now.elapsed;
        let is_due = |turn: &mut Turn| !turn.cancelled && turn.lull.is_some_and(|until| until <= now);
        let Some(turn) = self.turn.take_if(is_due) else { return };
        self.finish_unseen(core);
        let words = "The model stopped before it was done, and Amp does not say why: at its limit, or because it refused";
        turn.settle(core, Err(failure(words, "stopped_early")));
        self.send_next(core);
    }

    /// The CLI says how all of its work ended, and that it ends.
    pub(super) fn result(&mut self, core: &mut Core, outcome: &Outcome) {
        if let Some(child) = &mut self.child {
            child.ending = true;
            core.dismiss(child.id);
        }
        if !outcome.is_error {
            return self.turn_ended(core, StopReason::EndTurn);
        }
        let words = outcome.error.as_deref().unwrap_or("Amp failed without saying why");
        // Whoever cancelled is answered when the process is gone.
        let Some(turn) = self.turn.take_if(|turn| !turn.cancelled) else { return };
        self.tools.close(&mut core.client, &self.conversation.id, words);
        turn.settle(core, Err(super::model_error(words)));
    }

    /// A new session is called by what was asked first.
    fn name_after(&mut self, core: &mut Core, first_line: &str) {
        if first_line.is_empty() || std::mem::replace(&mut self.is_named, true) {
            return;
        }
        self.conversation.rename(&mut core.client, core.now, first_line.to_owned());
    }
}
