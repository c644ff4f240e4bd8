//! Tokens and cost over all sessions.

use crate::Timestamp;
use crate::sessions::UsageCost;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Tokens and cost over all sessions, in groups.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    /// Groups of this page, ordered by day, agent, model and session.
    pub groups: Vec<UsageGroup>,
    /// Sum of all groups that match, on all pages.
    pub total: UsageFigures,
    /// True if more groups match.
    pub has_more: bool,
    /// Value of `after` that returns the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<String>,
    /// Start of the period, inclusive. Absent if it was not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub from: Option<Timestamp>,
    /// End of the period, exclusive. Absent if it was not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub to: Option<Timestamp>,
}

/// Usage of turns that have the same day, agent, model or session, whichever `groupBy` names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageGroup {
    /// Day in UTC on which the turns ended, such as `2026-03-14`. Only with `groupBy=day`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = Date)]
    pub day: Option<String>,
    /// Id of the agent. Only with `groupBy=agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent: Option<String>,
    /// Model that was set when the turns ended. Only with `groupBy=model`; absent for agents that do not report a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// Id of the session. Only with `groupBy=session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub session_id: Option<String>,
    /// Sum of the turns.
    pub usage: UsageFigures,
}

/// A sum of tokens and cost. Tokens that no agent reported are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageFigures {
    /// Turns that ended.
    pub turns: u64,
    /// Input tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub input_tokens: Option<u64>,
    /// Output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub output_tokens: Option<u64>,
    /// Tokens read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cached_read_tokens: Option<u64>,
    /// Tokens written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cached_write_tokens: Option<u64>,
    /// Reasoning tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub thought_tokens: Option<u64>,
    /// All tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub total_tokens: Option<u64>,
    /// Cost, one entry for each currency. Empty if no agent reported a cost.
    pub costs: Vec<UsageCost>,
}

/// A property by which usage is grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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
