//! Prompts and their turns.
//!
//! ```text
//!  running ──agent_end──► ended ──answer to get_state──► the prompt is answered
//!     ▲                     │
//!     └── retry, compaction ┘
//! ```
//!
//! The CLI reports the end of its work before it decides to try again or to make room. A command that is answered after
//! that decision shows which it is.

use super::settings::COMPACT;
use super::{Session, Then};
use crate::core::Core;
use crate::native::{Message, Tokens, plain};
use agent_client_protocol_schema::v1::{Cost, Error, SessionUpdate, StopReason, Usage, UsageUpdate};
use sa_acp::{Cancellation, Prompt, PromptPart, Session as _, auth_required, failure, model_error};
use serde_json::{Value, json};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    Ended,
}

/// A prompt that the CLI works on.
#[derive(Debug)]
pub(super) struct Turn {
    stage: Stage,
    pub(super) cancel: Cancellation,
    pub(super) last: Option<Message>,
    first_line: String,
}

impl Turn {
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_requested()
    }

    fn outcome(&self) -> Result<StopReason, Error> {
        let reason = self.last.as_ref().and_then(|message| message.stop_reason.as_deref());
        match reason {
            _ if self.is_cancelled() => Ok(StopReason::Cancelled),
            Some("length") => Ok(StopReason::MaxTokens),
            Some("aborted") => Ok(StopReason::Cancelled),
            Some("error") => {
                let words = self.last.as_ref().and_then(|message| message.error_message.as_deref());
                Err(model_error(words.unwrap_or("Pi failed without a reason")))
            }
            _ => Ok(StopReason::EndTurn),
        }
    }
}

/// Tokens and costs of a session.
#[derive(Debug, Default)]
pub(super) struct Meter {
    turn: Tokens,
    cost: f64,
}

impl Meter {
    /// Returns the tokens of the turn, if the model was asked.
    pub(super) fn of_turn(&self) -> Option<Usage> {
        let Tokens { input, output, cache_read, cache_write, .. } = self.turn;
        let total = input + output + cache_read + cache_write;
        (total > 0).then(|| {
            Usage::new(total, input, output).cached_read_tokens(cache_read).cached_write_tokens(cache_write)
        })
    }
}

impl Session {
    pub(super) fn send_prompt(&mut self, core: &mut Core) {
        let Some(Prompt { parts, first_line }) = self.conversation.next_prompt() else { return };
        self.meter.turn = Tokens::default();
        self.turn = Some(Turn { stage: Stage::Running, cancel: Cancellation::None, last: None, first_line });
        let (mut texts, mut images) = (Vec::new(), Vec::<Value>::new());
        for part in parts {
            match part {
                PromptPart::Text(text) | PromptPart::ImageUrl(text) => texts.push(text),
                PromptPart::Image { media_type, data } => {
                    images.push(json!({ "type": "image", "data": data, "mimeType": media_type }));
                }
            }
        }
        let message = texts.join("\n\n");
        if message.trim().strip_prefix('/') == Some(COMPACT) && images.is_empty() {
            return self.send(core, plain("compact"), None, Then::Compacted);
        }
        let limit = Some(core.host.limits.open);
        let prompt = json!({ "type": "prompt", "message": message, "images": images });
        self.send(core, prompt, limit, Then::Prompted);
    }

    /// Handles the answer to a prompt, which says that it is accepted.
    pub(super) fn on_prompted(&mut self, core: &mut Core, answer: Result<Value, String>) {
        let Err(reason) = answer else { return };
        let error = match reason.contains("No API key") {
            true => auth_required(reason),
            false => failure(reason, "refused"),
        };
        self.end_turn(core, Err(error));
    }

    /// Notes that the CLI works, perhaps again.
    pub(super) fn on_agent_started(&mut self, core: &mut Core) {
        match &mut self.turn {
            Some(turn) if !turn.is_cancelled() => turn.stage = Stage::Running,
            // An abort may overtake its prompt.
            _ => self.send(core, plain("abort"), None, Then::Aborted),
        }
    }

    /// Keeps the turn open: the CLI tries again or makes room.
    pub(super) fn turn_continues(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.stage = Stage::Running;
        }
    }

    /// Notes that the CLI may be done.
    pub(super) fn on_agent_ended(&mut self, core: &mut Core) {
        if let Some(turn) = &mut self.turn {
            turn.stage = Stage::Ended;
            self.send(core, plain("get_state"), None, Then::Settled);
        }
    }

    pub(super) fn on_settled(&mut self, core: &mut Core) {
        let Some(turn) = self.turn.as_ref().filter(|turn| turn.stage == Stage::Ended) else { return };
        let outcome = turn.outcome();
        self.end_turn(core, outcome);
    }

    pub(super) fn end_turn(&mut self, core: &mut Core, outcome: Result<StopReason, Error>) {
        let Some(turn) = self.turn.take() else { return };
        self.tools.report_output(&mut core.io.client, &self.conversation.id, core.io.now.elapsed);
        let reason = match &outcome {
            Ok(StopReason::Cancelled) => "Cancelled",
            _ => "The turn is over",
        };
        self.tools.close(&mut core.io.client, &self.conversation.id, reason);
        self.drop_asks(core);
        if outcome.is_ok() {
            self.conversation.name_after(&mut core.io.client, core.io.now, &turn.first_line);
        }
        self.conversation.finish(&mut core.io.client, outcome, self.meter.of_turn());
        self.send_next(core);
    }

    /// Ends a process that does not stop its work.
    pub(super) fn enforce_cancel(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        if self.turn.as_mut().is_some_and(|turn| turn.cancel.expire(now))
            && let Some(child) = &mut self.child
        {
            tracing::warn!(session = %self.conversation.id, "pi does not stop its work and is ended");
            child.hurry(&mut core.io.processes, Duration::ZERO);
        }
    }

    /// Reports the size of the context after a message.
    pub(super) fn on_metered(&mut self, core: &mut Core, tokens: Tokens) {
        let turn = &mut self.meter.turn;
        turn.input += tokens.input;
        turn.output += tokens.output;
        turn.cache_read += tokens.cache_read;
        turn.cache_write += tokens.cache_write;
        self.meter.cost += tokens.cost.total;
        let used = tokens.input + tokens.output + tokens.cache_read + tokens.cache_write;
        let size = self.settings.model.context_window;
        if used > 0 && size > 0 {
            let cost = (self.meter.cost > 0.0).then(|| Cost::new(self.meter.cost, "USD"));
            let update = SessionUpdate::UsageUpdate(UsageUpdate::new(used, size).cost(cost));
            self.conversation.update(&mut core.io.client, &update);
        }
    }
}
