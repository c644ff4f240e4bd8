//! Tokens and cost over all sessions.

use crate::operations::operations;
use crate::{Client, Page, Result};
use sa_api::{UsageFilter, UsageReport};

/// The largest page that the daemon returns.
const LARGEST_PAGE: usize = 1000;

operations! {
    /// Returns a page of groups, and the sum of all.
    usage(filter: &UsageFilter, page: &Page) -> UsageReport =
        GET ["v1", "usage"], query pairs(filter), query page;
}

impl Client {
    /// Returns all groups, over as many pages as it takes.
    pub async fn all_usage(&self, filter: &UsageFilter) -> Result<UsageReport> {
        let mut page = Page { limit: Some(LARGEST_PAGE), after: None };
        let mut report = self.usage(filter, &page).await?;
        while let Some(after) = report.next.take() {
            page.after = Some(after);
            let mut next = self.usage(filter, &page).await?;
            report.groups.append(&mut next.groups);
            report = UsageReport { groups: report.groups, ..next };
        }
        Ok(report)
    }
}

fn pairs(filter: &UsageFilter) -> Vec<(&'static str, String)> {
    let mut pairs = Vec::new();
    pairs.extend(filter.from.map(|from| ("from", from.to_string())));
    pairs.extend(filter.to.map(|to| ("to", to.to_string())));
    pairs.extend(filter.group_by.iter().map(|grouping| ("groupBy", grouping.name().to_owned())));
    pairs.extend(filter.sessions.iter().map(|session| ("sessionId", session.clone())));
    pairs.extend(filter.agents.iter().map(|agent| ("agent", agent.clone())));
    pairs.extend(filter.models.iter().map(|model| ("model", model.clone())));
    pairs
}
