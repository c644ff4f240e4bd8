//! `/v1/fs`: the files of the sandbox.

mod archives;
mod conditions;
mod entries;
mod file;
mod range;
mod search;
mod watch;

use crate::state::AppState;
use sa_api::{FsEntry, FsEntryType, FsStat};
use sa_files::{Entry, Kind};
use std::path::Path;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of this area.
pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(entries::list))
        .routes(routes!(entries::stat))
        .routes(routes!(file::read, file::head, file::write))
        .routes(routes!(entries::delete))
        .routes(routes!(entries::make_dir))
        .routes(routes!(entries::relocate))
        .routes(routes!(archives::upload))
        .routes(routes!(archives::download))
        .routes(routes!(watch::watch))
        .routes(routes!(search::search))
}

/// A path in an answer; bytes that are no UTF-8 are replaced.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn entry_type(kind: Kind) -> FsEntryType {
    match kind {
        Kind::File => FsEntryType::File,
        Kind::Directory => FsEntryType::Directory,
        Kind::Symlink => FsEntryType::Symlink,
        Kind::Other => FsEntryType::Other,
    }
}

fn octal(mode: u32) -> String {
    format!("{mode:04o}")
}

fn listed(entry: &Entry) -> FsEntry {
    FsEntry {
        name: entry.name(),
        path: text(&entry.path),
        entry_type: entry_type(entry.kind),
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
        entry_type: entry_type(entry.kind),
        size: entry.size,
        modified: entry.modified.rfc3339(),
        mode: octal(entry.mode),
        target: entry.target.as_ref().map(|target| target.to_string_lossy().into_owned()),
        etag: (entry.kind == Kind::File).then(|| entry.version.tag()),
    }
}
