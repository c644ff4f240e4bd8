//! Searching for names and contents.

use super::text;
use crate::problem::ApiResult;
use crate::query::Parameters;
use crate::state::AppState;
use axum::Json;
use axum::extract::{RawQuery, State};
use sa_api::{FsMatch, FsSearchResponse};
use sa_files::{Hit, Query};

#[utoipa::path(
    get, path = "/v1/fs/search", operation_id = "searchFs", tag = "files",
    summary = "Search files",
    description = "Walks a directory and all below it in the order of paths, along no link. With `name` only entries whose name (or, \
        with a slash in the pattern, whose path) fits; with `content` lines of files that match; with both, lines in files whose \
        name fits. Binary files have no lines. When time or results run out, send `next` as `after` to continue.",
    params(
        ("path" = Option<String>, Query, description = "Where to search; relative paths start at the workspace, which is also the default"),
        ("name" = Option<String>, Query, description = "A glob: `*.rs`, or `src/**/*.rs` for paths from where the search begins"),
        ("content" = Option<String>, Query, description = "A regular expression for a line"),
        ("literal" = Option<bool>, Query, description = "Take `content` as it is written"),
        ("ignoreCase" = Option<bool>, Query, description = "Capital letters are the same as small ones"),
        ("ignored" = Option<bool>, Query, description = "Also `.git` and what `.gitignore` and `.ignore` exclude"),
        ("limit" = Option<usize>, Query, minimum = 1, description = "At most about so many results; a file's lines are kept together"),
        ("after" = Option<String>, Query, description = "Continue after this path: the `next` of the answer before"),
    ),
    responses(
        (status = 200, description = "Matches", body = FsSearchResponse),
        (status = 400, description = "Bad path, pattern or parameter"),
        (status = 404, description = "No such directory"),
        (status = 409, description = "Not a directory"),
        (status = 429, description = "Too many searches"),
    )
)]
pub(crate) async fn search(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> ApiResult<Json<FsSearchResponse>> {
    let query = Parameters::parse(query.as_deref())?;
    let sought = Query {
        name: query.text("name")?.map(str::to_owned),
        content: query.text("content")?.map(str::to_owned),
        literal: query.flag("literal")?,
        ignore_case: query.flag("ignoreCase")?,
        with_ignored: query.flag("ignored")?,
        limit: query.number("limit")?,
        after: query.name("after").map(Into::into),
    };
    let results = state.files.search(&query.path_or_workspace("path"), sought).await?;
    Ok(Json(FsSearchResponse {
        matches: results.matches.into_iter().map(found).collect(),
        next: results.next.map(|path| text(&path)),
        searched: results.searched,
        skipped: results.skipped,
    }))
}

fn found(hit: Hit) -> FsMatch {
    let line = hit.line.as_ref();
    FsMatch {
        path: text(&hit.path),
        entry_type: hit.kind,
        line: line.map(|line| line.number),
        column: line.map(|line| line.column),
        text: line.map(|line| line.text.clone()),
        more: hit.more,
    }
}
