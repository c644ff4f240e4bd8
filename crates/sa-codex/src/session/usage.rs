//! How full the context is, and what a turn took.

use super::Session;
use crate::core::Core;
use crate::native::event::{TokenUsage, Tokens};
use agent_client_protocol_schema::v1::{SessionUpdate, Usage, UsageUpdate};

#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Of all requests so far.
    total: Tokens,
    /// The same when the turn began.
    before: Tokens,
}

impl Meter {
    pub(super) fn turn_begins(&mut self) {
        self.before = self.total;
    }

    /// Returns the usage of the turn, if it is known.
    pub(super) fn of_turn(&self) -> Option<Usage> {
        let (now, before) = (self.total, self.before);
        let input = now.input_tokens.checked_sub(before.input_tokens)?;
        let output = now.output_tokens.checked_sub(before.output_tokens)?;
        let cached = now.cached_input_tokens.saturating_sub(before.cached_input_tokens);
        let reasoning = now.reasoning_output_tokens.saturating_sub(before.reasoning_output_tokens);
        (now != before).then(|| {
            Usage::new(input + output, input.saturating_sub(cached), output)
                .cached_read_tokens(cached)
                .thought_tokens(reasoning)
        })
    }
}

impl Session {
    pub(super) fn on_usage(&mut self, core: &mut Core, usage: &TokenUsage, turn: Option<&str>) {
        self.meter.total = usage.total;
        // The usage of a thread so far is reported after it was opened, even if a turn has begun meanwhile.
        if !turn.is_some_and(|id| self.turn.as_ref().is_some_and(|turn| turn.is(id))) {
            self.meter.before = usage.total;
        }
        let Some(size) = usage.model_context_window else { return };
        let update = UsageUpdate::new(usage.last.total_tokens, size);
        self.conversation.update(&mut core.io.client, &SessionUpdate::UsageUpdate(update));
    }
}
