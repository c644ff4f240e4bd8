//! Styled text broken into lines.

use crate::style::{Line, Span, Style, text_width};
use unicode_segmentation::UnicodeSegmentation;

/// The narrowest column that text is wrapped to.
const NARROWEST: usize = 8;

/// A position at which a line may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Break {
    /// Between words, and around wide characters. A word that fits on no line is broken.
    Words,
    /// Anywhere, as in code.
    Anywhere,
}

/// The text before the lines of a block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Margin {
    /// Before the first line.
    pub(crate) first: Line,
    /// Before all other lines.
    pub(crate) rest: Line,
}

impl Margin {
    /// The same before every line.
    pub(crate) fn all(line: Line) -> Self {
        Self { first: line.clone(), rest: line }
    }

    /// A mark before the first line, and as much space before the others.
    pub(crate) fn hanging(mark: Line) -> Self {
        let rest = Line::plain(&" ".repeat(mark.width()));
        Self { first: mark, rest }
    }
}

struct Cell<'a> {
    text: &'a str,
    style: Style,
    width: usize,
}

/// Breaks text into lines of at most `width` columns, margin included. Line feeds in the text are kept.
pub(crate) fn wrap(spans: &[Span], width: usize, margin: &Margin, how: Break) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for span in spans {
        for cluster in span.text().graphemes(true) {
            if cluster == "\n" {
                flow(&cells, width, margin, how, &mut lines);
                cells.clear();
            } else {
                cells.push(Cell { text: cluster, style: span.style(), width: text_width(cluster) });
            }
        }
    }
    flow(&cells, width, margin, how, &mut lines);
    lines
}

/// Breaks text without line feeds.
fn flow(cells: &[Cell<'_>], width: usize, margin: &Margin, how: Break, lines: &mut Vec<Line>) {
    let mut from = 0;
    loop {
        let prefix = if lines.is_empty() { &margin.first } else { &margin.rest };
        let room = width.saturating_sub(prefix.width()).max(NARROWEST);
        let rest = cells.get(from..).unwrap_or_default();
        let taken = fitting(rest, room, how);
        let mut line = prefix.clone();
        let shown = rest.get(..taken).unwrap_or_default();
        for cell in without_trailing_spaces(shown, how) {
            line.push(Span::new(cell.text, cell.style));
        }
        lines.push(line);
        from += taken;
        if how == Break::Words {
            from += cells.get(from..).unwrap_or_default().iter().take_while(|cell| cell.text == " ").count();
        }
        if from >= cells.len() {
            return;
        }
    }
}

/// Counts the cells that fit on a line.
fn fitting(cells: &[Cell<'_>], room: usize, how: Break) -> usize {
    let (mut used, mut breakable) = (0, None);
    for (index, cell) in cells.iter().enumerate() {
        let after_wide =
            index.checked_sub(1).and_then(|before| cells.get(before)).is_some_and(|before| before.width > 1);
        if index > 0 && (cell.text == " " || cell.width > 1 || after_wide) {
            breakable = Some(index);
        }
        used += cell.width;
        // A space may stand beyond the edge, where it is not printed.
        if used > room && !(how == Break::Words && cell.text == " ") {
            return match (how, breakable) {
                (Break::Words, Some(at)) => at,
                _ => index.max(1),
            };
        }
    }
    cells.len()
}

fn without_trailing_spaces<'a, 'b>(cells: &'b [Cell<'a>], how: Break) -> &'b [Cell<'a>] {
    if how == Break::Anywhere {
        return cells;
    }
    let kept = cells.iter().rposition(|cell| cell.text != " ").map_or(0, |last| last + 1);
    cells.get(..kept).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize, how: Break) -> Vec<String> {
        let lines = wrap(&[Span::new(text, Style::PLAIN)], width, &Margin::default(), how);
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrapped("one two three four", 9, Break::Words), ["one two", "three", "four"]);
        assert_eq!(wrapped("abcdefghijklmnop q", 8, Break::Words), ["abcdefgh", "ijklmnop", "q"]);
        assert_eq!(wrapped("12345678 x", 8, Break::Words), ["12345678", "x"]);
        assert_eq!(wrapped("a\n\nb", 8, Break::Words), ["a", "", "b"]);
        assert_eq!(wrapped("", 8, Break::Words), [""]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(wrapped("日本語のテキスト", 9, Break::Words), ["日本語の", "テキスト"]);
        assert_eq!(wrapped("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 8, Break::Words).len(), 2);
    }

    #[test]
    fn code_is_broken_anywhere_and_keeps_its_spaces() {
        assert_eq!(wrapped("  let x = 1;", 8, Break::Anywhere), ["  let x ", "= 1;"]);
    }

    #[test]
    fn the_margin_counts() {
        let margin = Margin { first: Line::plain("- "), rest: Line::plain("  ") };
        let lines = wrap(&[Span::new("one two three", Style::PLAIN)], 10, &margin, Break::Words);
        assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>(), ["- one two", "  three"]);
    }
}
