//! How full the context is, what a turn took, and what the session has cost.

use super::Session;
use crate::core::Core;
use crate::native::message::{Message, Tokens};
use agent_client_protocol_schema::v1::{Cost, SessionUpdate, Usage, UsageUpdate};
use std::collections::BTreeMap;

/// Tokens and costs of a session.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// The cost of earlier turns.
    before: f64,
    /// The cost of each message since then.
    costs: BTreeMap<String, f64>,
    /// The tokens of each message of the turn.
    turn: BTreeMap<String, Tokens>,
}

impl Meter {
    pub(super) fn begin(&mut self, cost: f64) {
        self.before = cost;
    }

    pub(super) fn turn_begins(&mut self) {
        self.turn.clear();
        // The messages of turns before do not change any more.
        self.before += std::mem::take(&mut self.costs).into_values().sum::<f64>();
    }

    /// Returns the usage of the turn, if it is known.
    pub(super) fn of_turn(&self) -> Option<Usage> {
        let mut all = Tokens::default();
        for tokens in self.turn.values() {
            all.input += tokens.input;
            all.output += tokens.output;
            all.reasoning += tokens.reasoning;
            all.cache.read += tokens.cache.read;
            all.cache.write += tokens.cache.write;
        }
        let total = sum(&all);
        (total > 0).then(|| {
            Usage::new(total, whole(all.input), whole(all.output))
                .cached_read_tokens(whole(all.cache.read))
                .cached_write_tokens(whole(all.cache.write))
                .thought_tokens(whole(all.reasoning))
        })
    }

    fn cost(&self) -> f64 {
        self.before + self.costs.values().sum::<f64>()
    }
}

/// Numbers of the server are whole ones.
fn whole(number: f64) -> u64 {
    number.max(0.0) as u64
}

fn sum(tokens: &Tokens) -> u64 {
    whole(tokens.input + tokens.output + tokens.reasoning + tokens.cache.read + tokens.cache.write)
}

impl Session {
    /// A message of the model's is another one than before.
    pub(super) fn on_metered(&mut self, core: &mut Core, message: &Message) {
        let used = sum(&message.tokens);
        if used == 0 || self.meter.turn.get(&message.id) == Some(&message.tokens) {
            return;
        }
        self.meter.turn.insert(message.id.clone(), message.tokens);
        self.meter.costs.insert(message.id.clone(), message.cost);
        self.report_usage(core, used);
    }

    /// Adds the cost of a sub-agent's message.
    pub(super) fn metered_below(&mut self, message: &Message) {
        if message.cost > 0.0 {
            self.meter.costs.insert(message.id.clone(), message.cost);
        }
    }

    fn report_usage(&self, core: &mut Core, used: u64) {
        let Some(size) = self.settings.context().map(whole).filter(|size| *size > 0) else { return };
        let cost = self.meter.cost();
        let update = UsageUpdate::new(used, size).cost((cost > 0.0).then(|| Cost::new(cost, "USD")));
        self.conversation.update(&mut core.io.client, &SessionUpdate::UsageUpdate(update));
    }
}
