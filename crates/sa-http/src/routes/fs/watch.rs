//! Changes of files as an event stream.

use super::text;
use crate::negotiate::{Media, check_accept};
use crate::problem::ApiResult;
use crate::query::Parameters;
use crate::state::AppState;
use crate::stream::{self, Frames, sse};
use axum::extract::{RawQuery, State};
use axum::response::Response;
use bytes::Bytes;
use http::HeaderMap;
use sa_api::{FsChange, FsOverflow, FsWatchReady};
use sa_files::{Watch, WatchEvent, WatchOptions};
use std::task::{Context, Poll, ready};

#[utoipa::path(
    get, path = "/v1/fs/watch", operation_id = "watchFs", tag = "files",
    summary = "Stream changes to files",
    description = "Server-sent events. `ready` (FsWatchReady) comes first: every later change is reported. `change` (FsChange) \
        reports a path; changes within 50 ms are combined. After `overflow` (FsOverflow) changes were lost or parts are not watched, so \
        look at the files again. The stream ends when the watched path is gone. A comment comes every 15 seconds. \
        There is no replay: after a break, look and watch again. On Linux only.",
    params(
        ("path" = Option<String>, Query, description = "The directory or file; relative paths start at the workspace, which is also the default"),
        ("recursive" = Option<bool>, Query, description = "`false`: not what is below"),
        ("ignored" = Option<bool>, Query, description = "Also `.git` and what `.gitignore` and `.ignore` exclude"),
        ("ticket" = Option<String>, Query, description = "A ticket from `POST /v1/tickets`, for clients that cannot send headers"),
    ),
    responses(
        (status = 200, description = "The stream", content(
            (FsChange = "text/event-stream"),
        )),
        (status = 400, description = "Bad path or parameter"),
        (status = 404, description = "Nothing there"),
        (status = 422, description = "Files can be watched on Linux only, and this is another system"),
        (status = 429, description = "Too many watches"),
    )
)]
pub(crate) async fn watch(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> ApiResult<Response> {
    check_accept(&headers, Media::EventStream)?;
    let query = Parameters::parse(query.as_deref())?;
    let options =
        WatchOptions { recursive: query.flag_or("recursive", true)?, with_ignored: query.flag("ignored")? };
    let watch = state.files.watch(&query.path_or_workspace("path"), options).await?;
    Ok(stream::response(&state, watch))
}

impl Frames for Watch {
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        Poll::Ready(ready!(self.poll_next(context)).map(|event| frame(&event)))
    }
}

fn frame(event: &WatchEvent) -> Bytes {
    match event {
        WatchEvent::Ready { path, directories } => {
            sse::event("ready", None, &FsWatchReady { path: text(path), directories: *directories as u64 })
        }
        WatchEvent::Change { path, kind, directory } => {
            sse::event("change", None, &FsChange { path: text(path), kind: *kind, directory: *directory })
        }
        WatchEvent::Overflow { path, reason } => {
            sse::event("overflow", None, &FsOverflow { reason: reason.clone(), path: text(path) })
        }
    }
}
