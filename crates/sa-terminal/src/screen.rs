//! A terminal of which the last lines are drawn again and again while everything above them is final.

use crate::style::{Colors, Line};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Erases from the cursor to the end of the screen.
const ERASE: &str = "\x1b[J";
const HIDE_CURSOR: &str = "\x1b[?25l";
const SHOW_CURSOR: &str = "\x1b[?25h";
const BRACKETED_PASTE_ON: &str = "\x1b[?2004h";
const BRACKETED_PASTE_OFF: &str = "\x1b[?2004l";

/// The ability to draw lines again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// The cursor can be moved.
    Free,
    /// Lines can only be appended: pipes, files and dumb terminals.
    None,
}

/// Size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

/// The lower part of the screen.
#[derive(Debug, Default)]
pub struct Live {
    /// Lines that change.
    pub lines: Vec<Line>,
    /// Row and column of the cursor in these lines. Without one, the cursor is hidden.
    pub cursor: Option<(usize, usize)>,
}

/// Writes lines to a terminal.
#[derive(Debug)]
pub struct Screen<W> {
    out: W,
    colors: Colors,
    motion: Motion,
    size: Size,
    /// Columns of each line that is drawn below the final ones.
    drawn: Vec<usize>,
    /// Row of the cursor in the drawn lines.
    cursor_row: usize,
    is_cursor_hidden: bool,
    takes_pastes: bool,
}

