//! The flags of `sandbox-agent api fs`. Paths on this machine are paths; those on the daemon's are text.

use super::Output;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The operations on files.
#[derive(Debug, Subcommand)]
pub(crate) enum FsCommand {
    /// List a directory (GET /v1/fs/entries)
    Ls {
        /// Directory to list
        #[arg(default_value = ".")]
        path: String,
        /// List at most N entries [default: all]
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
        /// List only names after this one
        #[arg(long, value_name = "NAME")]
        after: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Read a file (GET /v1/fs/file)
    Get {
        /// Path of the file in the sandbox
        path: String,
        /// Local file to write [default: standard output]
        to: Option<PathBuf>,
        /// Read only these bytes, such as 0-99, 100- or -100
        #[arg(long, value_name = "RANGE", allow_hyphen_values = true, value_parser = byte_range)]
        range: Option<String>,
    },
    /// Show the size, ETag and time of a file (HEAD /v1/fs/file)
    Head {
        /// Path of the file
        path: String,
        #[command(flatten)]
        output: Output,
    },
    /// Write a file (PUT /v1/fs/file)
    Put(PutArgs),
    /// Delete a file or directory (DELETE /v1/fs/entry)
    Rm {
        /// Path to delete
        path: String,
        /// Delete a directory with its contents
        #[arg(short, long)]
        recursive: bool,
    },
    /// Create a directory and its parents (POST /v1/fs/mkdir)
    Mkdir {
        /// Path of the directory
        path: String,
    },
    /// Move a file or directory (POST /v1/fs/move)
    Mv {
        /// Path to move
        from: String,
        /// New path
        to: String,
        /// Replace an existing file
        #[arg(long)]
        overwrite: bool,
    },
    /// Show the metadata of a file or directory (GET /v1/fs/stat)
    Stat {
        /// Path of the file
        path: String,
        /// Follow a symbolic link at the end of the path
        #[arg(long)]
        follow: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Upload a directory or tar archive and unpack it (POST /v1/fs/upload-batch)
    Upload {
        /// Local directory or archive (tar, tar.gz, tar.zst); '-' for an archive on standard input
        from: PathBuf,
        /// Directory in the sandbox
        #[arg(default_value = ".")]
        path: String,
        #[command(flatten)]
        output: Output,
    },
    /// Download a directory and unpack it (GET /v1/fs/download-batch)
    Download(DownloadArgs),
    /// Watch a directory for changes (GET /v1/fs/watch)
    Watch {
        /// Directory or file to watch
        #[arg(default_value = ".")]
        path: String,
        /// Do not watch subdirectories
        #[arg(long)]
        flat: bool,
        /// Include .git and files that .gitignore and .ignore exclude
        #[arg(long)]
        ignored: bool,
        /// Print every event as an object with event, id and data
        #[arg(long)]
        json: bool,
    },
    /// Search file names and contents (GET /v1/fs/search)
    Search(SearchArgs),
}

/// The arguments of `api fs put`.
#[derive(Debug, Args)]
pub(crate) struct PutArgs {
    /// Path of the file in the sandbox
    pub(crate) path: String,
    /// Local file to send; '-' for standard input
    #[arg(default_value = "-")]
    pub(crate) from: PathBuf,
    /// Permissions in octal, such as 755 [default: unchanged; for a new file, by the umask]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,
    /// Write only if the file has this ETag; '*' if it exists
    #[arg(long, value_name = "ETAG")]
    pub(crate) if_match: Option<String>,
    /// Write only if the file does not have this ETag; '*' if it does not exist
    #[arg(long, value_name = "ETAG")]
    pub(crate) if_none_match: Option<String>,
    /// Do not wait until the file is on disk
    #[arg(long)]
    pub(crate) no_sync: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `api fs download`.
#[derive(Debug, Args)]
pub(crate) struct DownloadArgs {
    /// Directory or file in the sandbox
    pub(crate) path: String,
    /// Local directory to unpack to; with --archive, the file to write, or '-' for standard output
    #[arg(default_value = ".")]
    pub(crate) to: PathBuf,
    /// Keep the archive instead of unpacking it
    #[arg(long)]
    pub(crate) archive: bool,
    /// Compress the archive with gzip
    #[arg(long)]
    pub(crate) gzip: bool,
    /// Exclude .git and files that .gitignore and .ignore exclude
    #[arg(long)]
    pub(crate) leave_ignored: bool,
}

/// The arguments of `api fs search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Directory to search
    #[arg(default_value = ".")]
    pub(crate) path: String,
    /// Glob that names must match; with a slash in it, paths
    #[arg(long, value_name = "GLOB")]
    pub(crate) name: Option<String>,
    /// Regular expression that lines must match
    #[arg(long, value_name = "REGEX")]
    pub(crate) content: Option<String>,
    /// Treat --content as plain text
    #[arg(long, requires = "content")]
    pub(crate) literal: bool,
    /// Ignore case
    #[arg(short, long)]
    pub(crate) ignore_case: bool,
    /// Include .git and files that .gitignore and .ignore exclude
    #[arg(long)]
    pub(crate) ignored: bool,
    /// Print at most about N results [default: the daemon's limit]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Continue after this path
    #[arg(long, value_name = "PATH")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Checks a range of bytes here: servers answer one that they cannot read with the whole file.
fn byte_range(text: &str) -> Result<String, &'static str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_range = text.split_once('-').is_some_and(|(first, last)| {
        (is_number(first) && (last.is_empty() || is_number(last))) || (first.is_empty() && is_number(last))
    });
    if is_range { Ok(text.to_owned()) } else { Err("expected START-END, START- or -COUNT") }
}
