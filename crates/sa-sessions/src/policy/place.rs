//! Paths as text: nothing is looked up, so links are not followed.

/// The path without `.`, `..` and doubled slashes, as far as that can be said without looking. A slash at its end stays.
pub(super) fn normalized(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, kept.as_slice()) {
            ("" | ".", _) => {}
            // Where that leads depends on where it starts.
            ("..", [home]) if home.starts_with('~') && !is_absolute => kept.push(part),
            ("..", [.., last]) if *last != ".." => {
                kept.pop();
            }
            ("..", _) if is_absolute => {}
            _ => kept.push(part),
        }
    }
    let root = if is_absolute { "/" } else { "" };
    let end = if path.ends_with('/') && !kept.is_empty() { "/" } else { "" };
    match kept.is_empty() && !is_absolute {
        true => ".".to_owned(),
        false => format!("{root}{}{end}", kept.join("/")),
    }
}

/// Returns whether a normalized path leaves the directory that it starts in.
pub(super) fn climbs(normalized: &str) -> bool {
    normalized.split('/').any(|part| part == "..")
}

/// Returns whether `inner`, seen from somewhere, may be `path`.
pub(super) fn is_within(path: &str, inner: &str) -> bool {
    let (path, inner) = (normalized(path), normalized(inner));
    let above = path.strip_suffix(&inner);
    path == inner || (!inner.starts_with(['/', '~']) && above.is_some_and(|above| above.ends_with('/')))
}

/// Returns whether a pattern for files may find some outside of the directory that is searched.
pub(super) fn reaches_out(pattern: &str) -> bool {
    const SIGNS: [&str; 5] = ["..", "{/", ",/", "{~", ",~"];
    pattern.starts_with(['/', '~']) || SIGNS.iter().any(|sign| pattern.contains(sign))
}
