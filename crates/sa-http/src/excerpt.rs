//! Error messages that quote the request: short, however long the request is.

/// Longest text of the request that a message repeats.
pub(crate) const QUOTED_CHARS: usize = 100;
/// Characters that all long quotations of a message have together.
const ALL_QUOTED_CHARS: usize = 200;
/// A quotation up to this length is a name, as in a list of names that are known, and does not count.
const NAME_CHARS: usize = 40;
/// Longest message. Agents' own errors are longer than messages of ours.
const MESSAGE_CHARS: usize = 4096;

/// Shortens long quotations, then long words, and then the message as a whole.
pub(crate) fn shorten(message: String) -> String {
    if message.len() <= QUOTED_CHARS {
        return message;
    }
    let quoted = shorten_quotations(&message);
    let words: Vec<String> = quoted.split(' ').map(|word| cut(word, QUOTED_CHARS + NAME_CHARS)).collect();
    cut(&words.join(" "), MESSAGE_CHARS)
}

fn shorten_quotations(message: &str) -> String {
    let mut short = String::with_capacity(message.len().min(MESSAGE_CHARS));
    let mut rest = message;
    let mut left = ALL_QUOTED_CHARS;
    while let Some((before, mark, quoted, after)) = next_quotation(rest) {
        short.push_str(before);
        short.push(mark);
        if quoted.chars().nth(NAME_CHARS).is_none() {
            short.push_str(quoted);
        } else {
            let kept = cut(quoted, QUOTED_CHARS.min(left));
            left = left.saturating_sub(kept.chars().count());
            short.push_str(&kept);
        }
        short.push(mark);
        rest = after;
    }
    short.push_str(rest);
    short
}

/// Splits at the first quotation: the text before it, its mark, its contents, the text after it. An apostrophe within a
/// word is no mark.
fn next_quotation(text: &str) -> Option<(&str, char, &str, &str)> {
    let mut searched = 0;
    loop {
        let at = searched + text.get(searched..)?.find(['`', '"', '\''])?;
        let (before, opened) = text.split_at_checked(at)?;
        let mark = opened.chars().next()?;
        let inside = opened.strip_prefix(mark)?;
        searched = at + mark.len_utf8();
        if mark == '\'' && before.ends_with(char::is_alphanumeric) {
            continue;
        }
        if let Some(end) = closing(inside, mark) {
            let (quoted, closed) = inside.split_at_checked(end)?;
            return Some((before, mark, quoted, closed.strip_prefix(mark)?));
        }
    }
}

fn closing(inside: &str, mark: char) -> Option<usize> {
    let is_end = |at: usize| {
        mark != '\'' || !inside.get(at + 1..).is_some_and(|after| after.starts_with(char::is_alphanumeric))
    };
    inside.match_indices(mark).map(|(at, _)| at).find(|at| is_end(*at))
}

pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_quotations_are_cut_and_the_rest_stays() {
        let long = "y".repeat(5_000_000);
        let short =
            shorten(format!("permissionMode: unknown variant `{long}`, expected one of `default`, `plan`"));
        assert!(short.len() < 400, "{}", short.len());
        assert!(short.starts_with("permissionMode: unknown variant `yyy"), "{short}");
        assert!(short.ends_with("…`, expected one of `default`, `plan`"), "{short}");
        let short = shorten(format!("invalid type: string \"{long}\", expected u64"));
        assert!(short.len() < 300 && short.ends_with("…\", expected u64"), "{short}");
    }

    #[test]
    fn other_long_messages_are_cut_as_a_whole() {
        let short = shorten("ü ".repeat(1_000_000));
        assert_eq!(short.chars().count(), MESSAGE_CHARS + 1);
        let word = shorten(format!("there is no agent '{}'; known are: demo", "ü".repeat(1_000_000)));
        assert!(word.len() < 500 && word.ends_with("…'; known are: demo"), "{word}");
        for mark in ["`", "'", "\""] {
            let marks = shorten(mark.repeat(100_000));
            assert!(marks.len() <= 4 * MESSAGE_CHARS);
        }
        let words = shorten(format!("there is no agent '{}'; known are: 'demo'", "don't stop ".repeat(1000)));
        assert!(words.len() < 300 && words.ends_with("…'; known are: 'demo'"), "{words}");
        let two = shorten(format!("'{0}' is not '{0}' or '{0}'", "a b ".repeat(1000)));
        assert!(two.chars().filter(|letter| "ab ".contains(*letter)).count() <= 220, "{two}");
    }

    #[test]
    fn short_messages_stay_as_they_are() {
        for message in ["", "there is no agent 'x'", "unknown field `a`, expected `b` or \"c\""] {
            assert_eq!(shorten(message.to_owned()), message);
        }
    }
}
