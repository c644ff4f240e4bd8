//! The query of pages and streams of events: where to begin, and which types.

use crate::problem::{ApiError, ApiResult};
use crate::query::{List, quote, refusal};
use sa_api::sessions::EventType;
use sa_api_macros::query;
use sa_sessions::EventFilter;
use std::collections::BTreeSet;

#[query]
pub(crate) struct PageQuery {
    /// Id of the last event that the client knows; 0 by default
    pub(super) after: Option<u64>,
    /// Old spelling of `after`
    pub(super) offset: Option<u64>,
    /// Maximum number of events, 100 by default; more than 1000 counts as 1000
    pub(super) limit: Option<usize>,
}

#[query]
pub(crate) struct StreamQuery {
    /// Id of the last event that the client knows; 0, which is everything, by default
    pub(super) after: Option<u64>,
    /// The same, for clients that cannot send headers
    pub(super) last_event_id: Option<u64>,
    /// Old spelling of `after`
    pub(super) offset: Option<u64>,
}

#[query]
pub(crate) struct FilterQuery {
    /// Types to select, separated by commas or repeated; all by default
    #[param(value_type = Option<Vec<EventType>>)]
    types: List,
    /// `false` leaves out `messageDelta`; the whole message follows as `message`
    deltas: Option<bool>,
}

/// Returns the event to continue after, which may be given under any of these names.
pub(super) fn cursor(spellings: &[(&str, Option<u64>)]) -> ApiResult<u64> {
    let mut given = spellings.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    let Some((first, cursor)) = given.next() else { return Ok(0) };
    match given.find(|(_, value)| *value != cursor) {
        Some((other, _)) => Err(ApiError::invalid(format!(
            "query parameters '{first}' and '{other}' are spellings of one and differ"
        ))),
        None => Ok(cursor),
    }
}

impl FilterQuery {
    /// Returns the filter for the selected events.
    pub(super) fn filter(&self) -> ApiResult<EventFilter> {
        let mut types: Option<BTreeSet<EventType>> = None;
        for name in &self.types.0 {
            let known = || EventType::ALL.iter().map(|known| known.name()).collect::<Vec<_>>().join(", ");
            let found = EventType::from_name(name).ok_or_else(|| {
                refusal("types", format!("unknown event type '{}'; known are: {}", quote(name), known()))
            })?;
            types.get_or_insert_default().insert(found);
        }
        let names_deltas = types.as_ref().is_some_and(|types| types.contains(&EventType::MessageDelta));
        let filter = EventFilter::new(types);
        match self.deltas {
            Some(false) if names_deltas => {
                Err(refusal("types", "names messageDelta, which deltas=false leaves out"))
            }
            Some(false) => Ok(filter.without_deltas()),
            _ => Ok(filter),
        }
    }
}
