//! Content types: what a client sends and what it accepts.

use crate::problem::{ApiError, ApiResult};
use http::{HeaderMap, HeaderName, header};
use sa_api::ErrorCode;

/// Media types of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    EventStream,
}

impl Media {
    fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Json => ("application", "json"),
            Self::EventStream => ("text", "event-stream"),
        }
    }
}

/// Refuses a client that does not accept this type. No `Accept` at all accepts everything.
pub(crate) fn check_accept(headers: &HeaderMap, media: Media) -> ApiResult<()> {
    let (kind, subtype) = media.parts();
    let mut ranges = elements(headers, &header::ACCEPT).filter_map(Range::parse).peekable();
    if ranges.peek().is_none() {
        return Ok(());
    }
    // The most specific range that matches decides.
    let best = ranges.filter_map(|range| Some((range.specificity(kind, subtype)?, range.accepted))).max();
    match best {
        Some((_, true)) => Ok(()),
        _ => Err(ApiError::new(
            ErrorCode::NotAcceptable,
            format!("this operation answers with {kind}/{subtype}, which the Accept header excludes"),
        )),
    }
}

/// Returns whether a client that accepts both prefers the first: it names it and does not exclude it. One that
/// accepts neither is refused.
pub(crate) fn prefers(headers: &HeaderMap, first: Media, second: Media) -> ApiResult<bool> {
    let (kind, subtype) = first.parts();
    let names = |text: &str| text.to_ascii_lowercase().contains(&format!("{kind}/{subtype}"));
    let named = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).any(names);
    if named && check_accept(headers, first).is_ok() {
        return Ok(true);
    }
    check_accept(headers, second).map(|()| false)
}

/// Returns the elements of a list that a header holds, in one line or in several.
pub(crate) fn elements<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let texts = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).map(str::trim)
}

/// Returns true if the client accepts a response in this encoding, such as `gzip`.
pub(crate) fn accepts_encoding(headers: &HeaderMap, encoding: &str) -> bool {
    let mut decision = None;
    for coding in elements(headers, &header::ACCEPT_ENCODING) {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let accepted = quality(parts).is_none_or(|quality| quality > 0.0);
        if name.eq_ignore_ascii_case(encoding) {
            return accepted;
        }
        if name == "*" {
            decision = Some(accepted);
        }
    }
    decision.unwrap_or(false)
}

/// The `q` among the parameters of a header's element.
fn quality<'a>(mut parameters: impl Iterator<Item = &'a str>) -> Option<f32> {
    let (_, value) = parameters
        .by_ref()
        .filter_map(|parameter| parameter.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("q"))?;
    value.trim().parse().ok()
}

/// Refuses a body that does not say it is JSON.
pub(crate) fn check_json_body(headers: &HeaderMap) -> ApiResult<()> {
    check_body(headers, "application/json")
}

/// Refuses a body that does not say it is of this type.
pub(crate) fn check_body(headers: &HeaderMap, media: &str) -> ApiResult<()> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    if essence(given).eq_ignore_ascii_case(media) {
        return Ok(());
    }
    let found = if given.is_empty() { "nothing".to_owned() } else { format!("'{given}'") };
    let detail = format!("the content type must be {media}; the request says {found}");
    Err(ApiError::new(ErrorCode::UnsupportedMediaType, detail))
}

/// A media type without its parameters.
pub(crate) fn essence(media: &str) -> &str {
    media.split(';').next().unwrap_or_default().trim()
}

struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    accepted: bool,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        Some(Self { kind, subtype, accepted: quality(parts).is_none_or(|quality| quality > 0.0) })
    }

    fn specificity(&self, kind: &str, subtype: &str) -> Option<u8> {
        let kind_fits = self.kind.eq_ignore_ascii_case(kind);
        match (kind_fits, self.subtype) {
            (true, sub) if sub.eq_ignore_ascii_case(subtype) => Some(2),
            (true, "*") => Some(1),
            _ if self.kind == "*" && self.subtype == "*" => Some(0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn accepts(accept: &str, media: Media) -> bool {
        let headers = HeaderMap::from_iter([(header::ACCEPT, accept.parse().unwrap())]);
        check_accept(&headers, media).is_ok()
    }

    #[test]
    fn the_most_specific_range_decides() {
        assert!(accepts("*/*", Media::Json));
        assert!(accepts("text/html, application/*;q=0.5", Media::Json));
        assert!(accepts("application/json, text/event-stream", Media::EventStream));
        assert!(!accepts("application/json;q=0", Media::Json));
        assert!(!accepts("*/*, application/json;q=0", Media::Json));
        assert!(accepts("*/*;q=0, Application/JSON", Media::Json));
        assert!(!accepts("text/event-stream", Media::Json));
        assert!(check_accept(&HeaderMap::new(), Media::Json).is_ok());
    }

    #[test]
    fn an_encoding_is_used_where_it_is_accepted() {
        let accepts = |value: &str| {
            accepts_encoding(
                &HeaderMap::from_iter([(header::ACCEPT_ENCODING, value.parse().unwrap())]),
                "gzip",
            )
        };
        assert!(
            accepts("gzip") && accepts("br, GZIP;q=0.5") && accepts("deflate, *") && accepts("*;q=0, gzip")
        );
        assert!(!accepts("") && !accepts("br") && !accepts("gzip;q=0, *") && !accepts("*;q=0"));
        assert!(!accepts_encoding(&HeaderMap::new(), "gzip"));
    }

    #[test]
    fn a_json_body_says_so() {
        let says = |kind: &str| {
            check_json_body(&HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())])).is_ok()
        };
        assert!(says("application/json") && says("Application/JSON; charset=utf-8"));
        assert!(!says("text/plain") && !says("application/jsonl"));
        assert!(check_json_body(&HeaderMap::new()).is_err());
    }
}
