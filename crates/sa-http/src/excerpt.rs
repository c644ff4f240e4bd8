//! Error messages that quote the request: short, however long the request is.

/// Longest text of the request that a message repeats.
const QUOTED_CHARS: usize = 100;
/// Longest message. Agents' own errors are longer than messages of ours.
const MESSAGE_CHARS: usize = 4096;

/// Shortens long quotations, in backquotes or double quotes as parsers write them, then long words, and then the message
/// as a whole.
pub(crate) fn shorten(message: String) -> String {
    if message.len() <= QUOTED_CHARS {
        return message;
    }
    let quoted = shorten_quotations(&message);
    let words: Vec<String> = quoted.split(' ').map(|word| cut(word, 2 * QUOTED_CHARS)).collect();
    cut(&words.join(" "), MESSAGE_CHARS)
}

fn shorten_quotations(message: &str) -> String {
    let mut short = String::with_capacity(message.len().min(MESSAGE_CHARS));
    let mut rest = message;
    while let Some((before, mark, quoted, after)) = next_quotation(rest) {
        short.push_str(before);
        short.push(mark);
        short.push_str(&cut(quoted, QUOTED_CHARS));
        short.push(mark);
        rest = after;
    }
    short.push_str(rest);
    short
}

/// Splits at the first quotation: the text before it, its mark, its contents, the text after it.
fn next_quotation(text: &str) -> Option<(&str, char, &str, &str)> {
    let at = text.find(['`', '"'])?;
    let (before, opened) = text.split_at_checked(at)?;
    let mark = opened.chars().next()?;
    let inside = opened.strip_prefix(mark)?;
    let end = inside.find(mark)?;
    let (quoted, closed) = inside.split_at_checked(end)?;
    Some((before, mark, quoted, closed.strip_prefix(mark)?))
}

fn cut(text: &str, most: usize) -> String {
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
        assert!(word.len() < 500 && word.ends_with("… known are: demo"), "{word}");
        let marks = shorten("`".repeat(1_000_000));
        assert!(marks.len() <= 4 * MESSAGE_CHARS);
    }

    #[test]
    fn short_messages_stay_as_they_are() {
        for message in ["", "there is no agent 'x'", "unknown field `a`, expected `b` or \"c\""] {
            assert_eq!(shorten(message.to_owned()), message);
        }
    }
}
