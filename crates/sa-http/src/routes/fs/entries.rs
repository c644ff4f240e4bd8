//! Entries of directories: what there is, and changing where it is.

use super::{BaseQuery, PathQuery, described, listed, text};
use crate::handler::{
    ApiError, ApiResult, AppState, HeaderValue, IntoResponse, Json, JsonBody, Response, StatusCode, header,
    operation, query,
};
use crate::query::QueryPath;
use http::Uri;
use sa_api::{FsActionResponse, FsEntry, FsMoveRequest, FsMoveResponse, FsStat};
use sa_files::{Existing, Last, Page, Removal, percent_encoded};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[query]
pub(crate) struct ListQuery {
    /// Return at most so many entries; more than `files.listed-entries` (100000 by default) counts as that
    #[param(value_type = Option<usize>)]
    limit: Option<usize>,
    /// Only names that come after this one
    after: Option<QueryPath>,
}

/// List a directory
///
/// Entries are sorted by the bytes of their names; links are not followed. With `limit` a directory is listed in
/// pages: if there are more entries the answer has a `Link` header with `rel="next"` and the URL of the next page.
/// Without `limit` the answer has all entries, or is 413 if there are more than one answer may have.
///
/// - 200: The entries
///   - `Link`: `<URL>; rel="next"`: the next page, relative to this URL. Absent on the last page
/// - 400: Bad path or parameter
/// - 404: No such directory
/// - 409: Not a directory
/// - 413: Too many entries for one listing
#[operation(listFsEntries: get "/v1/fs/entries" -> [FsEntry])]
pub(crate) async fn list(
    state: AppState,
    uri: Uri,
    base: BaseQuery,
    ListQuery { limit, after }: ListQuery,
) -> ApiResult<Response> {
    let page = Page { after: after.map(QueryPath::into_os_string), limit };
    let listing = state.services.files.list(base.path(), page).await?;
    let path = base.path().as_bytes();
    let next = listing.next.map(|last| next_page(&uri, path, limit, last.as_bytes()));
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
    format!(
        "<{operation}?path={}{limit}&after={}>; rel=\"next\"",
        percent_encoded(path),
        percent_encoded(after)
    )
}

#[query]
pub(crate) struct FollowQuery {
    /// Follow a link at the end of the path
    follow: Option<bool>,
}

/// Get the properties of a file
///
/// A link is described itself, also one that leads nowhere, unless `follow` asks for what it points to.
///
/// - 200: The file
/// - 400: Bad path or parameter
/// - 404: Nothing there
/// - 409: A part of the path is not a directory
#[operation(statFsEntry: get "/v1/fs/stat")]
pub(crate) async fn stat(
    state: AppState,
    PathQuery { path }: PathQuery,
    FollowQuery { follow }: FollowQuery,
) -> ApiResult<Json<FsStat>> {
    let last = if follow == Some(true) { Last::Follow } else { Last::Keep };
    let entry = state.services.files.stat(path.as_os_str(), last).await?;
    Ok(Json(described(&entry)))
}

/// Create a directory
///
/// Creates missing parents, too. A directory that exists stays as it is.
///
/// - 200: The directory existed
/// - 201: The directory was created
/// - 400: Bad path
/// - 409: There is something else, or above it
#[operation(makeFsDirectory: post "/v1/fs/mkdir")]
pub(crate) async fn make_dir(
    state: AppState,
    PathQuery { path }: PathQuery,
) -> ApiResult<(StatusCode, Json<FsActionResponse>)> {
    let made = state.services.files.make_dir(path.as_os_str()).await?;
    let status = if made.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(FsActionResponse { path: text(&made.path) })))
}

#[query]
pub(crate) struct DeleteQuery {
    /// Also what is in a directory
    recursive: Option<bool>,
}

/// Delete a file or directory
///
/// A link is removed itself, also one that leads nowhere; no link is followed into what it points to.
///
/// - 200: It is gone
/// - 400: Bad path or parameter
/// - 404: Nothing there
/// - 409: The directory is not empty
#[operation(deleteFsEntry: delete "/v1/fs/entry")]
pub(crate) async fn delete(
    state: AppState,
    PathQuery { path }: PathQuery,
    DeleteQuery { recursive }: DeleteQuery,
) -> ApiResult<Json<FsActionResponse>> {
    let removal = if recursive == Some(true) { Removal::Tree } else { Removal::Entry };
    let path = state.services.files.remove(path.as_os_str(), removal).await?;
    Ok(Json(FsActionResponse { path: text(&path) }))
}

/// Move a file or directory
///
/// Checks everything before it changes anything. A replaced file is kept until the new one is in place. A move to
/// another file system is a copy followed by a removal. A path that is moved to itself stays. A directory is replaced
/// only by a directory, and only if it is empty.
///
/// - body: Source and destination
/// - 200: It is moved
/// - 400: Bad path or body
/// - 403: The system forbids it, or a path leads out of `--fs-root`
/// - 404: Nothing at `from`
/// - 409: `to` exists and `overwrite` is not set, `to` is a directory that cannot be replaced, or a directory would go
///   into itself
#[operation(moveFsEntry: post "/v1/fs/move")]
pub(crate) async fn relocate(
    state: AppState,
    JsonBody(request): JsonBody<FsMoveRequest>,
) -> ApiResult<Json<FsMoveResponse>> {
    for (member, path) in [("from", &request.from), ("to", &request.to)] {
        if path.is_empty() {
            return Err(ApiError::invalid(format!("member '{member}': must not be empty")));
        }
    }
    let existing = if request.overwrite == Some(true) { Existing::Replace } else { Existing::Keep };
    let (from, to) = (OsStr::new(&request.from), OsStr::new(&request.to));
    Ok(Json(state.services.files.relocate(from, to, existing).await?))
}
