//! Answers to what an agent asks.

use crate::handler::{ApiResult, JsonBody, Path, StatusCode, operation};
use sa_api::sessions::{PermissionReply, QuestionReply};
use sa_sessions::SessionHandle;

/// Answer a question
///
/// `answers` has one entry for each of the questions: the labels that were chosen, or what was written. Questions
/// that need no answer may have an empty entry. The approval of a plan is a question, too. Answers are checked
/// against the question's bounds, such as `maximum`; if one does not fit, nothing is sent to the agent and the
/// question stays open.
///
/// - body: The answers
/// - 204: The agent has the answers
/// - 400: The answers do not fit the questions
/// - 404: No such session, or it has asked nothing of that id
/// - 409: It was decided already (`details.what` is `resolved`), or the session has ended (`ended`)
/// - 422: An answer does not keep a bound of its question: `details` has `question`, counted from 1, `bound` and
///   `value`
#[operation(replyToQuestion: post "/v1/sessions/{sessionId}/questions/{questionId}/reply")]
pub(crate) async fn reply_to_question(
    session: SessionHandle,
    Path((_, question)): Path<(String, String)>,
    JsonBody(reply): JsonBody<QuestionReply>,
) -> ApiResult<StatusCode> {
    session.answer(&question, Some(reply)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reject a question
///
/// The agent learns that nobody answers, and continues as it sees fit.
///
/// - 204: The agent was notified
/// - 400: An id is not UTF-8
/// - 404: No such session, or it has asked nothing of that id
/// - 409: It was decided already (`details.what` is `resolved`), or the session has ended (`ended`)
#[operation(rejectQuestion: post "/v1/sessions/{sessionId}/questions/{questionId}/reject")]
pub(crate) async fn reject_question(
    session: SessionHandle,
    Path((_, question)): Path<(String, String)>,
) -> ApiResult<StatusCode> {
    session.answer(&question, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Answer a permission request
///
/// `once`, `always` or `reject`. Where the agent has several options of one kind, `optionId` names the one that is
/// meant. A `message` with a rejection becomes the next message to the agent. `always` with a `rule` allows the calls
/// that match it for the rest of the session, open requests included.
///
/// - body: The decision
/// - 204: The agent has the decision
/// - 400: The body makes no sense, the agent does not take this reply, or `rule` does not match the request
/// - 404: No such session, or it has asked nothing of that id
/// - 409: It was decided already (`details.what` is `resolved`), or the session has ended (`ended`)
#[operation(replyToPermission: post "/v1/sessions/{sessionId}/permissions/{permissionId}/reply")]
pub(crate) async fn reply_to_permission(
    session: SessionHandle,
    Path((_, permission)): Path<(String, String)>,
    JsonBody(decision): JsonBody<PermissionReply>,
) -> ApiResult<StatusCode> {
    session.decide(&permission, decision).await?;
    Ok(StatusCode::NO_CONTENT)
}
