//! The form of `.npmrc` files: `key = value` lines, comments, quotes, escapes and `${VARIABLE}`.

use std::collections::BTreeMap;

/// Parses keys and values, both expanded. Later lines override earlier ones. npm ignores everything beneath a
/// `[section]`.
pub(super) fn parse(text: &str, env: &dyn Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        if line.is_empty() || line.starts_with([';', '#']) {
            continue;
        }
        if line.starts_with('[') && line.ends_with(']') {
            break;
        }
        let (key, value) =
            line.split_once('=').map_or((line, "true".to_owned()), |(key, value)| (key, plain(value)));
        let key = plain(key);
        settings.insert(expand(&key, env), expand(&value, env));
    }
    settings
}

/// Returns a value without its quotes, or without its escapes and the comment that ends it.
fn plain(text: &str) -> String {
    let text = text.trim();
    if let Some(inner) = quoted(text, '\'') {
        return serde_json::from_str(inner).unwrap_or_else(|_| inner.to_owned());
    }
    if quoted(text, '"').is_some() {
        return serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
    }
    let mut value = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ';' | '#' => break,
            '\\' => match letters.next() {
                Some(escaped @ ('\\' | ';' | '#')) => value.push(escaped),
                Some(other) => value.extend(['\\', other]),
                None => value.push('\\'),
            },
            _ => value.push(letter),
        }
    }
    value.trim().to_owned()
}

fn quoted(text: &str, quote: char) -> Option<&str> {
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// Replaces `${NAME}` by the variable; one that is not set stays as written, as `${NAME?}` it becomes nothing. A
/// backslash in front of the dollar sign keeps all of it.
pub(super) fn expand(text: &str, env: &dyn Fn(&str) -> Option<String>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let name = after.split_once('}').filter(|(name, _)| is_name(name));
        let Some((name, tail)) = name else {
            result.push_str(before);
            result.push_str("${");
            rest = after;
            continue;
        };
        let unescaped = before.trim_end_matches('\\');
        let backslashes = before.len() - unescaped.len();
        result.push_str(unescaped);
        result.push_str(&"\\".repeat(backslashes / 2));
        let (variable, optional) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
        match env(variable) {
            Some(value) if backslashes % 2 == 0 => result.push_str(&value),
            None if backslashes % 2 == 0 && optional => {}
            _ => result.push_str(&format!("${{{name}}}")),
        }
        rest = tail;
    }
    result.push_str(rest);
    result
}

fn is_name(text: &str) -> bool {
    let name = text.strip_suffix('?').unwrap_or(text);
    !name.is_empty() && !name.contains(['$', '{', '?'])
}
