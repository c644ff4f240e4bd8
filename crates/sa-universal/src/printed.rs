//! Text that tools print, as agents show it: in blocks of code, cut to its end, repeated.

use sa_api::sessions::ToolContent;

/// The end of a text by which it is found in the next one.
const NEEDLE: usize = 64;

/// Ends that are shorter are found by chance.
const LEAST_NEEDLE: usize = 8;

/// Places at which it is looked for, as a program may print the same again and again.
const PLACES: usize = 64;

/// Returns a text without the block of code around it.
pub(crate) fn bare(text: &str) -> &str {
    let inner = || {
        let text = text.trim_end();
        let ticks = text.len() - text.trim_start_matches('`').len();
        let fence = text.get(..ticks).filter(|_| ticks >= 3)?;
        let (language, rest) = text.get(ticks..)?.split_once('\n')?;
        let inner = rest.strip_suffix(fence)?;
        (!language.contains('`')).then(|| inner.strip_suffix('\n').unwrap_or(inner))
    };
    inner().unwrap_or(text)
}

/// Returns all texts that a call shows, without blocks of code around them.
pub(crate) fn shown(content: &[ToolContent]) -> Option<String> {
    let texts = content.iter().filter_map(|content| match content {
        ToolContent::Text { text, .. } => Some(bare(text)),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The difference of a text to the one before.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum News<'a> {
    /// This was printed after it.
    More(&'a str),
    /// The text is unrelated to the earlier one.
    Other,
}

/// Compares what a call shows with what it showed before. Agents often show the end of a long output only, perhaps with a note in
/// front that something is left out.
pub(crate) fn news<'a>(old: &str, new: &'a str) -> News<'a> {
    if let Some(more) = new.strip_prefix(old) {
        return News::More(more);
    }
    // Some agents end a text with a line break that goes when there is more.
    if let Some(more) = new.strip_prefix(old.trim_end()) {
        return News::More(more);
    }
    let old = old.trim_end();
    let needle = tail(old, NEEDLE);
    if needle.len() < LEAST_NEEDLE {
        return News::Other;
    }
    let without_dots = new.trim_start_matches(['.', '…', '\n', '\r', ' ']);
    let without_note = new.split_once('\n').map_or(new, |(_, rest)| rest);
    // The last place is the one that makes the least of what is new.
    for (at, _) in new.rmatch_indices(needle).take(PLACES) {
        let end = at + needle.len();
        let overlaps = |text: &str| {
            let start = new.len() - text.len();
            new.get(start..end).is_some_and(|overlap| overlap.len() >= needle.len() && old.ends_with(overlap))
        };
        if [new, without_dots, without_note].into_iter().any(overlaps) {
            return News::More(new.get(end..).unwrap_or_default());
        }
    }
    News::Other
}

/// Returns the end of a text, of at most so many bytes.
pub(crate) fn tail(text: &str, bytes: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(bytes))..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::string_slice)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_of_code_are_taken_off() {
        for (text, inner) in [
            ("```console\na\nb\n```", "a\nb"),
            ("````\n```\n````", "```"),
            ("plain", "plain"),
            ("``` is a fence", "``` is a fence"),
            ("```\nopen", "```\nopen"),
            ("", ""),
        ] {
            assert_eq!(bare(text), inner);
        }
    }

    #[test]
    fn a_text_goes_on_or_is_another() {
        let long: String = (0..500).map(|n| format!("line {n}\n")).collect();
        let (old, new) = (&long[..2000], &long[1000..3000]);
        assert_eq!(news(old, new), News::More(&long[2000..3000]), "a tail that slides");
        let noted = format!("...{new}");
        assert_eq!(news(old, &noted), News::More(&long[2000..3000]));
        let noted = format!("(1000 characters left out)\n{new}");
        assert_eq!(news(old, &noted), News::More(&long[2000..3000]));
        assert_eq!(news("", "a"), News::More("a"));
        assert_eq!(news("a\n", "a\nb"), News::More("b"));
        assert_eq!(news("step 1 of 9 is done", "step 2 of 9 is done"), News::Other);
    }

    proptest! {
        #[test]
        fn whatever_slides_is_found(text in "[a-zä\n]{200,400}", from in 0..100_usize, cut in 0..100_usize, more in "[ab\nä]{0,50}") {
            let old = tail(&text, text.len() - from);
            let whole = format!("{text}{more}");
            let new = tail(&whole, whole.len() - cut.max(from));
            let News::More(found) = news(old, new) else { return Err(TestCaseError::fail("it goes on")) };
            prop_assert!(new.ends_with(found) && found.len() <= more.len() + 1 + text.len() - text.trim_end().len());
        }
    }
}
