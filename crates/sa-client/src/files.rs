//! The operations on files.

use crate::client::{EVENT_STREAM, JSON, read_json, with_headers};
use crate::operations::operations;
use crate::transfer::{Download, Upload};
use crate::{Client, EventStream, Page, Result};
use reqwest::header::{
    CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH, LAST_MODIFIED, LINK, RANGE,
};
use reqwest::{Method, RequestBuilder, Url};
use sa_api::{
    FsActionResponse, FsEntry, FsMoveRequest, FsMoveResponse, FsSearchResponse, FsStat,
    FsUploadBatchResponse, FsWriteResponse,
};
use serde::Serialize;

const BYTES: &str = "application/octet-stream";

/// A directory's entries, or a page of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FsListing {
    /// Sorted by the bytes of their names.
    pub entries: Vec<FsEntry>,
    /// The query of the next page.
    next: Option<Vec<(String, String)>>,
}

/// A file without its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FsHead {
    /// Size in bytes, if the system knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Version of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The time of the last write, as HTTP writes dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// Options of writing a file.
#[derive(Debug, Clone, Default)]
pub struct FsWriteOptions {
    /// Permissions, in octal digits.
    pub mode: Option<String>,
    /// Do not wait until it is on the disk.
    pub no_sync: bool,
    /// Only in place of one of these versions: `If-Match`.
    pub if_match: Option<String>,
    /// Only if it is none of these: `If-None-Match`.
    pub if_none_match: Option<String>,
}

/// Options of packing a directory.
#[derive(Debug, Clone, Copy, Default)]
pub struct FsPackOptions {
    /// `tar.gz` instead of `tar`.
    pub compressed: bool,
    /// Leave out what `.gitignore` and the like exclude.
    pub leave_ignored: bool,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct FsWatchOptions {
    /// Also what is below.
    pub recursive: bool,
    /// Also what `.gitignore` and the like exclude.
    pub ignored: bool,
}

/// A search.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FsSearch {
    /// A glob for names.
    pub name: Option<String>,
    /// A regular expression for lines.
    pub content: Option<String>,
    /// Take `content` as it is written.
    pub literal: bool,
    /// Capital letters are the same as small ones.
    pub ignore_case: bool,
    /// Also what `.gitignore` and the like exclude.
    pub ignored: bool,
    #[serde(skip)]
    pub page: Page,
}

operations! {
    /// Returns the properties of a file.
    stat_fs_entry(path: &str, follow: bool) -> FsStat =
        GET ["v1", "fs", "stat"], query [("path", path)], query [("follow", follow)];
    /// Removes a file or a directory.
    delete_fs_entry(path: &str, recursive: bool) -> FsActionResponse =
        DELETE ["v1", "fs", "entry"], query [("path", path)], query [("recursive", recursive)];
    /// Makes a directory and those above it.
    make_fs_directory(path: &str) -> FsActionResponse = POST ["v1", "fs", "mkdir"], query [("path", path)];
    /// Moves a file or a directory.
    move_fs_entry(request: &FsMoveRequest) -> FsMoveResponse = POST ["v1", "fs", "move"], json request;
    /// Searches for names and contents.
    search_fs(path: &str, search: &FsSearch) -> FsSearchResponse =
        GET ["v1", "fs", "search"], query [("path", path)], query search, query search.page;
}

impl Client {
    fn fs(
        &self,
        method: Method,
        operation: &str,
        accept: &'static str,
        path: &str,
    ) -> Result<RequestBuilder> {
        Ok(self.request(method, &["v1", "fs", operation], accept)?.query(&[("path", path)]))
    }

    /// Lists a directory, or one page of it.
    pub async fn list_fs_entries(&self, path: &str, page: &Page) -> Result<FsListing> {
        self.listing(self.fs(Method::GET, "entries", JSON, path)?.query(page)).await
    }

    /// Returns the page after that one; none after the last page.
    pub async fn next_fs_entries(&self, listing: &FsListing) -> Result<Option<FsListing>> {
        let Some(query) = &listing.next else { return Ok(None) };
        let request = self.request(Method::GET, &["v1", "fs", "entries"], JSON)?;
        self.listing(request.query(query)).await.map(Some)
    }

    async fn listing(&self, request: RequestBuilder) -> Result<FsListing> {
        let response = self.send(request).await?;
        let link = response.headers().get(LINK).and_then(|value| value.to_str().ok()).and_then(next_page);
        let entries = read_json(response).await?;
        Ok(FsListing { entries, next: link })
    }

    /// Reads a file, or the part of it that `range` names, such as `bytes=0-99`.
    pub async fn read_fs_file(&self, path: &str, range: Option<&str>) -> Result<Download> {
        let request = self.fs(Method::GET, "file", BYTES, path)?;
        self.send(with_headers(request, [(RANGE, range)])?).await.map(Download::new)
    }

    /// Returns the size, version and time of the last change of a file.
    pub async fn head_fs_file(&self, path: &str) -> Result<FsHead> {
        let response = self.send(self.fs(Method::HEAD, "file", BYTES, path)?).await?;
        let text =
            |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Ok(FsHead {
            size: text(CONTENT_LENGTH).and_then(|size| size.parse().ok()),
            etag: text(ETAG),
            last_modified: text(LAST_MODIFIED),
        })
    }

    /// Writes a file.
    pub async fn write_fs_file(
        &self,
        path: &str,
        body: Upload,
        options: &FsWriteOptions,
    ) -> Result<FsWriteResponse> {
        let request = self.fs(Method::PUT, "file", JSON, path)?.header(CONTENT_TYPE, BYTES);
        let request = request.query(&options.mode.as_ref().map(|mode| [("mode", mode)]));
        let request = request.query(&options.no_sync.then_some([("sync", false)]));
        let conditions =
            [(IF_MATCH, options.if_match.as_deref()), (IF_NONE_MATCH, options.if_none_match.as_deref())];
        self.ask(body.attach(with_headers(request, conditions)?)).await
    }

    /// Unpacks a tar archive into a directory.
    pub async fn upload_fs_batch(&self, path: &str, archive: Upload) -> Result<FsUploadBatchResponse> {
        let request = self.fs(Method::POST, "upload-batch", JSON, path)?;
        self.ask(archive.attach(request.header(CONTENT_TYPE, "application/x-tar"))).await
    }

    /// Packs a directory.
    pub async fn download_fs_batch(&self, path: &str, options: FsPackOptions) -> Result<Download> {
        let format = if options.compressed { "tar.gz" } else { "tar" };
        let request = self.fs(Method::GET, "download-batch", "*/*", path)?.query(&[("format", format)]);
        self.send(request.query(&[("ignored", !options.leave_ignored)])).await.map(Download::new)
    }

    /// The events of what changes.
    pub async fn watch_fs(&self, path: &str, options: FsWatchOptions) -> Result<EventStream> {
        let request = self.fs(Method::GET, "watch", EVENT_STREAM, path)?.query(&options);
        EventStream::new(self.send(request).await?)
    }
}

/// The query of the page that a `Link` header names as the next one.
fn next_page(link: &str) -> Option<Vec<(String, String)>> {
    let (target, relation) = link.strip_prefix('<')?.split_once('>')?;
    let base = Url::parse("http://daemon/").ok()?;
    let url = base.join(target).ok().filter(|_| relation.contains("next"))?;
    Some(url.query_pairs().into_owned().collect())
}
