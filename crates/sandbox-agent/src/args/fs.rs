//! The flags of `sandbox-agent api fs`. Paths on this machine are paths; those on the daemon's are text.

use super::Output;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The operations on files.
#[derive(Debug, Subcommand)]
pub(crate) enum FsCommand {
    /// List a directory (GET /v1/fs/entries)
    Ls(LsArgs),
    /// Read a file (GET /v1/fs/file)
    Get(GetArgs),
    /// Show size, version and time of a file (HEAD /v1/fs/file)
    Head {
        /// The file
        path: String,
        #[command(flatten)]
        output: Output,
    },
    /// Write a file (PUT /v1/fs/file)
    Put(PutArgs),
    /// Remove a file or a directory (DELETE /v1/fs/entry)
    Rm {
        /// Path to remove
        path: String,
        /// Also what is in a directory
        #[arg(short, long)]
        recursive: bool,
    },
    /// Make a directory and those above it (POST /v1/fs/mkdir)
    Mkdir {
        /// The directory
        path: String,
    },
    /// Move a file or a directory (POST /v1/fs/move)
    Mv {
        /// Path to move
        from: String,
        /// Its new path
        to: String,
        /// Replace what is there
        #[arg(long)]
        overwrite: bool,
    },
    /// Show what is known of a file (GET /v1/fs/stat)
    Stat {
        /// The file
        path: String,
        /// Follow a link at the end of the path
        #[arg(long)]
        follow: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Send a directory or a tar archive and unpack it there (POST /v1/fs/upload-batch)
    Upload(UploadArgs),
    /// Fetch a directory and unpack it here, or keep its archive (GET /v1/fs/download-batch)
    Download(DownloadArgs),
    /// Print what changes (GET /v1/fs/watch)
    Watch(WatchArgs),
    /// Search for names and contents (GET /v1/fs/search)
    Search(SearchArgs),
}

/// The arguments of `api fs ls`.
#[derive(Debug, Args)]
pub(crate) struct LsArgs {
    /// The directory
    #[arg(default_value = ".")]
    pub(crate) path: String,
    /// List at most N entries [default: all, in pages]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Only names after this one
    #[arg(long, value_name = "NAME")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `api fs get`.
#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// The file on the daemon's side
    pub(crate) path: String,
    /// Where to write it [default: standard output]
    pub(crate) to: Option<PathBuf>,
    /// Only these bytes, such as 0-99, 100- or -100
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub(crate) range: Option<String>,
}

/// The arguments of `api fs put`.
#[derive(Debug, Args)]
pub(crate) struct PutArgs {
    /// The file on the daemon's side
    pub(crate) path: String,
    /// File to send; '-' for standard input
    #[arg(default_value = "-")]
    pub(crate) from: PathBuf,
    /// Permissions in octal, such as 755
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,
    /// Only if it has this version, or is there at all with '*'
    #[arg(long, value_name = "ETAG")]
    pub(crate) if_match: Option<String>,
    /// Only if it does not have this version, or is not there at all with '*'
    #[arg(long, value_name = "ETAG")]
    pub(crate) if_none_match: Option<String>,
    /// Do not wait until it is on the disk
    #[arg(long)]
    pub(crate) no_sync: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `api fs upload`.
#[derive(Debug, Args)]
pub(crate) struct UploadArgs {
    /// A directory, or an archive (tar, tar.gz, tar.zst); '-' for an archive on standard input
    pub(crate) from: PathBuf,
    /// The directory on the daemon's side
    #[arg(default_value = ".")]
    pub(crate) path: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The arguments of `api fs download`.
#[derive(Debug, Args)]
pub(crate) struct DownloadArgs {
    /// The directory or file on the daemon's side
    pub(crate) path: String,
    /// The directory to unpack to; with --archive the file to write, or '-' for standard output
    #[arg(default_value = ".")]
    pub(crate) to: PathBuf,
    /// Keep the archive instead of unpacking it
    #[arg(long)]
    pub(crate) archive: bool,
    /// Compress it on the way
    #[arg(long)]
    pub(crate) gzip: bool,
    /// Leave out .git and what .gitignore and .ignore exclude
    #[arg(long)]
    pub(crate) leave_ignored: bool,
}

/// The arguments of `api fs watch`.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The directory or file
    #[arg(default_value = ".")]
    pub(crate) path: String,
    /// Not what is below
    #[arg(long)]
    pub(crate) flat: bool,
    /// Also .git and what .gitignore and .ignore exclude
    #[arg(long)]
    pub(crate) ignored: bool,
    /// Print every event as an object of event, id and data
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `api fs search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Where to search
    #[arg(default_value = ".")]
    pub(crate) path: String,
    /// Only names that fit this glob; with a slash in it, paths
    #[arg(long, value_name = "GLOB")]
    pub(crate) name: Option<String>,
    /// Lines that match this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) content: Option<String>,
    /// Take --content as it is written
    #[arg(long, requires = "content")]
    pub(crate) literal: bool,
    /// Capital letters are the same as small ones
    #[arg(short, long)]
    pub(crate) ignore_case: bool,
    /// Also .git and what .gitignore and .ignore exclude
    #[arg(long)]
    pub(crate) ignored: bool,
    /// At most so many results
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Continue after this path
    #[arg(long, value_name = "PATH")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}
