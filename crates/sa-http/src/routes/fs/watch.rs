//! Changes of files as an event stream.

use super::BaseQuery;
use crate::handler::{AcceptsEvents, ApiResult, AppState, Response, operation, query};
use crate::stream::{self, Frames, sse};
use bytes::Bytes;
use sa_api::FsChange;
use sa_files::{Watch, WatchEvent, WatchOptions};
use std::task::{Context, Poll, ready};

#[query]
pub(crate) struct WatchQuery {
    /// `false`: not what is below
    recursive: Option<bool>,
    /// Also `.git` and what `.gitignore` and `.ignore` exclude
    ignored: Option<bool>,
}

/// Stream changes to files
///
/// Server-sent events. `ready` (FsWatchReady) comes first: every later change is reported. `change` (FsChange)
/// reports a path; changes within 50 ms are combined. After `overflow` (FsOverflow) changes were lost or parts are
/// not watched, so look at the files again. The stream ends when a watched directory is gone; a watch of one file
/// continues, because the file may be replaced. A comment comes every 15 seconds. There is no replay: after a break,
/// look and watch again. On Linux only.
///
/// - 200: The stream
/// - 400: Bad path or parameter
/// - 404: Nothing there
/// - 422: Files can be watched on Linux only, and this is another system
/// - 429: Too many watches
#[operation(watchFs: get "/v1/fs/watch" -> FsChange as "text/event-stream", ticket)]
pub(crate) async fn watch(
    state: AppState,
    _: AcceptsEvents,
    base: BaseQuery,
    query: WatchQuery,
) -> ApiResult<Response> {
    let options =
        WatchOptions { recursive: query.recursive != Some(false), with_ignored: query.ignored == Some(true) };
    let watch = state.services.files.watch(base.path(), options).await?;
    Ok(stream::response(&state, watch))
}

impl Frames for Watch {
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        Poll::Ready(ready!(self.poll_next(context)).map(|event| frame(&event)))
    }
}

fn frame(event: &WatchEvent) -> Bytes {
    match event {
        WatchEvent::Ready(ready) => sse::event("ready", None, ready),
        WatchEvent::Change(change) => sse::event("change", None, change),
        WatchEvent::Overflow(overflow) => sse::event("overflow", None, overflow),
    }
}
