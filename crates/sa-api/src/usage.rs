//! Tokens and cost over all sessions.

use crate::Timestamp;
use crate::sessions::UsageCost;
use sa_api_macros::api;

/// Tokens and cost over all sessions, in groups.
#[api(Default)]
pub struct UsageReport {
    /// Groups of this page, ordered by day, agent, model and session.
    pub groups: Vec<UsageGroup>,
    /// Sum of all groups that match, on all pages.
    pub total: UsageFigures,
    /// True if more groups match.
    pub has_more: bool,
    /// Value of `after` that returns the next page. Absent on the last page.
    pub next: Option<String>,
    /// Start of the period, inclusive. Absent if it was not given.
    pub from: Option<Timestamp>,
    /// End of the period, exclusive. Absent if it was not given.
    pub to: Option<Timestamp>,
}

/// Usage of turns that have the same day, agent, model or session, whichever `groupBy` names.
#[api(Default)]
pub struct UsageGroup {
    /// Day in UTC on which the turns ended, such as `2026-03-14`. Only with `groupBy=day`.
    #[schema(format = Date)]
    pub day: Option<String>,
    /// Id of the agent. Only with `groupBy=agent`.
    pub agent: Option<String>,
    /// Model that was set when the turns ended. Only with `groupBy=model`; absent for agents that do not report a model.
    pub model: Option<String>,
    /// Id of the session. Only with `groupBy=session`.
    pub session_id: Option<String>,
    /// Sum of the turns.
    pub usage: UsageFigures,
}

/// A sum of tokens and cost. Tokens that no agent reported are absent.
#[api(Default)]
pub struct UsageFigures {
    /// Turns that ended.
    pub turns: u64,
    /// Input tokens.
    pub input_tokens: Option<u64>,
    /// Output tokens.
    pub output_tokens: Option<u64>,
    /// Tokens read from a cache.
    pub cached_read_tokens: Option<u64>,
    /// Tokens written to a cache.
    pub cached_write_tokens: Option<u64>,
    /// Reasoning tokens.
    pub thought_tokens: Option<u64>,
    /// All tokens.
    pub total_tokens: Option<u64>,
    /// Cost, one entry for each currency. Empty if no agent reported a cost.
    pub costs: Vec<UsageCost>,
}

/// A property by which usage is grouped.
#[api]
pub enum UsageGrouping {
    /// The session.
    Session,
    /// The agent.
    Agent,
    /// The model.
    Model,
    /// The day in UTC.
    Day,
}
