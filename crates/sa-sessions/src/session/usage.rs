//! Tokens and cost of turns, noted in the commit of the events that report them.

use super::effect::{Effect, EndedTurn};
use super::machine::Machine;
use crate::usage::{cost_since, tokens};
use sa_api::Timestamp;
use sa_api::sessions::Usage;
use sa_store::{Tokens, UsageNote};

impl Machine {
    /// Notes a session's newest usage, and what it has cost since the one before.
    pub(super) fn note_usage(&mut self, usage: &Usage) {
        let before = self.record.usage.as_ref().and_then(|before| before.cost.as_ref());
        let cost = usage.cost.as_ref().map_or(0, |cost| cost_since(before, cost));
        self.record.usage = Some(usage.clone());
        if cost > 0 {
            let note = self.usage_of(self.turn.id().unwrap_or_default());
            self.draft.usage.push(UsageNote { cost, ..note });
        }
    }

    /// Notes the end of a turn, with the tokens that the agent reports.
    pub(super) fn note_turn_usage(
        &mut self,
        turn: &str,
        started_at: Option<Timestamp>,
        usage: Option<&Usage>,
    ) {
        let tokens = usage.map_or_else(Tokens::default, |usage| tokens(&usage.tokens));
        let note = self.usage_of(turn.to_owned());
        let (agent, model) = (note.agent.clone(), note.model.clone());
        let ended = EndedTurn { agent, model, started_at, usage: usage.cloned() };
        self.effect(Effect::CountEnd(Box::new(ended)));
        self.draft.usage.push(UsageNote { turns: 1, tokens, ..note });
    }

    fn usage_of(&self, turn: String) -> UsageNote {
        let cost = self.record.usage.as_ref().and_then(|usage| usage.cost.as_ref());
        let model = self.record.choices.model.as_ref().or(self.record.model.as_ref());
        UsageNote {
            turn,
            agent: self.record.request.agent.clone(),
            model: model.cloned().unwrap_or_default(),
            at_ms: self.now.wall_ms,
            currency: cost.map(|cost| cost.currency.clone()).unwrap_or_default(),
            ..UsageNote::default()
        }
    }
}
