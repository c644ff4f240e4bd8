//! A property of requests, for tests and fuzzing: whatever headers say, their readers agree with each other.
#![allow(clippy::expect_used, clippy::missing_panics_doc)]

use crate::acp::preference::Preference;
use crate::auth::is_websocket;
use crate::negotiate::{Media, accepts_encoding, check_accept, check_json_body, prefers};
use crate::problem::ApiError;
use crate::routes::fs::conditions::conditions;
use crate::routes::fs::range::{Wanted, wanted};
use crate::stream::last_event_id;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use sa_files::Tags;

/// The longest wait that `Prefer` can ask for.
const DAY: u64 = 24 * 60 * 60;

/// Panics if a reader of these bytes, as lines of `name: value`, contradicts another or itself. The first byte sets the
/// size of the file that a `Range` is about.
pub fn headers_are_read_alike(data: &[u8]) {
    let (size, lines) = data.split_first().unwrap_or((&0, &[]));
    let headers = headers(lines);
    check_types(&headers);
    check_ranges(&headers, u64::from(*size));
    check_tags(&headers);
    if let Some(id) = accepted(last_event_id(&headers, None)).flatten() {
        assert!(i64::try_from(id).is_ok(), "{id} is no number of the contract");
        let again = HeaderMap::from_iter([(HeaderName::from_static("last-event-id"), id.into())]);
        assert_eq!(accepted(last_event_id(&again, None)), Some(Some(id)));
    }
    if let Some(preference) = Preference::of(&headers) {
        let again = HeaderMap::from_iter([(HeaderName::from_static("prefer"), preference.applied())]);
        assert_eq!(Preference::of(&again), Some(preference));
        assert!(!matches!(preference, Preference::WaitSeconds(seconds) if seconds > DAY));
    }
    assert!(!is_websocket(&headers) || headers.contains_key(header::UPGRADE));
}

/// Returns the value of a reader that did not refuse. A refusal is a problem of the client.
fn accepted<T>(outcome: Result<T, ApiError>) -> Option<T> {
    outcome.map_err(|refused| assert!((400..500).contains(&refused.0.status), "{refused:?}")).ok()
}

fn headers(lines: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or_default().trim_ascii();
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    headers
}

fn check_types(headers: &HeaderMap) {
    let takes = |media| accepted(check_accept(headers, media)).is_some();
    let both = [(Media::Json, Media::EventStream), (Media::EventStream, Media::Json)];
    for (first, second) in both {
        match accepted(prefers(headers, first, second)) {
            Some(true) => assert!(takes(first)),
            Some(false) => assert!(takes(second)),
            None => assert!(!takes(second)),
        }
    }
    let _either = accepts_encoding(headers, "gzip");
    if accepted(check_json_body(headers)).is_some() {
        assert!(headers.contains_key(header::CONTENT_TYPE));
    }
}

fn check_ranges(headers: &HeaderMap, size: u64) {
    let Some(range) = headers.get(header::RANGE).and_then(|range| range.to_str().ok()) else { return };
    for size in [0, 1, size, u64::MAX] {
        if let Wanted::Part(part) = wanted(range, size) {
            assert!(part.start < part.end && part.end <= size, "'{range}' of {size} is {part:?}");
            let again = format!("bytes={}-{}", part.start, part.end - 1);
            assert_eq!(wanted(&again, size), Wanted::Part(part), "{again}");
        }
    }
}

fn check_tags(headers: &HeaderMap) {
    let Some(conditions) = accepted(conditions(headers)) else { return };
    for tags in [conditions.if_match, conditions.if_none_match].into_iter().flatten() {
        let text = match &tags {
            Tags::Any => "*".to_owned(),
            Tags::Of(tags) => tags.join(", "),
        };
        assert_eq!(Tags::parse(&text), Some(tags), "{text}");
    }
}

#[test]
fn seeds_are_read_alike() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/request_headers");
    for file in std::fs::read_dir(folder).expect("a folder of seeds") {
        headers_are_read_alike(&std::fs::read(file.expect("a seed").path()).expect("its bytes"));
    }
}
