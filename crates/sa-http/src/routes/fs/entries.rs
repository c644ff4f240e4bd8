//! Entries of directories: what there is, and changing where it is.

use super::{described, listed, text};
use crate::body::JsonBody;
use crate::problem::{ApiError, ApiResult};
use crate::query::Parameters;
use crate::state::AppState;
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, Uri, header};
use sa_api::{FsActionResponse, FsEntry, FsMoveRequest, FsMoveResponse, FsStat};
use sa_files::Page;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[utoipa::path(
    get, path = "/v1/fs/entries", operation_id = "listFsEntries", tag = "files",
    summary = "List a directory",
    description = "Entries are sorted by the bytes of their names; links are not followed. With `limit` a directory is listed in pages: if there \
        are more entries the answer has a `Link` header with `rel=\"next\"` and the URL of the next page. Without `limit` the answer has all \
        entries, or is 413 if there are more than one answer may have.",
    params(
        ("path" = Option<String>, Query, description = "The directory; relative paths start at the workspace, which is also the default"),
        ("limit" = Option<usize>, Query, minimum = 1, description = "Return at most so many entries; more than `files.listed-entries` (10000 by default) counts as that"),
        ("after" = Option<String>, Query, description = "Only names that come after this one"),
    ),
    responses(
        (status = 200, description = "The entries", body = [FsEntry],
            headers(("Link" = String, description = "`<URL>; rel=\"next\"`: the next page, relative to this URL. Absent on the last page"))),
        (status = 400, description = "Bad path or parameter"),
        (status = 404, description = "No such directory"),
        (status = 409, description = "Not a directory"),
        (status = 413, description = "Too many entries for one listing"),
    )
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    uri: Uri,
    RawQuery(query): RawQuery,
) -> ApiResult<Response> {
    let query = Parameters::parse(query.as_deref())?;
    let page = Page { after: query.name("after"), limit: query.number("limit")? };
    let limit = page.limit;
    let listing = state.files.list(&query.path_or_workspace("path"), page).await?;
    let path = query.path_or_workspace("path");
    let next = listing.next.map(|last| next_page(&uri, path.as_bytes(), limit, last.as_bytes()));
    let entries: Vec<FsEntry> = listing.entries.iter().map(listed).collect();
    let mut response = Json(entries).into_response();
    if let Some(link) = next.and_then(|next| HeaderValue::try_from(next).ok()) {
        response.headers_mut().insert(header::LINK, link);
    }
    Ok(response)
}

/// The `Link` to the page after that name. Relative to the request, as a gateway may have changed what comes before.
fn next_page(uri: &Uri, path: &[u8], limit: Option<usize>, after: &[u8]) -> String {
    let operation = uri.path().rsplit('/').next().unwrap_or_default();
    let limit = limit.map(|limit| format!("&limit={limit}")).unwrap_or_default();
    format!("<{operation}?path={}{limit}&after={}>; rel=\"next\"", escaped(path), escaped(after))
}

/// Bytes as they may stand in a query.
fn escaped(bytes: &[u8]) -> String {
    let escape = |byte: &u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(*byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    bytes.iter().map(escape).collect()
}

#[utoipa::path(
    get, path = "/v1/fs/stat", operation_id = "statFsEntry", tag = "files",
    summary = "Get the properties of a file",
    description = "A link is described itself, also one that leads nowhere, unless `follow` asks for what it points to.",
    params(
        ("path" = String, Query, description = "The file; relative paths start at the workspace"),
        ("follow" = Option<bool>, Query, description = "Follow a link at the end of the path"),
    ),
    responses(
        (status = 200, description = "The file", body = FsStat),
        (status = 400, description = "Bad path or parameter"),
        (status = 404, description = "Nothing there"),
        (status = 409, description = "A part of the path is not a directory"),
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

#[utoipa::path(
    post, path = "/v1/fs/mkdir", operation_id = "makeFsDirectory", tag = "files",
    summary = "Create a directory",
    description = "Creates missing parents, too. A directory that exists stays as it is.",
    params(("path" = String, Query, description = "The directory; relative paths start at the workspace")),
    responses(
        (status = 200, description = "The directory existed", body = FsActionResponse),
        (status = 201, description = "The directory was created", body = FsActionResponse),
        (status = 400, description = "Bad path"),
        (status = 409, description = "There is something else, or above it"),
    )
)]
pub(crate) async fn make_dir(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> ApiResult<(StatusCode, Json<FsActionResponse>)> {
    let query = Parameters::parse(query.as_deref())?;
    let made = state.files.make_dir(&query.path("path")?).await?;
    let status = if made.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(FsActionResponse { path: text(&made.path) })))
}

#[utoipa::path(
    delete, path = "/v1/fs/entry", operation_id = "deleteFsEntry", tag = "files",
    summary = "Delete a file or directory",
    description = "A link is removed itself, also one that leads nowhere; no link is followed into what it points to.",
    params(
        ("path" = String, Query, description = "Path to remove; relative paths start at the workspace"),
        ("recursive" = Option<bool>, Query, description = "Also what is in a directory"),
    ),
    responses(
        (status = 200, description = "It is gone", body = FsActionResponse),
        (status = 400, description = "Bad path or parameter"),
        (status = 404, description = "Nothing there"),
        (status = 409, description = "The directory is not empty"),
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

#[utoipa::path(
    post, path = "/v1/fs/move", operation_id = "moveFsEntry", tag = "files",
    summary = "Move a file or directory",
    description = "Checks everything before it changes anything. A replaced file is kept until the new one is in place. A move \
        to another file system is a copy followed by a removal. A path that is moved to itself stays.",
    request_body(content = FsMoveRequest, content_type = "application/json", description = "Source and destination"),
    responses(
        (status = 200, description = "It is moved", body = FsMoveResponse),
        (status = 400, description = "Bad path or body"),
        (status = 403, description = "The system forbids it, or a path leads out of `--fs-root`"),
        (status = 404, description = "Nothing at `from`"),
        (status = 409, description = "`to` exists and `overwrite` is not set, or a directory would go into itself"),
    )
)]
pub(crate) async fn relocate(
    State(state): State<AppState>,
    body: JsonBody,
) -> ApiResult<Json<FsMoveResponse>> {
    let request: FsMoveRequest = body.read().await?;
    for (member, path) in [("from", &request.from), ("to", &request.to)] {
        if path.is_empty() {
            return Err(ApiError::invalid(format!("member '{member}': must not be empty")));
        }
    }
    let overwrite = request.overwrite.unwrap_or(false);
    let moved = state.files.relocate(OsStr::new(&request.from), OsStr::new(&request.to), overwrite).await?;
    Ok(Json(FsMoveResponse { from: text(&moved.from), to: text(&moved.to) }))
}
