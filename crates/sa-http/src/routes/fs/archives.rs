//! Whole directories as tar archives, both ways.

use super::text;
use crate::body::Incoming;
use crate::problem::{ApiError, ApiResult};
use crate::query::{self, Parameters, quote};
use crate::state::AppState;
use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, header};
use sa_api::{ErrorCode, FsUploadBatchResponse};
use sa_files::{PackOptions, Packing, Unpacked};

/// Content types that an archive may have; what it is, its first bytes tell.
const TYPES: [&str; 9] = [
    "application/x-tar",
    "application/tar",
    "application/gzip",
    "application/x-gzip",
    "application/x-gtar",
    "application/zstd",
    "application/x-zstd",
    "application/octet-stream",
    // The type that curl gives every body.
    "application/x-www-form-urlencoded",
];

#[utoipa::path(
    post, path = "/v1/fs/upload-batch", operation_id = "uploadFsBatch", tag = "files",
    summary = "Upload an archive",
    description = "A tar archive, plain or compressed with gzip or zstd, is unpacked while it comes in, and put in place when all of \
        it is there: an archive that is refused or breaks off changes nothing. Files are replaced, directories merged. Entries \
        that are absolute, climb out, are devices or pipes, or go through a link that leads out of the directory are refused, \
        and so is an archive with too many entries or one that unpacks to too much.",
    params(("path" = Option<String>, Query, description = "The directory, made if missing; relative paths start at the workspace, which is also the default")),
    request_body(content = Vec<u8>, content_type = "application/x-tar", description = "The archive, plain or compressed; also `application/gzip`, `application/zstd`, `application/octet-stream` or no content type"),
    responses(
        (status = 200, description = "It is unpacked", body = FsUploadBatchResponse),
        (status = 400, description = "Bad path, no such archive, or an entry that is refused"),
        (status = 408, description = "The body stopped coming"),
        (status = 409, description = "A file is where the archive has a directory, or the other way round"),
        (status = 413, description = "Too many entries, or it unpacks to too much"),
        (status = 415, description = "Not an archive by its content type"),
        (status = 429, description = "Too many archives are packed or unpacked"),
    )
)]
pub(crate) async fn upload(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Json<FsUploadBatchResponse>> {
    let mut body = Incoming::new(&state, body);
    match receive(&state, query.as_deref(), &headers, &mut body).await {
        Ok(unpacked) => Ok(Json(FsUploadBatchResponse {
            paths: unpacked.paths.iter().map(|path| text(path)).collect(),
            truncated: unpacked.truncated,
            entries: unpacked.entries,
            bytes: unpacked.bytes,
        })),
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
) -> ApiResult<Unpacked> {
    check_type(headers)?;
    let path = Parameters::parse(query)?.path_or_workspace("path");
    let mut unpacking = state.files.unpack(&path).await?;
    while let Some(bytes) = body.next().await? {
        unpacking.push(bytes).await?;
    }
    Ok(unpacking.finish().await?)
}

fn check_type(headers: &HeaderMap) -> ApiResult<()> {
    let Some(given) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let given = given.to_str().unwrap_or("something that is not text");
    let essence = given.split(';').next().unwrap_or_default().trim();
    if TYPES.iter().any(|known| essence.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let (types, got) = (TYPES.join(", "), quote(given));
    let detail = format!("header 'Content-Type': expected one of {types}; got '{got}'");
    Err(ApiError::new(ErrorCode::UnsupportedMediaType, detail))
}

#[utoipa::path(
    get, path = "/v1/fs/download-batch", operation_id = "downloadFsBatch", tag = "files",
    summary = "Download a directory as an archive",
    description = "Returns a directory, or one file, as a tar archive that is created while it is sent. Links are packed as links; \
        pipes, sockets and devices are left out. A failure in the middle cuts the connection, so that an archive that arrives to \
        its end is complete.",
    params(
        ("path" = Option<String>, Query, description = "The directory or file; relative paths start at the workspace, which is also the default"),
        ("format" = Option<String>, Query, description = "`tar` (default) or `tar.gz`"),
        ("ignored" = Option<bool>, Query, description = "`false`: leave out `.git` and what `.gitignore` and `.ignore` exclude"),
    ),
    responses(
        (status = 200, description = "The archive", content((Vec<u8> = "application/x-tar"), (Vec<u8> = "application/gzip"))),
        (status = 400, description = "Bad path or parameter"),
        (status = 404, description = "Nothing there"),
        (status = 409, description = "Neither a file nor a directory"),
        (status = 429, description = "Too many archives are packed or unpacked"),
    )
)]
pub(crate) async fn download(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> ApiResult<Response> {
    let query = Parameters::parse(query.as_deref())?;
    let (packing, kind) = match query.text("format")?.unwrap_or("tar") {
        "tar" => (Packing::Tar, "application/x-tar"),
        "tar.gz" => (Packing::TarGz, "application/gzip"),
        other => {
            return Err(query::refusal(
                "format",
                format!("expected one of tar, tar.gz; got '{}'", quote(other)),
            ));
        }
    };
    let options = PackOptions { packing, leave_ignored: !query.flag_or("ignored", true)? };
    let packed = state.files.pack(&query.path_or_workspace("path"), options).await?;
    let mut response = Body::from_stream(packed.stream).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}
