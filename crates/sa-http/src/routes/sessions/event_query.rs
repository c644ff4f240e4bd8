//! The query of pages and streams of events: where to begin, and which types.

use crate::excerpt::shorten;
use crate::problem::{ApiError, ApiResult};
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use sa_api::sessions::EventType;
use sa_sessions::EventFilter;
use std::collections::BTreeSet;
use std::str::FromStr;

/// Names and values as they come; a name may come several times.
pub(super) type Pairs = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// The newer spelling of a cursor first.
pub(super) const PAGE_CURSORS: &[&str] = &["after", "offset"];
pub(super) const STREAM_CURSORS: &[&str] = &["after", "lastEventId", "offset"];

/// The query of an operation on events.
#[derive(Debug, Default)]
pub(super) struct EventQuery(Vec<(String, String)>);

impl EventQuery {
    pub(super) fn read(pairs: Pairs) -> ApiResult<Self> {
        let Query(pairs) = pairs?;
        Ok(Self(pairs))
    }

    /// The event to continue after, under any of these names.
    pub(super) fn cursor(&self, names: &[&'static str]) -> ApiResult<Option<u64>> {
        let mut found: Option<(&str, u64)> = None;
        for name in names {
            let Some(value) = self.number(name)? else { continue };
            match found {
                Some((other, before)) if before != value => {
                    let detail =
                        format!("query parameters '{other}' and '{name}' are spellings of one and differ");
                    return Err(ApiError::invalid(detail));
                }
                _ => found = found.or(Some((name, value))),
            }
        }
        Ok(found.map(|(_, value)| value))
    }

    /// A number that may be absent.
    pub(super) fn number<T: FromStr>(&self, name: &str) -> ApiResult<Option<T>> {
        let Some(value) = self.values(name).next() else { return Ok(None) };
        value
            .parse()
            .map(Some)
            .map_err(|_| refusal(name, &format!("expected a whole number, got '{}'", quote(value))))
    }

    /// The types that are asked for.
    pub(super) fn filter(&self) -> ApiResult<EventFilter> {
        let mut types: Option<BTreeSet<EventType>> = None;
        for name in self.values("types").flat_map(|list| list.split(',')).map(str::trim) {
            let known = || EventType::ALL.iter().map(|known| known.name()).collect::<Vec<_>>().join(", ");
            let found = EventType::from_name(name).ok_or_else(|| {
                refusal("types", &format!("unknown event type '{}'; known are: {}", quote(name), known()))
            })?;
            types.get_or_insert_default().insert(found);
        }
        let names_deltas = types.as_ref().is_some_and(|types| types.contains(&EventType::MessageDelta));
        let filter = EventFilter::new(types);
        match self.values("deltas").next() {
            None | Some("true") => Ok(filter),
            Some("false") if names_deltas => {
                Err(refusal("types", "names messageDelta, which deltas=false leaves out"))
            }
            Some("false") => Ok(filter.without_deltas()),
            Some(other) => Err(refusal("deltas", &format!("expected true or false, got '{}'", quote(other)))),
        }
    }

    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

fn refusal(name: &str, why: &str) -> ApiError {
    ApiError::invalid(format!("query parameter '{name}': {why}"))
}

/// The beginning of a value that a client sent.
fn quote(value: &str) -> String {
    shorten(value.chars().take(100).collect())
}
