//! Whole directories as tar archives, both ways.

use super::BaseQuery;
use crate::handler::{
    ApiError, ApiResult, AppState, Body, ErrorCode, HeaderMap, Incoming, IntoResponse, Json, Response,
    header, operation, query,
};
use crate::negotiate::essence;
use crate::query::{self, quote};
use sa_api::FsUploadBatchResponse;
use sa_files::{PackOptions, Packing};

/// Content types that an archive may have. Its first bytes decide what it is.
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

/// Upload an archive
///
/// A tar archive, plain or compressed with gzip or zstd, is unpacked while it comes in, and put in place when all of
/// it is there: an archive that is refused or breaks off changes nothing. The directory is created if it is missing.
/// Files are replaced, directories merged.
/// Entries that are absolute, climb out, are devices or pipes, or go through a link that leads out of the directory
/// are refused, and so is an archive with too many entries or one that unpacks to too much.
///
/// - body: The archive, plain or compressed; also `application/gzip`, `application/zstd`, `application/octet-stream`
///   or no content type
/// - 200: It is unpacked
/// - 400: Bad path, no such archive, or an entry that is refused
/// - 408: The body stopped coming
/// - 409: A file is where the archive has a directory, or the other way round
/// - 413: Too many entries, or it unpacks to too much
/// - 415: Not an archive by its content type
/// - 429: Too many archives are packed or unpacked
#[operation(uploadFsBatch: post "/v1/fs/upload-batch" (Vec<u8> as "application/x-tar"))]
pub(crate) async fn upload(
    state: AppState,
    base: BaseQuery,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Json<FsUploadBatchResponse>> {
    let mut body = Incoming::new(&state, body);
    let received = receive(&state, &base, &headers, &mut body).await;
    body.settle(received).await.map(Json)
}

async fn receive(
    state: &AppState,
    base: &BaseQuery,
    headers: &HeaderMap,
    body: &mut Incoming,
) -> ApiResult<FsUploadBatchResponse> {
    check_type(headers)?;
    let mut unpacking = state.services.files.unpack(base.path()).await?;
    while let Some(bytes) = body.next().await? {
        unpacking.push(bytes).await?;
    }
    Ok(unpacking.finish().await?)
}

fn check_type(headers: &HeaderMap) -> ApiResult<()> {
    let Some(given) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let given = given.to_str().unwrap_or("something that is not text");
    if TYPES.iter().any(|known| essence(given).eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let (types, got) = (TYPES.join(", "), quote(given));
    let detail = format!("header 'Content-Type': expected one of {types}; got '{got}'");
    Err(ApiError::new(ErrorCode::UnsupportedMediaType, detail))
}

#[query]
pub(crate) struct DownloadQuery {
    /// `tar` (default) or `tar.gz`
    format: Option<String>,
    /// `false`: leave out `.git` and what `.gitignore` and `.ignore` exclude
    ignored: Option<bool>,
}

/// Download a directory as an archive
///
/// Returns a directory, or one file, as a tar archive that is created while it is sent. Links are packed as links;
/// pipes, sockets and devices are left out. A failure in the middle cuts the connection, so that an archive that
/// arrives to its end is complete.
///
/// - 200: The archive
/// - 400: Bad path or parameter
/// - 404: Nothing there
/// - 409: Neither a file nor a directory
/// - 429: Too many archives are packed or unpacked
#[operation(downloadFsBatch: get "/v1/fs/download-batch" -> Vec<u8> as "application/x-tar" | "application/gzip")]
pub(crate) async fn download(state: AppState, base: BaseQuery, query: DownloadQuery) -> ApiResult<Response> {
    let (packing, kind) = match query.format.as_deref().unwrap_or("tar") {
        "tar" => (Packing::Tar, "application/x-tar"),
        "tar.gz" => (Packing::TarGz, "application/gzip"),
        other => {
            return Err(query::refusal(
                "format",
                format!("expected one of tar, tar.gz; got '{}'", quote(other)),
            ));
        }
    };
    let options = PackOptions { packing, leave_ignored: query.ignored == Some(false) };
    let packed = state.services.files.pack(base.path(), options).await?;
    Ok(([(header::CONTENT_TYPE, kind)], Body::from_stream(packed)).into_response())
}
