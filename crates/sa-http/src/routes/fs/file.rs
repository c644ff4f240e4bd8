//! `/v1/fs/file`: the contents of a file.

use super::conditions::{conditions, tags};
use super::range::{Wanted, wanted};
use super::text;
use crate::body::Incoming;
use crate::problem::{ApiError, ApiResult};
use crate::query::{self, Parameters};
use crate::state::AppState;
use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use sa_api::FsWriteResponse;
use sa_files::{FileStream, FilesError, OpenFile, WriteOptions, Written};

#[utoipa::path(
    get, path = "/v1/fs/file", operation_id = "readFsFile", tag = "files",
    summary = "Read a file",
    description = "The bytes of a regular file, through links, of any size. Files whose \
        size the system does not know, such as those of `/proc`, come without a length and cannot be read in parts.",
    params(
        ("path" = String, Query, description = "The file; relative paths start at the workspace"),
        ("Range" = Option<String>, Header, description = "One range of bytes: `bytes=0-499`, `bytes=500-`, `bytes=-500`"),
        ("If-Range" = Option<String>, Header, description = "Send the part only of this version, otherwise the whole file"),
        ("If-Match" = Option<String>, Header, description = "Send only one of these versions"),
        ("If-None-Match" = Option<String>, Header, description = "Send none of these versions: the client has it"),
    ),
    responses(
        (status = 200, description = "The file", content_type = "application/octet-stream", body = Vec<u8>,
            headers(("ETag" = String, description = "This version"), ("Last-Modified" = String, description = "When it was written"))),
        (status = 206, description = "The part that was asked for", content_type = "application/octet-stream", body = Vec<u8>,
            headers(("Content-Range" = String, description = "Which part it is"))),
        (status = 304, description = "The client has this version"),
        (status = 400, description = "Bad path or header"),
        (status = 404, description = "No such file"),
        (status = 409, description = "Not a regular file"),
        (status = 412, description = "It is another version"),
        (status = 416, description = "The file has no byte in that range"),
    )
)]
pub(crate) async fn read(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let path = Parameters::parse(query.as_deref())?.path("path")?;
    let conditions = conditions(&headers)?;
    let file = state.files.read(&path).await?;
    let version = file.entry.version;
    if conditions.if_match.is_some_and(|tags| !tags.hold_strongly(&version)) {
        let detail = format!("'{}' has another version, so If-Match does not hold", text(&file.entry.path));
        return Err(FilesError::Precondition(detail).into());
    }
    let tag = version.tag();
    let modified = file.entry.modified.http_date();
    let mut response = if conditions.if_none_match.is_some_and(|tags| tags.hold_weakly(&version)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        send(file, &headers)?
    };
    let answer = response.headers_mut();
    set(answer, header::ETAG, &tag);
    set(answer, header::LAST_MODIFIED, &modified);
    // Whatever is in the file, a browser must not run it as a page of the daemon.
    set(answer, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(answer, header::CACHE_CONTROL, "private, no-cache");
    Ok(response)
}

fn send(file: OpenFile, headers: &HeaderMap) -> ApiResult<Response> {
    let Some(size) = file.size() else { return Ok(bytes(file.into_stream(), None)) };
    match part(&file, headers, size)? {
        Wanted::Whole => {
            let mut response = bytes(file.into_stream(), Some(size));
            set(response.headers_mut(), header::ACCEPT_RANGES, "bytes");
            Ok(response)
        }
        Wanted::Part(range) => {
            let place = format!("bytes {}-{}/{size}", range.start, range.end - 1);
            let mut response = bytes(file.into_range(range.clone()), Some(range.end - range.start));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            set(response.headers_mut(), header::CONTENT_RANGE, &place);
            Ok(response)
        }
        Wanted::Beyond => {
            let mut response = ApiError::from(FilesError::Range { size }).into_response();
            set(response.headers_mut(), header::CONTENT_RANGE, &format!("bytes */{size}"));
            Ok(response)
        }
    }
}

fn part(file: &OpenFile, headers: &HeaderMap, size: u64) -> ApiResult<Wanted> {
    let Some(range) = headers.get(header::RANGE).and_then(|value| value.to_str().ok()) else {
        return Ok(Wanted::Whole);
    };
    // A date here, or anything else that is no tag, does not vouch for the version.
    let same = match headers.get(header::IF_RANGE) {
        None => true,
        Some(_) => tags(headers, &header::IF_RANGE)
            .ok()
            .flatten()
            .is_some_and(|tags| tags.hold_strongly(&file.entry.version)),
    };
    Ok(if same { wanted(range, size) } else { Wanted::Whole })
}

fn bytes(stream: FileStream, length: Option<u64>) -> Response {
    let mut response = Body::from_stream(stream).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    if let Some(length) = length {
        headers.insert(header::CONTENT_LENGTH, length.into());
    }
    response
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[utoipa::path(
    head, path = "/v1/fs/file", operation_id = "headFsFile", tag = "files",
    summary = "Get a file's headers",
    description = "Answers as `GET` does, without the file's bytes: size, version and time of the last change.",
    params(
        ("path" = String, Query, description = "The file; relative paths start at the workspace"),
        ("If-Match" = Option<String>, Header, description = "Answer only if it is one of these versions"),
        ("If-None-Match" = Option<String>, Header, description = "Answer 304 if it is one of these versions"),
    ),
    responses(
        (status = 200, description = "The file exists", headers(
            ("Content-Length" = u64, description = "The file's size in bytes"),
            ("ETag" = String, description = "This version"),
            ("Last-Modified" = String, description = "When the file was written"),
        )),
        (status = 304, description = "The client has this version"),
        (status = 400, description = "Bad path or header"),
        (status = 404, description = "No such file"),
        (status = 409, description = "Not a regular file"),
        (status = 412, description = "It is another version"),
    )
)]
pub(crate) async fn head(state: State<AppState>, query: RawQuery, headers: HeaderMap) -> ApiResult<Response> {
    read(state, query, headers).await
}

#[utoipa::path(
    put, path = "/v1/fs/file", operation_id = "writeFsFile", tag = "files",
    summary = "Write a file",
    description = "Replaces the file atomically with the body: readers see the old contents or the new. \
        A file that is replaced keeps its permissions; a link is followed. Directories that are missing are made.",
    params(
        ("path" = String, Query, description = "The file; relative paths start at the workspace"),
        ("mode" = Option<String>, Query, description = "Its permissions in octal, such as `755`"),
        ("sync" = Option<bool>, Query, description = "`false`: answer before the bytes are on the disk"),
        ("If-Match" = Option<String>, Header, description = "Replace only one of these versions"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only if there is nothing yet"),
    ),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The bytes, of any content type"),
    responses(
        (status = 200, description = "The file was replaced", body = FsWriteResponse, headers(("ETag" = String, description = "This version"))),
        (status = 201, description = "The file was created", body = FsWriteResponse, headers(("ETag" = String, description = "This version"))),
        (status = 400, description = "Bad path, mode or header, or the body broke off"),
        (status = 408, description = "The body stopped coming"),
        (status = 409, description = "There is something else than a regular file"),
        (status = 412, description = "`If-Match` or `If-None-Match` does not hold"),
        (status = 413, description = "Larger than a file may be"),
    )
)]
pub(crate) async fn write(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    let mut body = Incoming::new(&state, body);
    match receive(&state, query.as_deref(), &headers, &mut body).await {
        Ok(written) => {
            let tag = written.version.tag();
            let path = text(&written.path);
            let answer = FsWriteResponse { path, bytes_written: written.bytes, etag: tag.clone() };
            let status = if written.is_new { StatusCode::CREATED } else { StatusCode::OK };
            let mut response = (status, Json(answer)).into_response();
            set(response.headers_mut(), header::ETAG, &tag);
            Ok(response)
        }
        Err(error) => {
            body.drain().await;
            Err(error)
        }
    }
}

async fn receive(
    state: &AppState,
    query: Option<&str>,
    headers: &HeaderMap,
    body: &mut Incoming,
) -> ApiResult<Written> {
    let query = Parameters::parse(query)?;
    let path = query.path("path")?;
    let mode = query.text("mode")?.map(permissions).transpose()?;
    let options =
        WriteOptions { conditions: conditions(headers)?, mode, no_sync: !query.flag_or("sync", true)? };
    let mut upload = state.files.write(&path, options).await?;
    while let Some(bytes) = body.next().await? {
        upload.push(bytes).await?;
    }
    Ok(upload.finish().await?)
}

fn permissions(text: &str) -> ApiResult<u32> {
    u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777).ok_or_else(|| {
        query::refusal("mode", format!("expected up to four octal digits, got '{}'", query::quote(text)))
    })
}
