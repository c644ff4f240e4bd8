//! Entries of directories: what there is, and changing where it is.

use super::query::Parameters;
use super::{described, listed, text};
use crate::body::read_json;
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use http::HeaderMap;
use sa_api::{FsActionResponse, FsEntry, FsMoveRequest, FsMoveResponse, FsStat, Problem};
use sa_files::Page;
use std::ffi::OsStr;

/// The entries of a directory.
#[utoipa::path(
    get, path = "/v1/fs/entries", operation_id = "listFsEntries", tag = "files",
    summary = "The entries of a directory",
    description = "Sorted by the bytes of their names, links not followed. A directory with more entries than one listing may \
        have is listed in pages: `limit`, then `after` with the last name seen.",
    params(
        ("path" = Option<String>, Query, description = "The directory; relative paths start at the workspace, which is also the default"),
        ("limit" = Option<usize>, Query, description = "At most so many entries"),
        ("after" = Option<String>, Query, description = "Only names that come after this one"),
    ),
    responses(
        (status = 200, description = "The entries", body = [FsEntry]),
        (status = 400, description = "Bad path or parameter", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The system forbids it, or the path leads out of `--fs-root`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such directory", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "Not a directory", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "Too many entries for one listing", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> ApiResult<Json<Vec<FsEntry>>> {
    let query = Parameters::parse(query.as_deref())?;
    let page = Page {
        after: query.bytes("after").map(|_| query.path("after")).transpose()?,
        limit: query.number("limit")?,
    };
    let entries = state.files.list(&query.path_or_workspace("path"), page).await?;
    Ok(Json(entries.iter().map(listed).collect()))
}

/// What is known of a file.
#[utoipa::path(
    get, path = "/v1/fs/stat", operation_id = "statFsEntry", tag = "files",
    summary = "What is known of a file",
    description = "A link is described itself, also one that leads nowhere, unless `follow` asks for what it points to.",
    params(
        ("path" = String, Query, description = "The file; relative paths start at the workspace"),
        ("follow" = Option<bool>, Query, description = "Follow a link at the end of the path"),
    ),
    responses(
        (status = 200, description = "The file", body = FsStat),
        (status = 400, description = "Bad path or parameter", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The system forbids it, or the path leads out of `--fs-root`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "Nothing there", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "A part of the path is not a directory", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn stat(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> ApiResult<Json<FsStat>> {
    let query = Parameters::parse(query.as_deref())?;
    let entry = state.files.stat(&query.path("path")?, query.flag("follow")?).await?;
    Ok(Json(described(&entry)))
}

/// Makes a directory.
#[utoipa::path(
    post, path = "/v1/fs/mkdir", operation_id = "makeFsDirectory", tag = "files",
    summary = "Make a directory",
    description = "And those above it that are missing. A directory that exists is fine.",
    params(("path" = String, Query, description = "The directory; relative paths start at the workspace")),
    responses(
        (status = 200, description = "It is there", body = FsActionResponse),
        (status = 400, description = "Bad path", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The system forbids it, or the path leads out of `--fs-root`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "There is something else, or above it", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "No space is left", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn make_dir(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> ApiResult<Json<FsActionResponse>> {
    let query = Parameters::parse(query.as_deref())?;
    let path = state.files.make_dir(&query.path("path")?).await?;
    Ok(Json(FsActionResponse { path: text(&path) }))
}

/// Removes a file or a directory.
#[utoipa::path(
    delete, path = "/v1/fs/entry", operation_id = "deleteFsEntry", tag = "files",
    summary = "Remove a file or a directory",
    description = "A link is removed itself, also one that leads nowhere; no link is followed into what it points to.",
    params(
        ("path" = String, Query, description = "What to remove; relative paths start at the workspace"),
        ("recursive" = Option<bool>, Query, description = "Also what is in a directory"),
    ),
    responses(
        (status = 200, description = "It is gone", body = FsActionResponse),
        (status = 400, description = "Bad path or parameter", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The system forbids it, or the path leads out of `--fs-root`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "Nothing there", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The directory is not empty", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn delete(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> ApiResult<Json<FsActionResponse>> {
    let query = Parameters::parse(query.as_deref())?;
    let path = state.files.remove(&query.path("path")?, query.flag("recursive")?).await?;
    Ok(Json(FsActionResponse { path: text(&path) }))
}

/// Moves a file or a directory.
#[utoipa::path(
    post, path = "/v1/fs/move", operation_id = "moveFsEntry", tag = "files",
    summary = "Move a file or a directory",
    description = "Checked before anything is touched. What is replaced is kept until the new is in its place; to another file \
        system it is copied and then removed. A path that is moved to itself stays.",
    request_body(content = FsMoveRequest, content_type = "application/json", description = "What to move where"),
    responses(
        (status = 200, description = "It is moved", body = FsMoveResponse),
        (status = 400, description = "Bad path or body", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The system forbids it, or a path leads out of `--fs-root`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "Nothing at `from`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`to` exists and `overwrite` is not set, or a directory would go into itself", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body exceeds the limit", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "No space is left", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn relocate(
    State(state): State<AppState>,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Json<FsMoveResponse>> {
    let request: FsMoveRequest = read_json(&state, &headers, body).await?;
    let overwrite = request.overwrite.unwrap_or(false);
    let moved = state.files.relocate(OsStr::new(&request.from), OsStr::new(&request.to), overwrite).await?;
    Ok(Json(FsMoveResponse { from: text(&moved.from), to: text(&moved.to) }))
}
