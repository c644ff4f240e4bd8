//! Query parameters, checked against the contract before a handler runs. The routes' own documentation is the list of what
//! an operation takes, so a parameter cannot be read without being documented, or misspelled without being refused.

mod known;
mod reader;

pub use known::query_table_json;
pub(crate) use known::{is_stream_path, stream_paths};
pub(crate) use reader::{List, QueryPath, read};

use crate::excerpt::{QUOTED_CHARS, cut};
use crate::problem::{ApiError, ApiResult};
use axum::extract::{MatchedPath, Request};
use http::Method;
use known::{Known, Parameter};
use sa_agents::closest;

/// Refuses a request whose query its operation does not take: an unknown name, a name given twice, a value of another kind.
pub(crate) fn check(request: &Request) -> ApiResult<()> {
    let Some(query) = request.uri().query().filter(|query| !query.is_empty()) else { return Ok(()) };
    let Some(known) = operation(request) else { return Ok(()) };
    let pairs = reader::pairs(query)?;
    for (index, (name, value)) in pairs.iter().enumerate() {
        let Some(parameter) = known.find(name) else { return Err(unknown(known, name)) };
        let is_repeated = pairs.iter().take(index).any(|(other, _)| other == name);
        if is_repeated && !parameter.repeats {
            return Err(refusal(name, "given more than once"));
        }
        check_value(parameter, name, value)?;
    }
    Ok(())
}

/// Returns true if the request is for an operation that a ticket may open.
pub(crate) fn takes_ticket(request: &Request) -> bool {
    operation(request).is_some_and(Known::takes_ticket)
}

/// The parameters of the operation that a request is for; none where nothing is served.
fn operation(request: &Request) -> Option<&'static Known> {
    let route = request.extensions().get::<MatchedPath>()?;
    // A GET's handler answers HEAD, too.
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    known::operation(route.as_str(), method.as_str())
}

fn unknown(known: &Known, name: &str) -> ApiError {
    let names = known.names();
    let shown = quote(name);
    let close = closest(name, &names).map(|close| format!(", did you mean '{close}'?")).unwrap_or_default();
    let listed = match names.as_slice() {
        [] => "this operation takes no query parameters".to_owned(),
        names => format!("known are: {}", names.join(", ")),
    };
    ApiError::invalid(format!("unknown query parameter '{shown}'{close} ({listed})"))
}

/// The error for a parameter's value.
pub(crate) fn refusal(name: &str, why: impl AsRef<str>) -> ApiError {
    ApiError::invalid(format!("query parameter '{}': {}", quote(name), why.as_ref()))
}

/// Returns the value of a parameter that may also come under its old name, with the same value if under both.
pub(crate) fn either<T: PartialEq>(
    (name, value): (&str, Option<T>),
    (old_name, old_value): (&str, Option<T>),
) -> ApiResult<Option<T>> {
    match (value, old_value) {
        (Some(value), Some(old)) if value != old => {
            Err(refusal(old_name, format!("is the old name of '{name}' and has another value")))
        }
        (value, old) => Ok(value.or(old)),
    }
}

fn check_value(parameter: &Parameter, name: &str, value: &[u8]) -> ApiResult<()> {
    let Some(expected) = parameter.kind.mismatch(value) else { return Ok(()) };
    if value.is_empty() && matches!(parameter.kind, known::Kind::Text { .. }) {
        return Err(refusal(name, "must not be empty"));
    }
    let got = String::from_utf8_lossy(value);
    Err(refusal(name, mismatch(&expected, &format!("'{}'", quote(&got)))))
}

/// Says what was expected and what came. A list of choices ends with a semicolon.
pub(crate) fn mismatch(expected: &str, got: &str) -> String {
    let mark = if expected.contains(", ") && expected.starts_with("one of ") { ';' } else { ',' };
    format!("expected {expected}{mark} got {got}")
}

/// The beginning of a text that a client sent.
pub(crate) fn quote(text: &str) -> String {
    cut(text, QUOTED_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_of_a_parameter_must_agree() {
        for (new, old, expected) in [
            (None, None, Some(None)),
            (Some(1), None, Some(Some(1))),
            (None, Some(1), Some(Some(1))),
            (Some(1), Some(1), Some(Some(1))),
            (Some(1), Some(2), None),
        ] {
            let value = either(("after", new), ("since", old));
            assert_eq!(value.ok(), expected, "{new:?} and {old:?}");
        }
    }
}
