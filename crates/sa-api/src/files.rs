//! Files of the sandbox.

use sa_api_macros::api;

/// Type of a file.
#[api]
pub enum FsEntryType {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A pipe, a socket or a device.
    Other,
}

/// An entry of a directory.
#[api(Eq)]
pub struct FsEntry {
    /// Name of the entry. Bytes that are not UTF-8 are replaced; `encodedPath` has the exact path.
    pub name: String,
    /// Absolute path.
    pub path: String,
    /// Type of the entry. Links are not followed.
    pub entry_type: FsEntryType,
    /// Other properties of the entry.
    #[serde(flatten)]
    pub attributes: FsAttributes,
    /// Exact path, percent-encoded for a query. Present only if the path is not UTF-8.
    pub encoded_path: Option<String>,
}

/// Properties of a file.
#[api(Eq)]
pub struct FsStat {
    /// Absolute path.
    pub path: String,
    /// Type of the file.
    pub entry_type: FsEntryType,
    /// Other properties of the file.
    #[serde(flatten)]
    pub attributes: FsAttributes,
    /// Entity tag of this version of a regular file, for `If-Match` and `If-None-Match`.
    pub etag: Option<String>,
}

/// Properties that entries of a directory and single files have.
#[api(Eq)]
pub struct FsAttributes {
    /// Size in bytes; for a link the length of its target.
    pub size: u64,
    /// Time of the last change of the content, in RFC 3339.
    pub modified: String,
    /// Permissions as four octal digits, such as `0644`.
    pub mode: String,
    /// Target of a link.
    pub target: Option<String>,
}

/// A file that was written.
#[api(Eq)]
pub struct FsWriteResponse {
    /// Absolute path.
    pub path: String,
    /// Size of the file in bytes.
    pub bytes_written: u64,
    /// Entity tag of the new version.
    pub etag: String,
}

/// Result of an action on a file.
#[api(Eq)]
pub struct FsActionResponse {
    /// Absolute path.
    pub path: String,
}

/// A file or directory to move.
#[api(strict, Eq)]
pub struct FsMoveRequest {
    /// Path of the file or directory. A link is moved itself.
    #[schema(min_length = 1)]
    pub from: String,
    /// New path. Missing parent directories are created.
    #[schema(min_length = 1)]
    pub to: String,
    /// Replaces an existing file. Without it, an existing `to` is a conflict.
    pub overwrite: Option<bool>,
}

/// Result of a move.
#[api(Eq)]
pub struct FsMoveResponse {
    /// Absolute path before the move.
    pub from: String,
    /// Absolute path after the move.
    pub to: String,
}

/// Result of unpacking an archive.
#[api(Eq)]
pub struct FsUploadBatchResponse {
    /// Absolute paths of the files and links that were written, at most 1024.
    pub paths: Vec<String>,
    /// True if there are more paths.
    pub truncated: bool,
    /// Number of entries of the archive.
    pub entries: u64,
    /// Number of bytes of content that were written.
    pub bytes: u64,
}

/// Kind of a change to a file.
#[api]
pub enum FsChangeKind {
    /// Created, or moved here.
    Created,
    /// Content or properties changed.
    Modified,
    /// Removed, or moved away.
    Removed,
}

/// A change to a file. Data of the event `change`.
#[api(Eq)]
pub struct FsChange {
    /// Absolute path.
    pub path: String,
    /// Kind of the change.
    pub kind: FsChangeKind,
    /// True for a directory, if it is known.
    pub directory: bool,
    /// Exact path, percent-encoded for a query. Present only if the path is not UTF-8.
    pub encoded_path: Option<String>,
}

/// Start of a watch. Data of the event `ready`; every later change is reported.
#[api(Eq)]
pub struct FsWatchReady {
    /// Absolute path that is watched.
    pub path: String,
    /// Number of directories that are watched.
    pub directories: u64,
}

/// Loss of changes. Data of the event `overflow`: changes were lost, or parts are not watched. List the directory again.
#[api(Eq)]
pub struct FsOverflow {
    /// Reason of the loss.
    pub reason: String,
    /// Directory whose changes may be missing.
    pub path: String,
}

/// Result of a search.
#[api(Eq)]
pub struct FsSearchResponse {
    /// Matches in the order of their paths.
    pub matches: Vec<FsMatch>,
    /// Cursor to continue: send it as `after`. Absent if everything was searched.
    pub next: Option<String>,
    /// Number of entries that were examined.
    pub searched: u64,
    /// Number of files that could not be searched: no permission, or a line that is too long.
    pub skipped: u64,
}

/// A match of a search: an entry, or a line of a file.
#[api(Eq)]
pub struct FsMatch {
    /// Absolute path.
    pub path: String,
    /// Type of the entry.
    pub entry_type: FsEntryType,
    /// Line number, starting at 1, in a search for content.
    pub line: Option<u64>,
    /// Position of the first match in the line, in bytes, starting at 1.
    pub column: Option<u64>,
    /// The line without its end, cut after some hundred bytes.
    pub text: Option<String>,
    /// True if the file has more matching lines that are not in the results.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Exact path, percent-encoded for a query. Present only if the path is not UTF-8.
    pub encoded_path: Option<String>,
}
