//! Suggests the name that was probably meant.

/// Longer texts are not compared.
const COMPARED_CHARS: usize = 100;

/// Returns the name that was probably meant: the same but for case, dashes and underscores, or a typing error or two
/// away.
pub fn closest<'a>(given: &str, names: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| text.replace(['_', '-'], "").to_lowercase();
    let given = plain(given);
    let allowed = (given.chars().count().saturating_add(1) / 3).min(2);
    let distances = names.iter().map(|name| (distance(&given, &plain(name)), *name));
    distances
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Returns the number of characters to insert, remove or replace.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    if one.len() > COMPARED_CHARS || other.len() > COMPARED_CHARS {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, first) in one.chars().enumerate() {
        let mut next = vec![above + 1];
        for (second, (replaced, removed)) in other.iter().zip(row.iter().zip(row.iter().skip(1))) {
            let inserted = next.last().copied().unwrap_or_default() + 1;
            next.push((replaced + usize::from(first != *second)).min(removed + 1).min(inserted));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_suggested() {
        let names = ["path", "limit", "after", "ignoreCase"];
        for (given, meant) in [
            ("limt", Some("limit")),
            ("ignore_case", Some("ignoreCase")),
            ("IGNORECASE", Some("ignoreCase")),
            ("afterr", Some("after")),
            ("paht", None),
            ("aftre", Some("after")),
            ("bogus", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(closest(given, &names), meant, "{given}");
        }
        assert_eq!(closest(&"p".repeat(1_000_000), &names), None);
    }
}
