//! `/v1/fs`: the files of the sandbox.

mod archives;
mod conditions;
mod entries;
mod file;
mod range;
mod search;
mod watch;

use crate::state::AppState;
use axum::Router;
use axum::routing::{delete, get, post};
use sa_api::{FsEntry, FsEntryType, FsStat};
use sa_files::Entry;
use std::path::Path;
use utoipa::OpenApi;

/// The routes of this area.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/v1/fs/entries", get(entries::list))
        .route("/v1/fs/stat", get(entries::stat))
        .route("/v1/fs/file", get(file::read).head(file::head).put(file::write))
        .route("/v1/fs/entry", delete(entries::delete))
        .route("/v1/fs/mkdir", post(entries::make_dir))
        .route("/v1/fs/move", post(entries::relocate))
        .route("/v1/fs/upload-batch", post(archives::upload))
        .route("/v1/fs/download-batch", get(archives::download))
        .route("/v1/fs/watch", get(watch::watch))
        .route("/v1/fs/search", get(search::search))
}

/// The documentation of [`routes`].
#[derive(OpenApi)]
#[openapi(paths(
    entries::list,
    entries::stat,
    file::read,
    file::head,
    file::write,
    entries::delete,
    entries::make_dir,
    entries::relocate,
    archives::upload,
    archives::download,
    watch::watch,
    search::search
))]
pub(crate) struct Operations;

/// A path in an answer; bytes that are no UTF-8 are replaced.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn octal(mode: u32) -> String {
    format!("{mode:04o}")
}

fn listed(entry: &Entry) -> FsEntry {
    FsEntry {
        name: entry.name(),
        path: text(&entry.path),
        entry_type: entry.kind,
        size: entry.size,
        modified: entry.modified.rfc3339(),
        mode: octal(entry.mode),
        target: entry.target.as_ref().map(|target| target.to_string_lossy().into_owned()),
        encoded_path: sa_files::encoded(&entry.path),
    }
}

fn described(entry: &Entry) -> FsStat {
    FsStat {
        path: text(&entry.path),
        entry_type: entry.kind,
        size: entry.size,
        modified: entry.modified.rfc3339(),
        mode: octal(entry.mode),
        target: entry.target.as_ref().map(|target| target.to_string_lossy().into_owned()),
        etag: (entry.kind == FsEntryType::File).then(|| entry.version.tag()),
    }
}
