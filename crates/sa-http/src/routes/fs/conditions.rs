//! Entity tags in headers.

use crate::handler::{ApiError, ApiResult, HeaderMap, HeaderName, header};
use sa_files::{Conditions, Tags};

/// `If-Match` and `If-None-Match` of a request.
pub(crate) fn conditions(headers: &HeaderMap) -> ApiResult<Conditions> {
    Ok(Conditions {
        if_match: tags(headers, &header::IF_MATCH)?,
        if_none_match: tags(headers, &header::IF_NONE_MATCH)?,
    })
}

/// The tags of all headers of that name, which count as one list.
pub(super) fn tags(headers: &HeaderMap, name: &HeaderName) -> ApiResult<Option<Tags>> {
    let malformed =
        || ApiError::invalid(format!("the header {name} is neither '*' nor a list of entity tags"));
    let mut values = Vec::new();
    for value in headers.get_all(name) {
        values.push(value.to_str().map_err(|_| malformed())?);
    }
    if values.is_empty() {
        return Ok(None);
    }
    Tags::parse(&values.join(",")).map(Some).ok_or_else(malformed)
}
