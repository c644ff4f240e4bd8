//! Tokens and cost over all sessions.

use crate::problem::ApiResult;
use crate::query::{Parameters, refusal};
use crate::state::AppState;
use axum::Json;
use axum::extract::{RawQuery, State};
use sa_api::{Timestamp, UsageGrouping, UsageReport};
use sa_sessions::{UsageCursor, UsageFilter};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

/// Groups of a page if the client does not say.
const USUAL_PAGE: usize = 100;
/// The most groups of a page.
const LARGEST_PAGE: usize = 1000;

#[utoipa::path(
    get, path = "/v1/usage", operation_id = "getUsage", tag = "sessions",
    summary = "Sum up tokens and cost",
    description = "Returns tokens and cost of the turns that this daemon ran, in groups, with the sum of all groups. A turn counts at the time \
        when it ended. Turns of deleted sessions count; turns that came with an import or a fork do not, as they were counted where they ran. \
        To get the next page, repeat the request with `after` set to `next`.",
    params(
        ("from" = Option<Timestamp>, Query, description = "Start of the period, inclusive, as an RFC 3339 time; from the first turn by default"),
        ("to" = Option<Timestamp>, Query, description = "End of the period, exclusive, as an RFC 3339 time; until now by default"),
        ("groupBy" = Option<Vec<UsageGrouping>>, Query, description = "Properties that the turns of a group share; repeatable or separated by commas, `day` by default"),
        ("sessionId" = Option<Vec<String>>, Query, description = "Count turns of one of these sessions; repeatable or separated by commas"),
        ("agent" = Option<Vec<String>>, Query, description = "Count turns of one of these agents; repeatable or separated by commas"),
        ("model" = Option<Vec<String>>, Query, description = "Count turns with one of these models; repeatable or separated by commas"),
        ("limit" = Option<u64>, Query, minimum = 1, description = "Maximum number of groups, 100 by default; more than 1000 counts as 1000"),
        ("after" = Option<String>, Query, description = "The `next` of the page before"),
    ),
    responses(
        (status = 200, description = "Tokens and cost", body = UsageReport),
        (status = 400, description = "A parameter is unknown or has an invalid value"),
    )
)]
pub(crate) async fn sum(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> ApiResult<Json<UsageReport>> {
    let parameters = Parameters::parse(query.as_deref())?;
    let filter = filter(&parameters)?;
    let limit = parameters.number("limit")?.unwrap_or(USUAL_PAGE).clamp(1, LARGEST_PAGE);
    let after = parameters.text("after")?.map(|after| {
        UsageCursor::parse(after, &filter.group_by)
            .ok_or_else(|| refusal("after", "expected the `next` of a page with the same `groupBy`"))
    });
    Ok(Json(state.sessions.usage(filter, after.transpose()?.as_ref(), limit).await?))
}

fn filter(parameters: &Parameters) -> ApiResult<UsageFilter> {
    let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
    let (from, to) = (time(parameters, "from")?, time(parameters, "to")?);
    if let (Some(from), Some(to)) = (from, to)
        && from >= to
    {
        return Err(refusal("to", "must be later than 'from'"));
    }
    let mut group_by: Vec<UsageGrouping> =
        parameters.list("groupBy")?.into_iter().map(grouping).collect::<Result<_, _>>()?;
    if group_by.is_empty() {
        group_by.push(UsageGrouping::Day);
    }
    Ok(UsageFilter {
        from,
        to,
        sessions: owned(parameters.list("sessionId")?),
        agents: owned(parameters.list("agent")?),
        models: owned(parameters.list("model")?),
        group_by,
    })
}

fn time(parameters: &Parameters, name: &str) -> ApiResult<Option<Timestamp>> {
    let Some(text) = parameters.text(name)? else { return Ok(None) };
    let time: Result<Timestamp, Error> = Timestamp::deserialize(text.into_deserializer());
    time.map(Some).map_err(|error| refusal(name, format!("{error} such as 2026-03-14T00:00:00Z")))
}

fn grouping(value: &str) -> ApiResult<UsageGrouping> {
    let grouping: Result<UsageGrouping, Error> = UsageGrouping::deserialize(value.into_deserializer());
    grouping.map_err(|_| refusal("groupBy", "expected session, agent, model or day"))
}
