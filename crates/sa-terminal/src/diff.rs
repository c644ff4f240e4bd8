//! Changes to files as colored diffs.

use crate::style::{Color, Line, Style};
use similar::{Algorithm, ChangeTag, TextDiff};
use std::time::Duration;

/// Unchanged lines around each change.
const CONTEXT: usize = 2;
/// Lines of a diff that are shown.
const MOST_LINES: usize = 40;
/// Time after which a diff is no longer refined.
const PATIENCE: Duration = Duration::from_millis(200);

/// A change to a file.
pub(crate) struct Changes {
    /// Added lines.
    pub(crate) added: usize,
    /// Removed lines.
    pub(crate) removed: usize,
    /// The diff, shortened.
    pub(crate) lines: Vec<Line>,
}

/// Compares two texts. Lines are cut to `width` columns.
pub(crate) fn compare(old: &str, new: &str, width: usize) -> Changes {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(PATIENCE).diff_lines(old, new);
    let (mut added, mut removed, mut lines) = (0, 0, Vec::new());
    let last = old.lines().count().max(new.lines().count());
    let digits = last.to_string().len();
    for (index, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if index > 0 {
            lines.push(Line::styled(&format!("{:>digits$} ⋮", ""), Style::DIM));
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let (sign, number, style) = match change.tag() {
                ChangeTag::Equal => (' ', change.new_index(), Style::DIM),
                ChangeTag::Insert => {
                    added += 1;
                    ('+', change.new_index(), Style::of(Color::Green))
                }
                ChangeTag::Delete => {
                    removed += 1;
                    ('-', change.old_index(), Style::of(Color::Red))
                }
            };
            let number = number.map_or(0, |index| index + 1);
            let text = change.value().trim_end_matches(['\n', '\r']);
            let line = Line::styled(&format!("{number:>digits$} "), Style::DIM);
            lines.push(line.with(&format!("{sign} {text}"), style).fit(width));
        }
    }
    if lines.len() > MOST_LINES {
        let hidden = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(Line::styled(&format!("… {hidden} more lines"), Style::DIM));
    }
    Changes { added, removed, lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_its_neighbors_and_numbers() {
        let old: String = (1..=12).map(|number| format!("line {number}\n")).collect();
        let new = old.replace("line 6\n", "line six\nline 6b\n");
        let changes = compare(&old, &new, 80);
        assert_eq!((changes.added, changes.removed), (2, 1));
        let text: Vec<String> = changes.lines.iter().map(Line::text).collect();
        let expected = [
            " 4   line 4",
            " 5   line 5",
            " 6 - line 6",
            " 6 + line six",
            " 7 + line 6b",
            " 8   line 7",
            " 9   line 8",
        ];
        assert_eq!(text, expected);
    }

    #[test]
    fn a_large_change_is_cut() {
        let new: String = (0..500).map(|number| format!("{number}\n")).collect();
        let changes = compare("", &new, 80);
        assert_eq!((changes.added, changes.removed, changes.lines.len()), (500, 0, MOST_LINES + 1));
        assert_eq!(changes.lines.last().map(Line::text).as_deref(), Some("… 460 more lines"));
    }
}
