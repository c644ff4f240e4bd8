//! Lines of styled text, and how they become bytes.

use crate::clean::clean;
use std::fmt::Write as _;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Spaces that a tab becomes.
const TAB: &str = "    ";

/// The colors in use. Terminals map them to their own palette, so they fit light and dark backgrounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Failures and removed lines.
    Red,
    /// Success and added lines.
    Green,
    /// Warnings and what waits for an answer.
    Yellow,
    /// Headings.
    Magenta,
    /// Code and names.
    Cyan,
}

/// The look of a piece of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    pub bold: bool,
    pub italic: bool,
    pub dim: bool,
    /// Underlined.
    pub underline: bool,
    /// Struck through.
    pub strike: bool,
    /// The color, if it is not the terminal's own.
    pub color: Option<Color>,
}

impl Style {
    /// The terminal's own style.
    pub const PLAIN: Self =
        Self { bold: false, italic: false, dim: false, underline: false, strike: false, color: None };
    /// Less important text.
    pub const DIM: Self = Self { dim: true, ..Self::PLAIN };
    /// Important text.
    pub const BOLD: Self = Self { bold: true, ..Self::PLAIN };

    /// Text in a color.
    pub const fn of(color: Color) -> Self {
        Self { color: Some(color), ..Self::PLAIN }
    }

    /// The same in bold.
    #[must_use]
    pub const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    fn start(self) -> String {
        let mut codes = Vec::new();
        let flags = [
            (self.bold, "1"),
            (self.dim, "2"),
            (self.italic, "3"),
            (self.underline, "4"),
            (self.strike, "9"),
        ];
        codes.extend(flags.into_iter().filter_map(|(on, code)| on.then_some(code)));
        codes.extend(self.color.map(|color| match color {
            Color::Red => "31",
            Color::Green => "32",
            Color::Yellow => "33",
            Color::Magenta => "35",
            Color::Cyan => "36",
        }));
        format!("\x1b[{}m", codes.join(";"))
    }
}

/// The use of escape sequences for colors and styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colors {
    /// They are.
    On,
    /// They are not.
    Off,
}

/// A piece of text in one style. The text has no control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    text: String,
    style: Style,
}

impl Span {
    /// Text in a style. This is the only way into a line, so everything is cleaned here.
    pub fn new(text: &str, style: Style) -> Self {
        Self { text: clean(text).replace('\t', TAB), style }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn style(&self) -> Style {
        self.style
    }
}

/// A line of styled text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    spans: Vec<Span>,
}

impl Line {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// A line of plain text.
    pub fn plain(text: &str) -> Self {
        Self::new().with(text, Style::PLAIN)
    }

    /// A line in one style.
    pub fn styled(text: &str, style: Style) -> Self {
        Self::new().with(text, style)
    }

    /// Appends text. Line breaks become spaces.
    #[must_use]
    pub fn with(mut self, text: &str, style: Style) -> Self {
        self.push(Span::new(&text.replace('\n', " "), style));
        self
    }

    /// Appends a span; one of the same style continues the last.
    pub fn push(&mut self, span: Span) {
        match self.spans.last_mut() {
            Some(last) if last.style == span.style => last.text.push_str(&span.text),
            _ if span.text.is_empty() => {}
            _ => self.spans.push(span),
        }
    }

    /// Appends another line's text.
    pub fn extend(&mut self, other: &Line) {
        for span in &other.spans {
            self.push(span.clone());
        }
    }

    /// The pieces of the line.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Columns that the line takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| text_width(&span.text)).sum()
    }

    /// The text without styles.
    pub fn text(&self) -> String {
        self.spans.iter().map(Span::text).collect()
    }

    /// The line with another one before it.
    #[must_use]
    pub fn after(self, prefix: &Line) -> Self {
        let mut line = prefix.clone();
        line.extend(&self);
        line
    }

    /// The line cut to a number of columns, with an ellipsis where text is missing.
    #[must_use]
    pub fn fit(self, width: usize) -> Self {
        if self.width() <= width {
            return self;
        }
        let mut cut = Self::new();
        let mut used = 0;
        for span in &self.spans {
            for cluster in span.text.graphemes(true) {
                let columns = text_width(cluster);
                if used + columns + 1 > width {
                    cut.push(Span::new(if width > 0 { "…" } else { "" }, span.style));
                    return cut;
                }
                used += columns;
                cut.push(Span { text: cluster.to_owned(), style: span.style });
            }
        }
        cut
    }

    /// The line as bytes for a terminal, without a line feed and without trailing spaces.
    pub fn paint(&self, colors: Colors) -> String {
        let mut painted = String::new();
        for span in &self.spans {
            if colors == Colors::Off || span.style == Style::PLAIN {
                painted.push_str(&span.text);
            } else {
                let _ = write!(painted, "{}{}\x1b[0m", span.style.start(), span.text);
            }
        }
        painted.truncate(painted.trim_end_matches(' ').len());
        painted
    }
}

/// Columns that text takes. Wide characters take two.
pub fn text_width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_painted_with_and_without_colors() {
        let line = Line::plain("a ").with("b", Style::of(Color::Red).bold()).with("c  ", Style::PLAIN);
        assert_eq!(line.paint(Colors::On), "a \x1b[1;31mb\x1b[0mc");
        assert_eq!(line.paint(Colors::Off), "a bc");
        assert_eq!(Line::plain("x\u{1b}[2J\ny\tz").paint(Colors::On), "x\u{fffd}[2J y    z");
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(Line::plain("日本語").fit(5).text(), "日本…");
        assert_eq!(Line::plain("日本語").fit(4).text(), "日…");
        assert_eq!(Line::plain("abc").fit(3).text(), "abc");
        assert_eq!(Line::plain("abc").fit(0).text(), "");
    }
}
