//! The one place where errors become HTTP responses.

/// Declares the codes of errors that say the rest themselves: `Error { pattern => Code, … }`.
macro_rules! codes {
    ($($error:ty { $($pattern:pat $(if $guard:expr)? => $code:ident,)+ })+) => {
        $(
            impl From<$error> for crate::problem::ApiError {
                fn from(error: $error) -> Self {
                    let code = match &error {
                        $($pattern $(if $guard)? => sa_api::ErrorCode::$code,)+
                    };
                    Self::new(code, error.to_string())
                }
            }
        )+
    };
}

mod files;
mod hub;
mod install;
mod processes;
mod request;
mod sessions;

pub(crate) use hub::rpc_error;

use crate::excerpt::shorten;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use sa_api::{ErrorCode, Problem};

/// An error on its way out.
#[derive(Debug, Clone)]
pub(crate) struct ApiError(pub(crate) Box<Problem>);

/// Result of a handler.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    pub(crate) fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Problem::new(code, detail).into()
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, detail)
    }

    fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(&self.0).unwrap_or_default()
    }
}

impl From<Problem> for ApiError {
    fn from(mut problem: Problem) -> Self {
        problem.detail = shorten(problem.detail);
        problem.agent = problem.agent.map(shorten);
        problem.session_id = problem.session_id.map(shorten);
        Self(Box::new(problem))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, self.to_json()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"sandbox-agent\""));
        }
        // Kept for layers that know what it is about.
        response.extensions_mut().insert(self);
        response
    }
}

/// The answer to a request for that path: a problem of a session says of which.
pub(crate) fn name_session(path: &str, mut response: Response) -> Response {
    let Some(mut error) = response.extensions_mut().remove::<ApiError>() else { return response };
    if error.0.session_id.is_none()
        && let Some(id) = session_in(path)
    {
        error.0.session_id = Some(id);
        response.headers_mut().remove(header::CONTENT_LENGTH);
        *response.body_mut() = error.to_json().into();
    }
    response
}

/// The session that a path is about. Clients may escape what ids need no escapes for.
fn session_in(path: &str) -> Option<String> {
    let id = path.strip_prefix("/v1/sessions/")?.split('/').next()?;
    let id = ["~", ":", "@"].iter().fold(id.to_owned(), |id, sign| {
        let code = sign.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        id.replace(&code, sign).replace(&code.to_lowercase(), sign)
    });
    (!matches!(id.as_str(), "" | "import") && !id.contains('%')).then_some(id)
}
