//! The tokens of a request to a model, as Anthropic's API reports them.

use agent_client_protocol_schema::v1::Usage;
use serde::Deserialize;

/// The tokens of one request, or of several.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct ModelTokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl ModelTokens {
    /// Returns the sum of all kinds; `None` if none was reported.
    pub fn total(&self) -> Option<u64> {
        self.kinds().into_iter().flatten().reduce(u64::saturating_add)
    }

    /// Returns the tokens as the usage of a turn.
    pub fn usage(&self) -> Usage {
        let [input, output, read, write] = self.kinds();
        Usage::new(self.total().unwrap_or(0), input.unwrap_or(0), output.unwrap_or(0))
            .cached_read_tokens(read)
            .cached_write_tokens(write)
    }

    /// Adds the tokens of another request.
    pub fn add(&mut self, more: Self) {
        self.merge(more, |sum, more| Some(sum.unwrap_or(0).saturating_add(more)));
    }

    /// Takes over the numbers that a later report of the same request has.
    pub fn update(&mut self, later: Self) {
        self.merge(later, |_, later| Some(later));
    }

    fn merge(&mut self, other: Self, merged: impl Fn(Option<u64>, u64) -> Option<u64>) {
        let own = [
            &mut self.input_tokens,
            &mut self.output_tokens,
            &mut self.cache_read_input_tokens,
            &mut self.cache_creation_input_tokens,
        ];
        for (own, other) in own.into_iter().zip(other.kinds()) {
            if let Some(other) = other {
                *own = merged(*own, other);
            }
        }
    }

    fn kinds(&self) -> [Option<u64>; 4] {
        let Self { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
            *self;
        [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens]
    }
}
