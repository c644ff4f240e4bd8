//! Error responses. Each is a problem document, and those that many operations share are stated here once. An operation that has a
//! status for reasons of its own states it in its annotation.

use utoipa::openapi::path::Operation;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

/// An operation with the place where it is.
pub(super) struct Located<'a> {
    pub(super) path: &'a str,
    pub(super) method: &'static str,
    pub(super) operation: &'a mut Operation,
}

/// A response that operations of a kind share.
struct Shared {
    status: &'static str,
    description: &'static str,
    applies: fn(&Located<'_>) -> bool,
}

const fn shared(
    status: &'static str,
    description: &'static str,
    applies: fn(&Located<'_>) -> bool,
) -> Shared {
    Shared { status, description, applies }
}

const SHARED: &[Shared] = &[
    shared("400", "The id is not UTF-8", |at| at.path.contains('{')),
    shared("400", "A parameter or field is missing or wrong", |at| at.sets_config()),
    shared("400", "A parameter is missing or wrong", |at| at.path.starts_with("/v1/config/")),
    shared("403", "The system forbids it, or the path leads out of `--fs-root`", |at| {
        at.path.starts_with("/v1/fs/")
    }),
    shared("403", "The directory is outside of `--fs-root`", |at| at.path.starts_with("/v1/config/")),
    shared("404", "No such session", |at| {
        at.path.starts_with("/v1/sessions/{sessionId}") && !at.is(&["createSession", "deleteSession"])
    }),
    shared("404", "No such process", |at| {
        at.path.starts_with("/v1/processes/{processId}") && !at.is(&["deleteProcess"])
    }),
    shared("404", "No such agent", |at| at.path.starts_with("/v1/agents/{agent}")),
    shared("406", "`Accept` excludes event streams", |at| at.answers_with("text/event-stream")),
    shared("406", "`Accept` excludes JSON", |at| {
        at.is(&["installAgent", "getProcessLogs"]) || (at.is_acp() && at.method == "post")
    }),
    shared("413", "The body, or all that is kept for the directory, exceeds the limit", |at| {
        at.sets_config()
    }),
    shared("413", "The body exceeds the limit", |at| at.takes_json()),
    shared("415", "The body is not JSON by its content type", |at| at.takes_json()),
    shared("422", "The agent cannot be started on this machine", |at| at.starts_agent()),
    shared("429", "Too many are kept for this directory", |at| at.sets_config()),
    shared("503", "No descriptor or memory is free, or the daemon is stopping", |at| at.changes_session()),
    shared("503", "The daemon is stopping", |at| at.starts_agent()),
    shared("503", "No process, descriptor or memory is free, or the daemon is stopping", |at| {
        at.is(&["createProcess", "runProcess"])
    }),
    shared("503", "No descriptor, thread or memory is free", |at| {
        ["/v1/fs/", "/v1/config/", "/v1/sessions", "/v1/usage"].iter().any(|area| at.path.starts_with(area))
    }),
    shared("507", "No space left to install the agent", |at| at.is_acp() && at.method == "post"),
    shared("507", "The disk is full", |at| {
        at.is(&["installAgent"]) || (at.changes_session() && !at.is(IN_MEMORY))
    }),
    shared("507", "No space is left", |at| {
        let changes_files = at.path.starts_with("/v1/fs/") && matches!(at.method, "put" | "post");
        changes_files || at.sets_config()
    }),
];

/// Operations on sessions that answer before anything is stored.
const IN_MEMORY: &[&str] = &["cancelTurn", "replyToPermission", "replyToQuestion", "rejectQuestion"];

impl Located<'_> {
    fn is(&self, ids: &[&str]) -> bool {
        self.operation.operation_id.as_deref().is_some_and(|id| ids.contains(&id))
    }

    fn is_acp(&self) -> bool {
        self.path == "/acp" || self.path == "/v1/acp/{serverId}" || self.path == "/v1/agents/{agent}/acp"
    }

    fn starts_agent(&self) -> bool {
        self.is_acp() && self.method != "delete"
    }

    fn sets_config(&self) -> bool {
        self.path.starts_with("/v1/config/") && self.method == "put"
    }

    fn changes_session(&self) -> bool {
        self.path.starts_with("/v1/sessions") && self.method != "get"
    }

    fn takes_json(&self) -> bool {
        let Some(RefOr::T(body)) = &self.operation.request_body else { return false };
        body.content.contains_key("application/json")
    }

    fn answers_with(&self, media_type: &str) -> bool {
        self.operation.responses.responses.values().any(
            |response| matches!(response, RefOr::T(response) if response.content.contains_key(media_type)),
        )
    }
}

/// Adds the shared responses that an operation does not have, and the form of a problem to all errors.
pub(super) fn complete(at: &mut Located<'_>) {
    for row in SHARED.iter().filter(|row| (row.applies)(at)).collect::<Vec<_>>() {
        let responses = &mut at.operation.responses.responses;
        responses.entry(row.status.to_owned()).or_insert_with(|| problem(row.description).into());
    }
    for (status, response) in &mut at.operation.responses.responses {
        if let RefOr::T(response) = response
            && status.starts_with(['4', '5'])
            && response.content.is_empty()
        {
            response.content = problem("").content;
        }
    }
}

/// Describes an error of that kind.
pub(super) fn problem(description: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new().description(description).content("application/problem+json", content).build()
}
