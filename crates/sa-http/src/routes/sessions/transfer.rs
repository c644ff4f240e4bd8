//! Sessions on the move: out as lines of JSON, and in again.

use super::lifecycle::new_session;
use super::whole;
use crate::handler::{
    ApiError, ApiResult, AppState, Body, ErrorCode, HeaderMap, Incoming, IntoResponse, Path, Response,
    header, operation, query,
};
use crate::negotiate::{check_body, check_json_body};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use sa_api::sessions::Session;
use sa_sessions::SessionError;
use tokio::sync::oneshot;

/// The content type of exports.
const LINES: &str = "application/x-ndjson";

/// Export a session
///
/// The first line is the session's record, each line after it an event, up to the newest one now. It holds no
/// credentials and no variables of the agent's environment. The agent's own session files are not in it.
///
/// - 200: The lines
#[operation(exportSession: get "/v1/sessions/{sessionId}/export" -> String as "application/x-ndjson")]
pub(crate) async fn export(state: AppState, Path(id): Path<String>) -> ApiResult<Response> {
    let lines = state.services.sessions.export(&id).await?;
    Ok(([(header::CONTENT_TYPE, LINES)], Body::from_stream(lines)).into_response())
}

#[query]
pub(crate) struct ImportQuery {
    /// The new session's id; the one it had by default
    session_id: Option<String>,
}

/// Import a session
///
/// Creates a session with the exported events. The next message continues it. Nothing of it is seen before all of it
/// is there. The body may be of any size; a line may be as long as a body elsewhere.
///
/// - body: What `exportSession` answered
/// - 201: The new session
///   - `Location`: The new session's path
/// - 400: The body is no export, or the id is not one
/// - 409: There is a session of that id; `details.what` is `exists`
/// - 413: A line exceeds the limit
/// - 415: The body is not `application/x-ndjson` by its content type
/// - 429: Too many sessions exist
#[operation(importSession: post "/v1/sessions/import" (String as "application/x-ndjson") -> Session)]
pub(crate) async fn import(
    state: AppState,
    query: ImportQuery,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    check_content_type(&headers)?;
    let limit = state.options.limits.body_bytes;
    let (lines, mut body_error) = lines(Incoming::new(&state, body), limit);
    let (sessions, id) = (state.services.sessions.clone(), query.session_id.clone());
    let work = async move { sessions.import(Box::pin(lines), id.as_deref()).await };
    whole(work).await.map(|session| new_session(&session)).map_err(|refused| {
        // The error of the body says more than that it ended.
        let mut refused = body_error.try_recv().unwrap_or(refused);
        refused.0.session_id = refused.0.session_id.or(query.session_id);
        refused
    })
}

fn check_content_type(headers: &HeaderMap) -> ApiResult<()> {
    check_body(headers, LINES).map_err(|mut refused| {
        if check_json_body(headers).is_ok() {
            refused.0.detail += "; a session cannot be named 'import'";
        }
        refused
    })
}

/// Splits a body into lines.
struct LineSplitter {
    body: Incoming,
    rest: BytesMut,
    /// Up to here there is no line feed.
    searched: usize,
    limit: usize,
    is_at_end: bool,
    /// Receives the error that ends the body, once.
    body_error: Option<oneshot::Sender<ApiError>>,
}

/// Returns the lines of a body without their line feeds, and the error that ends it.
fn lines(
    body: Incoming,
    limit: usize,
) -> (impl Stream<Item = Result<Bytes, SessionError>> + Send, oneshot::Receiver<ApiError>) {
    let (sender, body_error) = oneshot::channel();
    let splitter = LineSplitter {
        body,
        rest: BytesMut::new(),
        searched: 0,
        limit,
        is_at_end: false,
        body_error: Some(sender),
    };
    let lines = stream::unfold(splitter, |mut splitter| async move {
        let line = splitter.next().await?;
        Some((line, splitter))
    });
    (lines, body_error)
}

impl LineSplitter {
    async fn next(&mut self) -> Option<Result<Bytes, SessionError>> {
        loop {
            if let Some(line) = self.split() {
                // Editors and shells add empty lines at the end.
                if !line.trim_ascii().is_empty() {
                    return Some(Ok(line));
                }
                continue;
            }
            if self.is_at_end {
                return None;
            }
            if self.rest.len() > self.limit {
                let detail = format!("a line exceeds {} bytes; see limits.body-bytes", self.limit);
                return Some(Err(self.fail(ApiError::new(ErrorCode::PayloadTooLarge, detail))));
            }
            match self.body.next().await {
                Ok(Some(bytes)) => self.rest.extend_from_slice(&bytes),
                Ok(None) => self.is_at_end = true,
                Err(refused) => return Some(Err(self.fail(refused))),
            }
        }
    }

    /// Returns the next whole line; the last one needs no line feed.
    fn split(&mut self) -> Option<Bytes> {
        let unsearched = self.rest.get(self.searched..).unwrap_or_default();
        if let Some(found) = unsearched.iter().position(|byte| *byte == b'\n') {
            let line = self.rest.split_to(self.searched + found + 1);
            self.searched = 0;
            return Some(line.freeze());
        }
        self.searched = self.rest.len();
        if self.is_at_end && !self.rest.is_empty() {
            self.searched = 0;
            return Some(self.rest.split().freeze());
        }
        None
    }

    fn fail(&mut self, refused: ApiError) -> SessionError {
        self.is_at_end = true;
        self.rest.clear();
        self.searched = 0;
        let detail = refused.0.detail.clone();
        if let Some(sender) = self.body_error.take() {
            // The request may have ended meanwhile.
            let _ = sender.send(refused);
        }
        SessionError::Invalid(detail)
    }
}
