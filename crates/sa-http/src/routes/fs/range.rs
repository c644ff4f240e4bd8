//! `Range` of a request for a file.

use std::ops::Range;

/// The requested part of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of it.
    Whole,
    /// These bytes.
    Part(Range<u64>),
    /// Bytes that it does not have.
    Beyond,
}

/// Reads the header. Anything but a single range of bytes is ignored, as the standard allows.
pub(crate) fn wanted(header: &str, size: u64) -> Wanted {
    let Some(spec) = header.trim().strip_prefix("bytes=") else { return Wanted::Whole };
    let Some((first, last)) = spec.split_once('-') else { return Wanted::Whole };
    let (first, last) = (first.trim(), last.trim());
    if [first, last].iter().any(|text| text.contains(|c: char| !c.is_ascii_digit())) {
        return Wanted::Whole;
    }
    // A number that is too large for 64 bits lies beyond every file.
    let number = |text: &str| text.parse().unwrap_or(u64::MAX);
    match (first, last) {
        ("", "") => Wanted::Whole,
        ("", last) => match number(last) {
            0 => Wanted::Beyond,
            _ if size == 0 => Wanted::Beyond,
            length => Wanted::Part(size.saturating_sub(length)..size),
        },
        (first, _) if number(first) >= size => Wanted::Beyond,
        (first, "") => Wanted::Part(number(first)..size),
        (first, last) if number(first) > number(last) => Wanted::Whole,
        (first, last) => Wanted::Part(number(first)..number(last).saturating_add(1).min(size)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_to_the_file() {
        let cases = [
            ("bytes=0-0", Wanted::Part(0..1)),
            ("bytes=2-", Wanted::Part(2..10)),
            ("bytes=2-99999999999999999999", Wanted::Part(2..10)),
            ("bytes=-3", Wanted::Part(7..10)),
            ("bytes=-30", Wanted::Part(0..10)),
            ("bytes=10-", Wanted::Beyond),
            ("bytes=99999999999999999999-", Wanted::Beyond),
            ("bytes=-0", Wanted::Beyond),
            ("bytes=5-2", Wanted::Whole),
            ("bytes=0-1,3-4", Wanted::Whole),
            ("bytes=-", Wanted::Whole),
            ("bytes=a-b", Wanted::Whole),
            ("items=0-1", Wanted::Whole),
        ];
        for (header, expected) in cases {
            assert_eq!(wanted(header, 10), expected, "{header}");
        }
        assert_eq!(wanted("bytes=0-", 0), Wanted::Beyond);
        assert_eq!(wanted("bytes=-1", 0), Wanted::Beyond);
    }
}
