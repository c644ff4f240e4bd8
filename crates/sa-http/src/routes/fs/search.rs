//! Searching for names and contents.

use super::BaseQuery;
use crate::handler::{ApiResult, AppState, Json, operation, query};
use crate::query::QueryPath;
use sa_api::FsSearchResponse;

#[query]
pub(crate) struct SearchQuery {
    /// A glob: `*.rs`, or `src/**/*.rs` for paths from where the search begins
    name: Option<String>,
    /// A regular expression for a line
    content: Option<String>,
    /// Take `content` as it is written
    literal: Option<bool>,
    /// Capital letters are the same as small ones
    ignore_case: Option<bool>,
    /// Also `.git` and what `.gitignore` and `.ignore` exclude
    ignored: Option<bool>,
    /// At most about so many results; a file's lines are kept together
    #[param(value_type = Option<usize>)]
    limit: Option<usize>,
    /// Continue after this path: the `next` of the answer before
    after: Option<QueryPath>,
}

/// Search files
///
/// Walks a directory and all below it in the order of paths, along no link. With `name` only entries whose name (or,
/// with a slash in the pattern, whose path) fits; with `content` lines of files that match; with both, lines in files
/// whose name fits. Binary files have no lines. When time or results run out, send `next` as `after` to continue.
///
/// - 200: Matches
/// - 400: Bad path, pattern or parameter
/// - 404: No such directory
/// - 409: Not a directory
/// - 429: Too many searches
#[operation(searchFs: get "/v1/fs/search")]
pub(crate) async fn search(
    state: AppState,
    base: BaseQuery,
    query: SearchQuery,
) -> ApiResult<Json<FsSearchResponse>> {
    let sought = sa_files::Query {
        name: query.name,
        content: query.content,
        literal: query.literal == Some(true),
        ignore_case: query.ignore_case == Some(true),
        with_ignored: query.ignored == Some(true),
        limit: query.limit,
        after: query.after.map(QueryPath::into_os_string),
    };
    Ok(Json(state.services.files.search(base.path(), sought).await?))
}
