//! The query of pages and streams of events: where to begin, and which types.

use crate::problem::{ApiError, ApiResult};
use crate::query::{Parameters, quote, refusal};
use sa_api::sessions::EventType;
use sa_sessions::EventFilter;
use std::collections::BTreeSet;
use std::str::FromStr;

/// The newer spelling of a cursor first.
pub(super) const PAGE_CURSORS: &[&str] = &["after", "offset"];
pub(super) const STREAM_CURSORS: &[&str] = &["after", "lastEventId", "offset"];

/// The query of an operation on events.
#[derive(Debug, Default)]
pub(super) struct EventQuery(Parameters);

impl EventQuery {
    pub(super) fn read(query: Option<&str>) -> ApiResult<Self> {
        Parameters::parse(query).map(Self)
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
        self.0.number(name)
    }

    /// The types that are asked for.
    pub(super) fn filter(&self) -> ApiResult<EventFilter> {
        let mut types: Option<BTreeSet<EventType>> = None;
        for name in self.0.list("types")? {
            let known = || EventType::ALL.iter().map(|known| known.name()).collect::<Vec<_>>().join(", ");
            let found = EventType::from_name(name).ok_or_else(|| {
                refusal("types", format!("unknown event type '{}'; known are: {}", quote(name), known()))
            })?;
            types.get_or_insert_default().insert(found);
        }
        let names_deltas = types.as_ref().is_some_and(|types| types.contains(&EventType::MessageDelta));
        let filter = EventFilter::new(types);
        match self.0.flag_or("deltas", true)? {
            true => Ok(filter),
            false if names_deltas => {
                Err(refusal("types", "names messageDelta, which deltas=false leaves out"))
            }
            false => Ok(filter.without_deltas()),
        }
    }
}