impl<W: Write> Screen<W> {
    /// A screen on `out`.
    pub fn new(out: W, colors: Colors, motion: Motion, size: Size) -> Self {
        Self {
            out,
            colors,
            motion,
            size,
            drawn: Vec::new(),
            cursor_row: 0,
            is_cursor_hidden: false,
            takes_pastes: false,
        }
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// Notes a new size.
    pub fn resize(&mut self, size: Size) {
        self.size = size;
    }

    /// Asks the terminal to mark pasted text, so that its line breaks are not taken for Enter.
    pub fn take_pastes(&mut self) -> io::Result<()> {
        if self.motion == Motion::Free {
            self.takes_pastes = true;
            self.out.write_all(BRACKETED_PASTE_ON.as_bytes())?;
        }
        Ok(())
    }

    /// Appends final lines and draws the lower part below them.
    pub fn draw(&mut self, done: &[Line], live: &Live) -> io::Result<()> {
        let mut bytes = String::new();
        self.erase(&mut bytes);
        for line in done {
            let _ = writeln!(bytes, "{}", line.paint(self.colors));
        }
        if self.motion == Motion::Free {
            self.draw_live(&mut bytes, live);
        }
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    fn draw_live(&mut self, bytes: &mut String, live: &Live) {
        // More than the screen holds could not be erased again.
        let room = self.size.rows.saturating_sub(1).max(1);
        let skipped = live.lines.len().saturating_sub(room);
        let shown: Vec<Line> =
            live.lines.iter().skip(skipped).map(|line| line.clone().fit(self.size.columns)).collect();
        let painted: Vec<String> = shown.iter().map(|line| line.paint(self.colors)).collect();
        bytes.push_str(&painted.join("\n"));
        self.drawn = shown.iter().map(Line::width).collect();
        self.cursor_row = self.drawn.len().saturating_sub(1);
        self.place_cursor(bytes, live.cursor.map(|(row, column)| (row.saturating_sub(skipped), column)));
    }

    /// Erases the lower part and gives the terminal back as it was.
    pub fn finish(&mut self) -> io::Result<()> {
        let mut bytes = String::new();
        self.erase(&mut bytes);
        if std::mem::take(&mut self.is_cursor_hidden) {
            bytes.push_str(SHOW_CURSOR);
        }
        if std::mem::take(&mut self.takes_pastes) {
            bytes.push_str(BRACKETED_PASTE_OFF);
        }
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    /// Moves to the first of the drawn lines and erases them.
    fn erase(&mut self, bytes: &mut String) {
        if self.drawn.is_empty() {
            return;
        }
        // A terminal that became narrower has wrapped the lines.
        let columns = self.size.columns.max(1);
        let rows = |width: &usize| width.div_ceil(columns).max(1);
        let above: usize = self.drawn.iter().take(self.cursor_row).map(rows).sum();
        bytes.push('\r');
        if above > 0 {
            let _ = write!(bytes, "\x1b[{above}A");
        }
        bytes.push_str(ERASE);
        self.drawn.clear();
        self.cursor_row = 0;
    }

    fn place_cursor(&mut self, bytes: &mut String, cursor: Option<(usize, usize)>) {
        let Some((row, column)) = cursor else {
            if !self.is_cursor_hidden && !self.drawn.is_empty() {
                bytes.push_str(HIDE_CURSOR);
                self.is_cursor_hidden = true;
            }
            return;
        };
        let last = self.drawn.len().saturating_sub(1);
        // A cursor behind a full line stands on a line of its own.
        if row > last {
            bytes.push('\n');
            self.drawn.push(0);
        }
        let row = row.min(self.drawn.len().saturating_sub(1));
        let up = self.drawn.len().saturating_sub(1) - row;
        if up > 0 {
            let _ = write!(bytes, "\x1b[{up}A");
        }
        bytes.push('\r');
        if column > 0 {
            let _ = write!(bytes, "\x1b[{column}C");
        }
        self.cursor_row = row;
        if std::mem::take(&mut self.is_cursor_hidden) {
            bytes.push_str(SHOW_CURSOR);
        }
    }

    /// Returns what it writes to.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn screen(motion: Motion) -> Screen<Vec<u8>> {
        Screen::new(Vec::new(), Colors::Off, motion, Size { columns: 20, rows: 4 })
    }

    fn live(lines: &[&str]) -> Live {
        Live { lines: lines.iter().map(|line| Line::plain(line)).collect(), cursor: None }
    }

    fn written(screen: &mut Screen<Vec<u8>>) -> String {
        String::from_utf8(std::mem::take(screen.out())).unwrap()
    }

    #[test]
    fn the_lower_part_is_replaced_and_at_last_erased() {
        let mut screen = screen(Motion::Free);
        screen.draw(&[Line::plain("done")], &live(&["a", "b"])).unwrap();
        assert_eq!(written(&mut screen), "done\na\nb\x1b[?25l");
        screen.draw(&[Line::plain("more")], &live(&["c"])).unwrap();
        assert_eq!(written(&mut screen), "\r\x1b[1A\x1b[Jmore\nc");
        screen.finish().unwrap();
        assert_eq!(written(&mut screen), "\r\x1b[J\x1b[?25h");
    }

    #[test]
    fn no_more_is_drawn_than_can_be_erased() {
        let mut screen = screen(Motion::Free);
        screen.draw(&[], &live(&["1", "2", "3", "4", "5"])).unwrap();
        assert!(written(&mut screen).starts_with("3\n4\n5"));
        screen.draw(&[], &live(&["a line that is much too long"])).unwrap();
        assert!(written(&mut screen).contains("a line that is much…"));
        // The terminal was made narrower, so the line takes two rows now.
        screen.resize(Size { columns: 10, rows: 4 });
        screen.draw(&[], &live(&["x", "y"])).unwrap();
        written(&mut screen);
    }

    #[test]
    fn the_cursor_stands_where_text_is_typed() {
        let mut screen = screen(Motion::Free);
        let mut lower = live(&["› ab", "hint"]);
        lower.cursor = Some((0, 3));
        screen.draw(&[], &lower).unwrap();
        assert_eq!(written(&mut screen), "› ab\nhint\x1b[1A\r\x1b[3C");
        screen.draw(&[], &live(&[])).unwrap();
        assert_eq!(written(&mut screen), "\r\x1b[J");
    }

    #[test]
    fn without_motion_there_are_only_lines() {
        let mut screen = screen(Motion::None);
        screen.take_pastes().unwrap();
        screen.draw(&[Line::plain("done")], &live(&["spinner"])).unwrap();
        screen.finish().unwrap();
        assert_eq!(written(&mut screen), "done\n");
    }
}
