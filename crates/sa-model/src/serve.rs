//! The HTTP side: takes a request, keeps it in the journal, and has it answered.

use crate::amp;
use crate::answer;
use crate::api::{Api, Call};
use crate::direct::{Cue, direct};
use crate::journal::{Auth, Journal, Request};
use crate::player::Player;
use crate::script::Fault;
use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, Response, Uri};
use axum::response::IntoResponse;
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest body that is read.
const LARGEST_BODY: usize = 64 << 20;

/// The path at which tests read requests.
const REQUESTS: &str = "/_model/requests";

/// Headers in which agents name their session.
const SESSION_HEADERS: [&str; 4] =
    ["x-claude-code-session-id", "session-id", "session_id", "x-session-affinity"];

/// Headers in which agents say who they are.
const AUTH_HEADERS: [&str; 4] = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

/// Models that are listed, so that agents which look find one that they know.
const MODELS: [&str; 4] = ["claude-sonnet-4-5", "gpt-5.5", "gemini-2.5-pro", "scripted-1"];

/// All that the server answers.
pub(crate) fn router(journal: Arc<Journal>) -> Router {
    Router::new().fallback(answer).layer(DefaultBodyLimit::max(LARGEST_BODY)).with_state(journal)
}

async fn answer(
    State(journal): State<Arc<Journal>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if uri.path() == REQUESTS {
        return requests(&journal, &method);
    }
    let call = Call::of(method.as_str(), uri.path());
    let parsed = serde_json::from_slice::<Value>(&body);
    journal.keep(request(&call, &method, &uri, &headers, parsed.as_ref().ok()), body.len());
    match (call, parsed) {
        (Call::Answer(api) | Call::Count(api), Err(error)) => {
            answer::json(400, &api.error(400, None, &format!("the body is no JSON: {error}")))
        }
        (Call::Answer(api), Ok(body)) => play(&journal, api, &uri, &headers, &body).await,
        (Call::Count(api), Ok(body)) => {
            let tokens = api.read(uri.path(), &body).input_tokens();
            answer::json(200, &api.count(tokens))
        }
        (Call::Models, _) => answer::json(200, &models(uri.path())),
        (Call::Socket, _) => answer::json(426, &json!({ "error": { "message": "use HTTP" } })),
        (Call::Unknown, Ok(call)) if uri.path() == amp::PATH => {
            answer::json(200, &journal.threads.answer(&call))
        }
        (Call::Unknown, _) if uri.path() == "/" => "A scripted model server.\n".into_response(),
        (Call::Unknown, _) => {
            let message = format!("nothing is served at {method} {}", uri.path());
            answer::json(404, &json!({ "error": { "type": "not_found_error", "message": message } }))
        }
    }
}

fn requests(journal: &Journal, method: &Method) -> Response<Body> {
    match *method {
        Method::GET => answer::json(200, &json!(journal.requests())),
        Method::DELETE => {
            journal.clear();
            axum::http::StatusCode::NO_CONTENT.into_response()
        }
        _ => axum::http::StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

async fn play(journal: &Journal, api: Api, uri: &Uri, headers: &HeaderMap, body: &Value) -> Response<Body> {
    let mut conversation = api.read(uri.path(), body);
    let session = SESSION_HEADERS.iter().find_map(|name| headers.get(*name));
    conversation.session = session.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let direction = direct(&conversation, |place, times| journal.is_due(place, times));
    if let Some(failure) = &direction.failure {
        return answer::failure(failure, api);
    }
    if direction.cues.first() == Some(&Cue::Fault(Fault::Hang)) {
        // Not even headers. The server drops this when the client leaves.
        std::future::pending::<()>().await;
    }
    let player = Player::new(direction, api.dialect(&conversation.model, body), conversation.input_tokens());
    if conversation.stream { answer::stream(player) } else { answer::document(player, api).await }
}

fn request(call: &Call, method: &Method, uri: &Uri, headers: &HeaderMap, body: Option<&Value>) -> Request {
    let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers: BTreeMap<String, String> =
        headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let in_header = AUTH_HEADERS.iter().find_map(|name| {
        let value = headers.get(*name)?.clone();
        Some(Auth { name: (*name).to_owned(), value })
    });
    let parameters = uri.query().unwrap_or_default().split('&');
    let in_query = parameters.into_iter().find_map(|pair| pair.strip_prefix("key="));
    let in_query = in_query.map(|value| Auth { name: "key".to_owned(), value: value.to_owned() });
    let api = call.api();
    // In the body, or before the method in the last part of the path.
    let in_path = || Some(uri.path().rsplit('/').next()?.split_once(':')?.0.to_owned());
    let in_body = body.and_then(|body| body.get("model")?.as_str()).map(str::to_owned);
    Request {
        number: 0,
        api: api.map_or("other", Api::name),
        method: method.to_string(),
        path: uri.to_string(),
        auth: in_header.or(in_query),
        model: in_body.or_else(in_path),
        body: body.cloned().unwrap_or_default(),
        headers,
    }
}

/// A list that each vendor's client can read, or the one that Gemini's clients want.
fn models(path: &str) -> Value {
    if path.contains("/v1beta") {
        let models = MODELS.map(|id| json!({ "name": format!("models/{id}"), "displayName": id }));
        return json!({ "models": models });
    }
    let models = MODELS.map(|id| {
        json!({ "id": id, "object": "model", "type": "model", "display_name": id, "owned_by": "scripted",
            "created": 0, "created_at": "2026-01-01T00:00:00Z" })
    });
    json!({ "object": "list", "data": models, "has_more": false, "first_id": MODELS[0], "last_id": MODELS[3] })
}
