//! Tokens and cost over all sessions.

use crate::operations::operations;
use crate::{Client, Result};
use sa_api::{Timestamp, UsageGrouping, UsageReport};

/// Filter and grouping of usage. An empty filter matches any.
#[derive(Debug, Clone, Default)]
pub struct UsageQuery {
    /// Start of the period, inclusive.
    pub from: Option<Timestamp>,
    /// End of the period, exclusive.
    pub to: Option<Timestamp>,
    /// Properties that the turns of a group share; the day if empty.
    pub group_by: Vec<UsageGrouping>,
    pub sessions: Vec<String>,
    pub agents: Vec<String>,
    pub models: Vec<String>,
    /// The most groups of a page.
    pub limit: Option<usize>,
    /// The `next` of the page before.
    pub after: Option<String>,
}

operations! {
    /// Returns a page of groups, and the sum of all.
    usage(query: &UsageQuery) -> UsageReport = GET ["v1", "usage"], query query.pairs();
}

impl Client {
    /// Returns all groups, over as many pages as it takes.
    pub async fn all_usage(&self, mut query: UsageQuery) -> Result<UsageReport> {
        let mut report = self.usage(&query).await?;
        while let Some(after) = report.next.take() {
            query.after = Some(after);
            let mut page = self.usage(&query).await?;
            report.groups.append(&mut page.groups);
            report = UsageReport { groups: report.groups, ..page };
        }
        Ok(report)
    }
}

impl UsageQuery {
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        pairs.extend(self.from.map(|from| ("from", from.to_string())));
        pairs.extend(self.to.map(|to| ("to", to.to_string())));
        pairs.extend(self.group_by.iter().map(|grouping| ("groupBy", grouping.name().to_owned())));
        pairs.extend(self.sessions.iter().map(|session| ("sessionId", session.clone())));
        pairs.extend(self.agents.iter().map(|agent| ("agent", agent.clone())));
        pairs.extend(self.models.iter().map(|model| ("model", model.clone())));
        pairs.extend(self.limit.map(|limit| ("limit", limit.to_string())));
        pairs.extend(self.after.clone().map(|after| ("after", after)));
        pairs
    }
}
