//! Tokens and cost over all sessions.

use crate::Timestamp;
use crate::sessions::{TokenCounts, UsageCost};
use sa_api_macros::api;

/// Turns whose usage is summed up, and their grouping. No sessions, agents or models stand for all.
#[derive(Debug, Clone, Default)]
pub struct UsageFilter {
    /// Start of the period, inclusive.
    pub from: Option<Timestamp>,
    /// End of the period, exclusive.
    pub to: Option<Timestamp>,
    /// Ids of sessions.
    pub sessions: Vec<String>,
    /// Ids of agents.
    pub agents: Vec<String>,
    /// Models, as agents name them.
    pub models: Vec<String>,
    /// Properties that the turns of a group share. A request without any groups by day.
    pub group_by: Vec<UsageGrouping>,
}

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
    /// Sum of the tokens.
    #[serde(flatten)]
    pub tokens: TokenCounts,
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
