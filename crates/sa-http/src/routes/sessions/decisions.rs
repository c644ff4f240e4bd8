//! Answers to what an agent asks.

use super::find;
use crate::body::JsonBody;
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use http::StatusCode;
use sa_api::sessions::{PermissionReply, QuestionReply};

/// The ids in a path: of the session, and of what was asked.
type Ids = Result<Path<(String, String)>, PathRejection>;

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/questions/{questionId}/reply", operation_id = "replyToQuestion", tag = "sessions",
    summary = "Answer a question",
    description = "`answers` has one entry for each of the questions: the labels that were chosen, or what was written. Questions that need \
        no answer may have an empty entry. The approval of a plan is a question, too. Answers are checked against the question's bounds, \
        such as `maximum`; if one does not fit, nothing is sent to the agent and the question stays open.",
    request_body(content = QuestionReply, content_type = "application/json", description = "The answers"),
    responses(
        (status = 204, description = "The agent has the answers"),
        (status = 400, description = "The answers do not fit the questions"),
        (status = 404, description = "No such session, or it has asked nothing of that id"),
        (status = 409, description = "It was decided already (`details.what` is `resolved`), or the session has ended (`ended`)"),
        (status = 422, description = "An answer does not keep a bound of its question: `details` has `question`, counted from 1, `bound` and `value`"),
    )
)]
pub(crate) async fn reply_to_question(
    State(state): State<AppState>,
    ids: Ids,
    body: JsonBody,
) -> ApiResult<StatusCode> {
    let Path((id, question)) = ids?;
    let session = find(&state, Ok(Path(id))).await?;
    let reply: QuestionReply = body.read().await?;
    session.answer(&question, Some(reply)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/questions/{questionId}/reject", operation_id = "rejectQuestion", tag = "sessions",
    summary = "Reject a question",
    description = "The agent learns that nobody answers, and continues as it sees fit.",
    responses(
        (status = 204, description = "The agent was notified"),
        (status = 400, description = "An id is not UTF-8"),
        (status = 404, description = "No such session, or it has asked nothing of that id"),
        (status = 409, description = "It was decided already (`details.what` is `resolved`), or the session has ended (`ended`)"),
    )
)]
pub(crate) async fn reject_question(State(state): State<AppState>, ids: Ids) -> ApiResult<StatusCode> {
    let Path((id, question)) = ids?;
    let session = find(&state, Ok(Path(id))).await?;
    session.answer(&question, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/permissions/{permissionId}/reply", operation_id = "replyToPermission", tag = "sessions",
    summary = "Answer a permission request",
    description = "`once`, `always` or `reject`. Where the agent has several options of one kind, `optionId` names the one that is meant. A \
        `message` with a rejection becomes the next message to the agent. `always` with a `rule` allows the calls that match it for the rest \
        of the session, open requests included.",
    request_body(content = PermissionReply, content_type = "application/json", description = "The decision"),
    responses(
        (status = 204, description = "The agent has the decision"),
        (status = 400, description = "The body makes no sense, the agent does not take this reply, or `rule` does not match the request"),
        (status = 404, description = "No such session, or it has asked nothing of that id"),
        (status = 409, description = "It was decided already (`details.what` is `resolved`), or the session has ended (`ended`)"),
    )
)]
pub(crate) async fn reply_to_permission(
    State(state): State<AppState>,
    ids: Ids,
    body: JsonBody,
) -> ApiResult<StatusCode> {
    let Path((id, permission)) = ids?;
    let session = find(&state, Ok(Path(id))).await?;
    let decision: PermissionReply = body.read().await?;
    session.decide(&permission, decision).await?;
    Ok(StatusCode::NO_CONTENT)
}
