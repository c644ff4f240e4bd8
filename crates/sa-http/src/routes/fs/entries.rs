//! Entries of directories: what there is, and changing where it is.

use super::query::Parameters;
use super::{described, listed};
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::extract::{RawQuery, State};
use sa_api::{FsEntry, FsStat, Problem};
use sa_files::Page;

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
