//! `/v1/fs/file`: the contents of a file.

use super::conditions::{conditions, tags};
use super::range::{Wanted, wanted};
use super::{PathQuery, text};
use crate::handler::{
    ApiError, ApiResult, AppState, Body, HeaderMap, HeaderName, HeaderValue, Incoming, IntoResponse, Json,
    Response, StatusCode, header, operation, query,
};
use crate::query;
use sa_api::FsWriteResponse;
use sa_files::{FileStream, FilesError, OpenFile, WriteOptions, Written};

/// Read a file
///
/// The bytes of a regular file, through links, of any size. Files whose size the system does not know, such as those
/// of `/proc`, come without a length and cannot be read in parts.
///
/// - `Range`: One range of bytes: `bytes=0-499`, `bytes=500-`, `bytes=-500`
/// - `If-Range`: Send the part only of this version, otherwise the whole file
/// - `If-Match`: Send only one of these versions
/// - `If-None-Match`: Send none of these versions: the client has it
/// - 200: The file
///   - `ETag`: This version
///   - `Last-Modified`: When it was written
/// - 206: The part that was asked for
///   - `Content-Range`: Which part it is
/// - 304: The client has this version
/// - 400: Bad path or header
/// - 404: No such file
/// - 409: Not a regular file
/// - 412: It is another version
/// - 416: The file has no byte in that range
#[operation(readFsFile: get "/v1/fs/file" -> Vec<u8> as "application/octet-stream")]
pub(crate) async fn read(
    state: AppState,
    PathQuery { path }: PathQuery,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let conditions = conditions(&headers)?;
    let file = state.services.files.read(path.as_os_str()).await?;
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

/// Get a file's headers
///
/// Answers as `GET` does, without the file's bytes: size, version and time of the last change.
///
/// - `If-Match`: Answer only if it is one of these versions
/// - `If-None-Match`: Answer 304 if it is one of these versions
/// - 200: The file exists
///   - `Content-Length`: The file's size in bytes
///   - `ETag`: This version
///   - `Last-Modified`: When the file was written
/// - 304: The client has this version
/// - 400: Bad path or header
/// - 404: No such file
/// - 409: Not a regular file
/// - 412: It is another version
#[operation(headFsFile: head "/v1/fs/file")]
pub(crate) async fn head(state: AppState, path: PathQuery, headers: HeaderMap) -> ApiResult<Response> {
    read(state, path, headers).await
}

#[query]
pub(crate) struct WriteQuery {
    /// Permissions of the file in octal, such as `755`
    mode: Option<String>,
    /// `false`: answer before the bytes are on the disk
    sync: Option<bool>,
}

/// Write a file
///
/// Replaces the file atomically with the body: readers see the old contents or the new. A file that is replaced keeps
/// its permissions; a link is followed. Directories that are missing are made.
///
/// - body: The bytes, of any content type
/// - `If-Match`: Replace only one of these versions
/// - `If-None-Match`: `*`: only if there is nothing yet
/// - 200: The file was replaced
///   - `ETag`: This version
/// - 201: The file was created
///   - `ETag`: This version
/// - 400: Bad path, mode or header, or the body broke off
/// - 408: The body stopped coming
/// - 409: There is something else than a regular file
/// - 412: `If-Match` or `If-None-Match` does not hold
/// - 413: Larger than a file may be
#[operation(writeFsFile: put "/v1/fs/file" (Vec<u8> as "application/octet-stream") -> FsWriteResponse)]
pub(crate) async fn write(
    state: AppState,
    path: ApiResult<PathQuery>,
    query: WriteQuery,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    let mut body = Incoming::new(&state, body);
    let options = options(&query, &headers);
    let received = receive(&state, path, options, &mut body).await;
    let written = body.settle(received).await?;
    let tag = written.version.tag();
    let path = text(&written.path);
    let answer = FsWriteResponse { path, bytes_written: written.bytes, etag: tag.clone() };
    let status = if written.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let mut response = (status, Json(answer)).into_response();
    set(response.headers_mut(), header::ETAG, &tag);
    Ok(response)
}

fn options(query: &WriteQuery, headers: &HeaderMap) -> ApiResult<WriteOptions> {
    let mode = query.mode.as_deref().map(permissions).transpose()?;
    Ok(WriteOptions { conditions: conditions(headers)?, mode, no_sync: query.sync == Some(false) })
}

async fn receive(
    state: &AppState,
    path: ApiResult<PathQuery>,
    options: ApiResult<WriteOptions>,
    body: &mut Incoming,
) -> ApiResult<Written> {
    let PathQuery { path } = path?;
    let mut upload = state.services.files.write(path.as_os_str(), options?).await?;
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
