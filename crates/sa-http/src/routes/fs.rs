//! `/v1/fs`: the files of the sandbox.

mod archives;
pub(crate) mod conditions;
mod entries;
mod file;
pub(crate) mod range;
mod search;
mod watch;

use crate::query::QueryPath;
use sa_api::{FsAttributes, FsEntry, FsEntryType, FsStat};
use sa_api_macros::query;
use sa_files::Entry;
use std::ffi::OsStr;
use std::path::Path;

sa_api_macros::operations! {
    entries::list, entries::stat, file::read, file::head, file::write, entries::delete, entries::make_dir,
    entries::relocate, archives::upload, archives::download, watch::watch, search::search
}

#[query]
pub(crate) struct PathQuery {
    /// The path; relative paths start at the workspace
    path: QueryPath,
}

#[query]
pub(crate) struct BaseQuery {
    /// The directory or file; relative paths start at the workspace, which is also the default
    path: Option<QueryPath>,
}

impl BaseQuery {
    /// Returns the path. Absent or empty it is the workspace.
    fn path(&self) -> &OsStr {
        let given = self.path.as_ref().map(QueryPath::as_os_str).filter(|path| !path.is_empty());
        given.unwrap_or(OsStr::new("."))
    }
}

/// A path in an answer; bytes that are no UTF-8 are replaced.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn listed(entry: &Entry) -> FsEntry {
    FsEntry {
        name: entry.name(),
        path: text(&entry.path),
        entry_type: entry.kind,
        attributes: attributes(entry),
        encoded_path: sa_files::encoded(&entry.path),
    }
}

fn described(entry: &Entry) -> FsStat {
    let etag = (entry.kind == FsEntryType::File).then(|| entry.version.tag());
    FsStat { path: text(&entry.path), entry_type: entry.kind, attributes: attributes(entry), etag }
}

fn attributes(entry: &Entry) -> FsAttributes {
    FsAttributes {
        size: entry.size,
        modified: entry.modified.rfc3339(),
        mode: format!("{:04o}", entry.mode),
        target: entry.target.as_ref().map(|target| target.to_string_lossy().into_owned()),
    }
}
