//! Sessions on the move: out as lines of JSON, and in again.

use super::lifecycle::new_session;
use super::{Id, whole};
use crate::body::Incoming;
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use http::{HeaderMap, header};
use sa_api::ErrorCode;
use sa_api::sessions::Session;
use sa_sessions::SessionError;
use serde::Deserialize;
use tokio::sync::oneshot;

/// The content type of exports.
const LINES: &str = "application/x-ndjson";

#[utoipa::path(
    get, path = "/v1/sessions/{sessionId}/export", operation_id = "exportSession", tag = "sessions",
    summary = "Export a session",
    description = "The first line is the session's record, each line after it an event, up to the newest one now. It holds no credentials and \
        no variables of the agent's environment. The agent's own session files are not in it.",
    responses((status = 200, description = "The lines", content((String = "application/x-ndjson"))))
)]
pub(crate) async fn export(State(state): State<AppState>, id: Id) -> ApiResult<Response> {
    let Path(id) = id?;
    let lines = state.sessions.export(&id).await?;
    Ok(([(header::CONTENT_TYPE, LINES)], Body::from_stream(lines)).into_response())
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportQuery {
    session_id: Option<String>,
}

#[utoipa::path(
    post, path = "/v1/sessions/import", operation_id = "importSession", tag = "sessions",
    summary = "Import a session",
    description = "Creates a session with the exported events. The next message continues it. Nothing of it is seen before \
        all of it is there. The body may be of any size; a line may be as long as a body elsewhere.",
    params(("sessionId" = Option<String>, Query, description = "The new session's id; the one it had by default")),
    request_body(content = String, content_type = "application/x-ndjson", description = "What `exportSession` answered"),
    responses(
        (status = 201, description = "The new session", body = Session,
            headers(("Location" = String, description = "The new session's path"))),
        (status = 400, description = "The body is no export, or the id is not one"),
        (status = 409, description = "There is a session of that id; `details.what` is `exists`"),
        (status = 413, description = "A line exceeds the limit"),
        (status = 415, description = "The body is not `application/x-ndjson` by its content type"),
        (status = 429, description = "Too many sessions exist"),
    )
)]
pub(crate) async fn import(
    State(state): State<AppState>,
    query: Result<Query<ImportQuery>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    let Query(query) = query?;
    check_content_type(&headers)?;
    let limit = state.options.limits.body_bytes;
    let (lines, mut trouble) = lines(Incoming::new(&state, body), limit);
    let (sessions, id) = (state.sessions.clone(), query.session_id.clone());
    let work = async move { sessions.import(Box::pin(lines), id.as_deref()).await };
    whole(work).await.map(|session| new_session(&session)).map_err(|refused| {
        // What was wrong with the body says more than that it ended.
        let mut refused = trouble.try_recv().unwrap_or(refused);
        refused.0.session_id = refused.0.session_id.or(query.session_id);
        refused
    })
}

fn check_content_type(headers: &HeaderMap) -> ApiResult<()> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = given.split(';').next().unwrap_or("").trim();
    if essence.eq_ignore_ascii_case(LINES) {
        return Ok(());
    }
    let found = if given.is_empty() { "nothing".to_owned() } else { format!("'{given}'") };
    let mut detail = format!("the content type must be {LINES}; the request says {found}");
    if essence.eq_ignore_ascii_case("application/json") {
        detail += "; a session cannot be named 'import'";
    }
    Err(ApiError::new(ErrorCode::UnsupportedMediaType, detail))
}

/// A body in its way of being cut into lines.
struct Cutter {
    body: Incoming,
    rest: BytesMut,
    /// Up to here there is no line feed.
    searched: usize,
    limit: usize,
    over: bool,
    /// Learns what goes wrong, once.
    told: Option<oneshot::Sender<ApiError>>,
}

/// The lines of a body without their line feeds, and what goes wrong with it.
fn lines(
    body: Incoming,
    limit: usize,
) -> (impl Stream<Item = Result<Bytes, SessionError>> + Send, oneshot::Receiver<ApiError>) {
    let (told, trouble) = oneshot::channel();
    let cutter = Cutter { body, rest: BytesMut::new(), searched: 0, limit, over: false, told: Some(told) };
    let lines = stream::unfold(cutter, |mut cutter| async move {
        let line = cutter.next().await?;
        Some((line, cutter))
    });
    (lines, trouble)
}

impl Cutter {
    async fn next(&mut self) -> Option<Result<Bytes, SessionError>> {
        loop {
            if let Some(line) = self.cut() {
                // Editors and shells add empty lines at the end.
                if !line.trim_ascii().is_empty() {
                    return Some(Ok(line));
                }
                continue;
            }
            if self.over {
                return None;
            }
            if self.rest.len() > self.limit {
                let detail = format!("a line exceeds {} bytes; see limits.body-bytes", self.limit);
                return Some(Err(self.fail(ApiError::new(ErrorCode::PayloadTooLarge, detail))));
            }
            match self.body.next().await {
                Ok(Some(bytes)) => self.rest.extend_from_slice(&bytes),
                Ok(None) => self.over = true,
                Err(refused) => return Some(Err(self.fail(refused))),
            }
        }
    }

    /// The next whole line; the last one needs no line feed.
    fn cut(&mut self) -> Option<Bytes> {
        let unsearched = self.rest.get(self.searched..).unwrap_or_default();
        if let Some(found) = unsearched.iter().position(|byte| *byte == b'\n') {
            let line = self.rest.split_to(self.searched + found + 1);
            self.searched = 0;
            return Some(line.freeze());
        }
        self.searched = self.rest.len();
        if self.over && !self.rest.is_empty() {
            self.searched = 0;
            return Some(self.rest.split().freeze());
        }
        None
    }

    fn fail(&mut self, refused: ApiError) -> SessionError {
        self.over = true;
        self.rest.clear();
        self.searched = 0;
        let detail = refused.0.detail.clone();
        if let Some(told) = self.told.take() {
            // The request may have ended meanwhile.
            let _ = told.send(refused);
        }
        SessionError::Invalid(detail)
    }
}
