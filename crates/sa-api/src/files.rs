//! Files of the sandbox.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsEntry {
    /// Its name. Bytes that are no UTF-8 are replaced; `encodedPath` has them all.
    pub name: String,
    /// Its absolute path.
    pub path: String,
    /// What it is; links are not followed.
    pub entry_type: FsEntryType,
    /// Bytes; of a link the length of its target.
    pub size: u64,
    /// When its contents changed last, in RFC 3339.
    pub modified: String,
    /// Permissions as four octal digits, such as `0644`.
    pub mode: String,
    /// Where a link points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub target: Option<String>,
    /// The path as bytes, percent-encoded for a query; only where it is no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub encoded_path: Option<String>,
}

/// What is known of a file without reading it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsStat {
    /// Its absolute path.
    pub path: String,
    /// What it is.
    pub entry_type: FsEntryType,
    /// Bytes; of a link the length of its target.
    pub size: u64,
    /// When its contents changed last, in RFC 3339.
    pub modified: String,
    /// Permissions as four octal digits, such as `0644`.
    pub mode: String,
    /// Where a link points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub target: Option<String>,
    /// The entity tag of this version of a regular file, for `If-Match` and `If-None-Match`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub etag: Option<String>,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsWriteResponse {
    /// Its absolute path.
    pub path: String,
    /// How many bytes it has now.
    pub bytes_written: u64,
    /// The entity tag of what was written.
    pub etag: String,
}

/// What an operation was done to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsActionResponse {
    /// Its absolute path.
    pub path: String,
}

/// What to move where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FsMoveRequest {
    /// What to move. A link is moved itself.
    #[schema(min_length = 1)]
    pub from: String,
    /// Its new path; directories that are missing above it are made.
    #[schema(min_length = 1)]
    pub to: String,
    /// Replace what is there. Without it an existing `to` is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrite: Option<bool>,
}

/// What was moved where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsMoveResponse {
    /// The absolute path that it had.
    pub from: String,
    /// The absolute path that it has.
    pub to: String,
}

/// What an archive was unpacked to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsUploadBatchResponse {
    /// Absolute paths of the files and links that were written, the first 1024 of them.
    pub paths: Vec<String>,
    /// Whether there are more.
    pub truncated: bool,
    /// How many entries the archive had.
    pub entries: u64,
    /// How many bytes of contents were written.
    pub bytes: u64,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum FsChangeKind {
    /// It is there now and was not before, also by being moved here.
    Created,
    /// Its contents or properties are others.
    Modified,
    /// It is gone, also by being moved away.
    Removed,
}

/// Data of the event `change`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsChange {
    /// Its absolute path.
    pub path: String,
    /// What happened.
    pub kind: FsChangeKind,
    /// Whether it is a directory, where that is known.
    pub directory: bool,
}

/// Data of the event `ready`: from here on every change is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsWatchReady {
    /// The absolute path that is watched.
    pub path: String,
    /// How many directories are observed.
    pub directories: u64,
}

/// Data of the event `overflow`: changes were lost, or parts are not watched. Whoever needs to know looks again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsOverflow {
    /// Why, for people.
    pub reason: String,
    /// The directory whose changes may be missing.
    pub path: String,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsSearchResponse {
    /// In the order of their paths.
    pub matches: Vec<FsMatch>,
    /// Where to go on: the `after` of the next request. Absent when everything was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<String>,
    /// How many entries were looked at.
    pub searched: u64,
    /// How many files could not be searched: no permission, or a line that is too long.
    pub skipped: u64,
}

/// One entry that a search found, or one line of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FsMatch {
    /// Its absolute path.
    pub path: String,
    /// What it is.
    pub entry_type: FsEntryType,
    /// The line's number, from 1, in a search for contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub line: Option<u64>,
    /// Where in the line the first match begins: bytes from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub column: Option<u64>,
    /// The line, without its end and cut after some hundred bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub text: Option<String>,
    /// The file may have further matching lines, which are not among the results.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}
