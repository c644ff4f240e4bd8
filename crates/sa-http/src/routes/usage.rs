//! Tokens and cost over all sessions.

use crate::handler::{ApiResult, AppState, Json, operation, query};
use crate::query::{List, refusal};
use crate::routes::page_size;
use sa_api::{Timestamp, UsageFilter, UsageGrouping, UsageReport};
use sa_sessions::UsageCursor;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

#[query]
pub(crate) struct UsageQuery {
    /// Start of the period, inclusive, as an RFC 3339 time; from the first turn by default
    #[param(value_type = Option<Timestamp>)]
    from: Option<String>,
    /// End of the period, exclusive, as an RFC 3339 time; until now by default
    #[param(value_type = Option<Timestamp>)]
    to: Option<String>,
    /// Properties that the turns of a group share; repeatable or separated by commas, `day` by default
    #[param(value_type = Option<Vec<UsageGrouping>>)]
    group_by: List,
    /// Count turns of one of these sessions; repeatable or separated by commas
    session_id: List,
    /// Count turns of one of these agents; repeatable or separated by commas
    agent: List,
    /// Count turns with one of these models; repeatable or separated by commas
    model: List,
    /// Maximum number of groups, 100 by default; more than 1000 counts as 1000
    limit: Option<usize>,
    /// The `next` of the page before
    after: Option<String>,
}

/// Sum up tokens and cost
///
/// Returns tokens and cost of the turns that this daemon ran, in groups, with the sum of all groups. A turn counts at
/// the time when it ended. Turns of deleted sessions count; turns that came with an import or a fork do not, as they
/// were counted where they ran. To get the next page, repeat the request with `after` set to `next`.
///
/// - 200: Tokens and cost
/// - 400: A parameter is unknown or has an invalid value
#[operation(getUsage: get "/v1/usage")]
pub(crate) async fn sum(state: AppState, mut query: UsageQuery) -> ApiResult<Json<UsageReport>> {
    let limit = page_size(query.limit);
    let after = query.after.take();
    let filter = filter(query)?;
    let after = after.map(|after| {
        UsageCursor::parse(&after, &filter.group_by)
            .ok_or_else(|| refusal("after", "expected the `next` of a page with the same `groupBy`"))
    });
    Ok(Json(state.services.sessions.usage(filter, after.transpose()?.as_ref(), limit).await?))
}

fn filter(query: UsageQuery) -> ApiResult<UsageFilter> {
    let (from, to) = (time("from", query.from)?, time("to", query.to)?);
    if let (Some(from), Some(to)) = (from, to)
        && from >= to
    {
        return Err(refusal("to", "must be later than 'from'"));
    }
    let mut group_by = query.group_by.values("groupBy", UsageGrouping::ALL, UsageGrouping::name)?;
    if group_by.is_empty() {
        group_by.push(UsageGrouping::Day);
    }
    Ok(UsageFilter {
        from,
        to,
        sessions: query.session_id.0,
        agents: query.agent.0,
        models: query.model.0,
        group_by,
    })
}

fn time(name: &str, text: Option<String>) -> ApiResult<Option<Timestamp>> {
    let Some(text) = text else { return Ok(None) };
    let time: Result<Timestamp, Error> = Timestamp::deserialize(text.into_deserializer());
    time.map(Some).map_err(|error| refusal(name, format!("{error} such as 2026-03-14T00:00:00Z")))
}
