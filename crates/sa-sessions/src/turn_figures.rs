//! How long turns take and how many tokens they use, for those who watch the daemon. Names and bounds are those of the semantic
//! conventions for generative AI.

use crate::Sessions;
use crate::session::EndedTurn;
use sa_api::Timestamp;
use sa_otlp::{Histogram, Reading, ReadingKind};

const SECONDS: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 655.36];
const TOKENS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// Figures of turns that have ended since the daemon started.
#[derive(Debug)]
pub(crate) struct TurnFigures {
    durations: Histogram,
    tokens: Histogram,
}

impl Default for TurnFigures {
    fn default() -> Self {
        Self { durations: Histogram::new(SECONDS), tokens: Histogram::new(TOKENS) }
    }
}

impl TurnFigures {
    /// Adds a turn that has just ended. One whose beginning another daemon saw has no duration.
    pub(crate) fn add(&self, turn: &EndedTurn) {
        let EndedTurn { agent, model, started_at, usage } = turn;
        let labels = || {
            vec![
                ("gen_ai.operation.name", "invoke_agent".to_owned()),
                ("gen_ai.agent.name", agent.clone()),
                ("gen_ai.request.model", model.clone()),
            ]
        };
        if let Some(started_at) = started_at {
            let milliseconds = Timestamp::now().as_millis().saturating_sub(started_at.as_millis());
            self.durations.add(labels(), milliseconds as f64 / 1000.0);
        }
        let Some(tokens) = usage.as_ref().map(|usage| &usage.tokens) else { return };
        // The conventions count cached tokens as input, too.
        let parts = [tokens.input_tokens, tokens.cached_read_tokens, tokens.cached_write_tokens];
        let input = tokens.input_tokens.map(|_| parts.into_iter().flatten().sum::<u64>());
        for (kind, count) in [("input", input), ("output", tokens.output_tokens)] {
            if let Some(count) = count {
                let kind = ("gen_ai.token.type", kind.to_owned());
                self.tokens.add(labels().into_iter().chain([kind]).collect(), count as f64);
            }
        }
    }
}

impl Sessions {
    /// Returns how long turns take and how many tokens they use.
    pub fn turn_readings(&self) -> [Reading; 2] {
        let figures = &self.inner().parts.totals.turn_figures;
        let kind = ReadingKind::Histogram;
        [
            Reading {
                name: "gen_ai.client.operation.duration",
                help: "Duration of turns",
                unit: "s",
                kind,
                points: figures.durations.points(),
            },
            Reading {
                name: "gen_ai.client.token.usage",
                help: "Tokens of turns, cached input tokens included",
                unit: "{token}",
                kind,
                points: figures.tokens.points(),
            },
        ]
    }
}
