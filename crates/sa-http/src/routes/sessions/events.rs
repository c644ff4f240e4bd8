//! A session's events: by pages, and as a stream. They are sent as they are stored.

use super::event_query::{FilterQuery, PageQuery, StreamQuery, cursor};
use super::page_of_raw_items;
use crate::handler::{AcceptsEvents, ApiError, ApiResult, AppState, HeaderMap, Response, operation};
use crate::routes::page_size;
use crate::stream::{self, last_event_id, sse};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use sa_api::sessions::{EventPage, UniversalEvent};
use sa_journal::Step;
use sa_sessions::{EventFilter, EventLine, Reader, SessionHandle};
use serde::Deserialize;

/// Largest piece of a stream's body, unless an event is larger.
const PIECE: usize = 64 * 1024;

/// List events of a session
///
/// Returns the events after `after` in the order of their ids, which count from 1 without gaps. Send `next` as
/// `after` to continue while `hasMore` is true. `types` and `deltas` select events; `limit` counts selected events. A
/// request looks at up to 20,000 events, so a page with a filter may be empty although `hasMore` is true. If events
/// after `after` are no longer kept, `oldest` is set and the page begins with the oldest event. The same holds if
/// `after` is beyond the newest event: it then belongs to an earlier session of that id, or to one that was imported
/// again.
///
/// - 200: The events
/// - 400: A parameter is invalid, or `after` and `offset` differ
#[operation(getEvents: get "/v1/sessions/{sessionId}/events" -> EventPage)]
pub(crate) async fn page(
    session: SessionHandle,
    query: PageQuery,
    selected: FilterQuery,
) -> ApiResult<Response> {
    let known = session.describe();
    let cursor = cursor(&[("after", query.after), ("offset", query.offset)])?;
    let foreign = cursor > known.last_event_id;
    let after = if foreign { known.oldest_event_id.saturating_sub(1) } else { cursor };
    let slice = session.events(after, page_size(query.limit), &selected.filter()?).await?;
    let oldest = match slice.first {
        Some(first) if foreign || first > cursor + 1 => Some(first),
        None if foreign => Some(known.oldest_event_id),
        _ => None,
    };
    let page = EventPage { events: Vec::new(), has_more: slice.has_more, next: slice.next, oldest };
    page_of_raw_items(&page, "events", slice.lines.iter().map(|line| &line.json))
}

/// Stream events of a session
///
/// Streams the events after `after`, then each as it happens, as server-sent events. `id:` is the event's id and
/// `data:` the event as `getEvents` has it; these events have no name. Other names carry facts of the transport:
/// `gap` (`Gap`) where events are no longer kept or `after` is beyond the newest event, after which the stream
/// continues with the oldest event; `failure` (`Problem`) when the events cannot be read, after which the stream
/// ends. A comment comes every 15 seconds. A client that was cut off continues with `Last-Event-ID`. `types` and
/// `deltas` select events; ids stay as they are. The stream ends after the session's `ended`.
///
/// - `Last-Event-ID`: The same, whatever the query says
/// - 200: The stream
/// - 400: A parameter or `Last-Event-ID` is invalid, or spellings of `after` differ
#[operation(streamEvents: get "/v1/sessions/{sessionId}/events/sse" -> UniversalEvent as "text/event-stream", ticket)]
pub(crate) async fn stream(
    state: AppState,
    _: AcceptsEvents,
    session: SessionHandle,
    query: StreamQuery,
    selected: FilterQuery,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let StreamQuery { after, last_event_id: resumed, offset } = query;
    let after = cursor(&[("after", after), ("lastEventId", resumed), ("offset", offset)])?;
    let after = last_event_id(&headers, None)?.unwrap_or(after);
    Ok(respond(&state, &session, after, Selection { filter: selected.filter()?, until: None }))
}

/// The response that streams a session's events after that one, as far as they are selected.
pub(super) fn respond(
    state: &AppState,
    session: &SessionHandle,
    after: u64,
    selection: Selection,
) -> Response {
    let reader = session.reader(after);
    let opening = futures_util::stream::iter([sse::opening(reader.cursor())]);
    // A stream that waits for the next event must not hold up the daemon's end.
    let stopping = state.stopping.clone().cancelled_owned();
    let frames = opening.chain(frames(session.id().to_owned(), reader, selection)).take_until(stopping);
    stream::response(state, frames.fuse().boxed())
}

/// The events that a stream has.
pub(super) struct Selection {
    pub(super) filter: EventFilter,
    /// The last one; none for a stream without an end.
    pub(super) until: Option<TurnEnd>,
}

/// The end of a turn, or of a message that never began it, as a stream recognizes it.
pub(super) struct TurnEnd(String);

impl TurnEnd {
    pub(super) fn of(turn_id: String) -> Self {
        Self(turn_id)
    }

    fn is(&self, line: &EventLine) -> bool {
        #[derive(Deserialize)]
        struct Event<'a> {
            #[serde(borrow)]
            data: Data<'a>,
        }
        #[derive(Deserialize)]
        struct Data<'a> {
            #[serde(borrow, alias = "messageWithdrawn", rename = "turnEnded")]
            ended: Option<Ended<'a>>,
        }
        #[derive(Deserialize)]
        struct Ended<'a> {
            #[serde(borrow, rename = "turnId")]
            turn_id: std::borrow::Cow<'a, str>,
        }
        let event: Result<Event<'_>, _> = serde_json::from_slice(&line.json);
        event.is_ok_and(|event| event.data.ended.is_some_and(|ended| ended.turn_id == self.0))
    }
}

fn frames(id: String, reader: Reader, selection: Selection) -> impl Stream<Item = Bytes> + Send {
    futures_util::stream::unfold(Some((id, reader, selection)), |state| async move {
        let (id, mut reader, selection) = state?;
        let Selection { filter, until } = &selection;
        match reader.step().await {
            Ok(None) => None,
            Ok(Some(Step::Entry(lines))) => {
                let end = until.as_ref().and_then(|until| lines.iter().position(|line| until.is(line)));
                let shown = end.and_then(|end| lines.get(..=end)).unwrap_or(&lines);
                let pieces = pieces(shown.iter().filter(|line| filter.wants(line)));
                Some((pieces, end.is_none().then_some((id, reader, selection))))
            }
            Ok(Some(Step::Gap(gap))) => {
                let goes_on = until.is_none().then_some((id, reader, selection));
                Some((vec![sse::gap(gap)], goes_on))
            }
            Err(error) => {
                let problem = ApiError::from(error).0.with_session(id);
                Some((vec![sse::event("failure", None, &problem)], None))
            }
        }
    })
    .flat_map(futures_util::stream::iter)
}

/// Events as frames, many small ones as one piece.
fn pieces<'a>(lines: impl Iterator<Item = &'a EventLine>) -> Vec<Bytes> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    for line in lines {
        sse::push_event(&mut piece, None, Some(line.id), &line.json);
        if piece.len() >= PIECE {
            pieces.push(std::mem::take(&mut piece).into());
        }
    }
    if !piece.is_empty() {
        pieces.push(piece.into());
    }
    pieces
}
