//! Tokens and cost over all sessions, those that were deleted included.

use crate::Sessions;
use crate::error::Result;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use sa_api::sessions::{TokenCounts, UsageCost};
use sa_api::{Timestamp, UsageFigures, UsageFilter, UsageGroup, UsageGrouping, UsageReport};
use sa_store::{Tokens, UsageDimension, UsageKey, UsageQuery, UsageSum};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Parts of a currency in which costs are counted, so that sums are exact.
const BILLION: f64 = 1e9;

/// A place in a report: the group that the page before ended with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UsageCursor(Option<u64>, Option<String>, Option<String>, Option<String>);

impl UsageCursor {
    fn new(key: &UsageKey) -> Self {
        Self(key.day, key.agent.clone(), key.model.clone(), key.session.clone())
    }

    fn key(&self) -> UsageKey {
        let Self(day, agent, model, session) = self.clone();
        UsageKey { day, agent, model, session }
    }

    fn to_text(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads it from a client's text. It is of a report with the same groups, or it is none.
    pub fn parse(text: &str, group_by: &[UsageGrouping]) -> Option<Self> {
        let cursor: Self = serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let Self(day, agent, model, session) = &cursor;
        let has = |grouping| group_by.contains(&grouping);
        let fits = day.is_some() == has(UsageGrouping::Day)
            && agent.is_some() == has(UsageGrouping::Agent)
            && model.is_some() == has(UsageGrouping::Model)
            && session.is_some() == has(UsageGrouping::Session);
        fits.then_some(cursor)
    }
}

impl Sessions {
    /// Returns the usage that a filter takes, at most so many groups after a place.
    pub async fn usage(
        &self,
        filter: UsageFilter,
        after: Option<&UsageCursor>,
        limit: usize,
    ) -> Result<UsageReport> {
        let UsageFilter { from, to, sessions, agents, models, group_by } = filter;
        let query = UsageQuery {
            from_ms: from.map_or(0, Timestamp::as_millis),
            to_ms: to.map(Timestamp::as_millis),
            sessions: BTreeSet::from_iter(sessions),
            agents: BTreeSet::from_iter(agents),
            models: BTreeSet::from_iter(models),
            group_by: group_by.into_iter().map(dimension).collect(),
            after: after.map(UsageCursor::key),
            limit,
        };
        let page = self.store().usage(query).await?;
        let last = page.groups.last().filter(|_| page.has_more);
        Ok(UsageReport {
            has_more: page.has_more,
            next: last.map(|(key, _)| UsageCursor::new(key).to_text()),
            total: figures(&page.total),
            groups: page.groups.iter().map(group).collect(),
            from,
            to,
        })
    }
}

fn dimension(grouping: UsageGrouping) -> UsageDimension {
    match grouping {
        UsageGrouping::Session => UsageDimension::Session,
        UsageGrouping::Agent => UsageDimension::Agent,
        UsageGrouping::Model => UsageDimension::Model,
        UsageGrouping::Day => UsageDimension::Day,
    }
}

fn group((key, sum): &(UsageKey, UsageSum)) -> UsageGroup {
    let day = |day: u64| Timestamp::from_millis(day.saturating_mul(DAY_MS)).to_string();
    UsageGroup {
        day: key.day.map(|number| day(number).chars().take("2026-03-14".len()).collect()),
        agent: key.agent.clone(),
        model: key.model.clone().filter(|model| !model.is_empty()),
        session_id: key.session.clone(),
        usage: figures(sum),
    }
}

fn figures(sum: &UsageSum) -> UsageFigures {
    let cost = |(currency, billionths): (&String, &u64)| UsageCost {
        amount: *billionths as f64 / BILLION,
        currency: currency.clone(),
    };
    let tokens = TokenCounts {
        input_tokens: sum.tokens.input,
        output_tokens: sum.tokens.output,
        cached_read_tokens: sum.tokens.cached_read,
        cached_write_tokens: sum.tokens.cached_write,
        thought_tokens: sum.tokens.thought,
        total_tokens: sum.tokens.total,
    };
    UsageFigures { turns: sum.turns, tokens, costs: sum.costs.iter().map(cost).collect() }
}

/// The tokens of a turn.
pub(crate) fn tokens(counts: &TokenCounts) -> Tokens {
    Tokens {
        input: counts.input_tokens,
        output: counts.output_tokens,
        cached_read: counts.cached_read_tokens,
        cached_write: counts.cached_write_tokens,
        thought: counts.thought_tokens,
        total: counts.total_tokens,
    }
}

/// Returns what a session has cost since before, in billionths of its currency. A session's cost never gets less.
pub(crate) fn cost_since(before: Option<&UsageCost>, now: &UsageCost) -> u64 {
    let billionths = |cost: &UsageCost| (cost.amount * BILLION).round() as u64;
    let before = before.filter(|before| before.currency == now.currency).map_or(0, billionths);
    billionths(now).saturating_sub(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(amount: f64, currency: &str) -> UsageCost {
        UsageCost { amount, currency: currency.to_owned() }
    }

    #[test]
    fn only_what_is_new_of_a_cost_counts() {
        assert_eq!(cost_since(None, &cost(0.1, "USD")), 100_000_000);
        assert_eq!(cost_since(Some(&cost(0.1, "USD")), &cost(0.3, "USD")), 200_000_000);
        assert_eq!(cost_since(Some(&cost(0.3, "USD")), &cost(0.1, "USD")), 0);
        assert_eq!(cost_since(Some(&cost(5.0, "EUR")), &cost(0.1, "USD")), 100_000_000);
    }

    #[test]
    fn a_cursor_belongs_to_its_groups() {
        let cursor = UsageCursor(Some(3), None, Some(String::new()), None).to_text();
        assert!(UsageCursor::parse(&cursor, &[UsageGrouping::Day, UsageGrouping::Model]).is_some());
        assert!(UsageCursor::parse(&cursor, &[UsageGrouping::Day]).is_none());
        assert!(UsageCursor::parse("x", &[]).is_none());
    }
}
