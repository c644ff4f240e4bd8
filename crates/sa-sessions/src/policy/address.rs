//! Addresses against patterns.

use super::pattern::covers as covers_text;
use url::Url;

/// Returns whether a pattern matches an address part by part: a pattern for a host is not found in a path.
pub(super) fn covers(pattern: &str, address: &str) -> bool {
    // Some take a backslash for a slash, others for a part of the host; white space is left out by some.
    if address.contains(|c: char| c == '\\' || c.is_whitespace() || c.is_control()) {
        return false;
    }
    let Ok(url) = Url::parse(address) else { return false };
    // Text before an `@` is easily taken for the host.
    if !url.username().is_empty() || url.password().is_some() {
        return false;
    }
    let (scheme, rest) = pattern.split_once("://").unwrap_or(("*", pattern));
    let (host, path) = match rest.split_once('/') {
        Some((host, path)) => (host, format!("/{path}")),
        None if rest.ends_with('*') => (rest, "*".to_owned()),
        None => (rest, "/".to_owned()),
    };
    let its_host = url.host_str().unwrap_or_default();
    let its_host = url.port().map_or_else(|| its_host.to_owned(), |port| format!("{its_host}:{port}"));
    let mut its_path = url.path().to_owned();
    for (mark, more) in [('?', url.query()), ('#', url.fragment())] {
        its_path.extend(more.into_iter().flat_map(|more| std::iter::once(mark).chain(more.chars())));
    }
    covers_text(scheme, url.scheme(), &[])
        && covers_text(&host.to_ascii_lowercase(), &its_host, &[])
        && covers_text(&path, &its_path, &[])
}
