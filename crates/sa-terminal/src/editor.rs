//! A line of input: text, cursor, history.

use crate::keys::Key;
use crate::style::{Line, Span, Style, text_width};
use crate::wrap::{Break, Margin, wrap};
use unicode_segmentation::UnicodeSegmentation;

/// Entries of the history that are kept.
const MOST_ENTRIES: usize = 1000;

/// The effect of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The text or the cursor changed, or nothing did.
    Continue,
    /// Enter: the text is complete.
    Submit(String),
    /// Control-C.
    Interrupt,
    /// Control-D on an empty line.
    EndOfInput,
    /// Tab: a completion is wanted.
    Complete,
    Escape,
    /// Control-L.
    Redraw,
}

/// A line editor with the keys of Emacs and readline.
#[derive(Debug, Default)]
pub struct Editor {
    text: String,
    /// Byte offset of the cursor.
    cursor: usize,
    killed: String,
    history: Vec<String>,
    /// Entry of the history that is shown, and the text that was typed before.
    recalled: Option<(usize, String)>,
}

impl Editor {
    /// An editor with entries to go back to, the oldest first.
    pub fn with_history(history: Vec<String>) -> Self {
        Self { history, ..Self::default() }
    }

    /// An editor that begins with a text.
    pub fn with_text(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.len(), ..Self::default() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the text and puts the cursor at its end.
    pub fn set_text(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.cursor = self.text.len();
    }

    /// Adds an entry to the history, unless it is the newest already.
    pub fn remember(&mut self, entry: &str) {
        if self.history.last().map(String::as_str) != Some(entry) && !entry.trim().is_empty() {
            self.history.push(entry.to_owned());
        }
        let excess = self.history.len().saturating_sub(MOST_ENTRIES);
        self.history.drain(..excess);
    }

    /// Handles a key.
    pub fn on_key(&mut self, key: Key) -> Edit {
        match key {
            Key::Char(c) => self.insert(c.encode_utf8(&mut [0; 4])),
            Key::Paste(text) => self.insert(&crate::clean::clean(&text)),
            Key::NewLine => self.insert("\n"),
            Key::Enter if self.text.ends_with('\\') && self.cursor == self.text.len() => {
                self.text.pop();
                self.cursor = self.text.len();
                self.insert("\n");
            }
            Key::Enter => {
                self.cursor = 0;
                self.recalled = None;
                return Edit::Submit(std::mem::take(&mut self.text));
            }
            Key::Tab => return Edit::Complete,
            Key::Escape => return Edit::Escape,
            Key::Backspace | Key::Control('h') => self.remove(self.before(), self.cursor),
            Key::Control('d') if self.text.is_empty() => return Edit::EndOfInput,
            Key::Delete | Key::Control('d') => self.remove(self.cursor, self.after()),
            Key::Left | Key::Control('b') => self.cursor = self.before(),
            Key::Right | Key::Control('f') => self.cursor = self.after(),
            Key::WordLeft | Key::Alt('b') => self.cursor = self.word_before(),
            Key::WordRight | Key::Alt('f') => self.cursor = self.word_after(),
            Key::Home | Key::Control('a') => self.cursor = self.line_start(),
            Key::End | Key::Control('e') => self.cursor = self.line_end(),
            Key::Control('k') => self.kill(self.cursor, self.line_end()),
            Key::Control('u') => self.kill(self.line_start(), self.cursor),
            Key::Control('w') => self.kill(self.word_before(), self.cursor),
            Key::Alt('d') => self.kill(self.cursor, self.word_after()),
            Key::Control('y') => self.insert(&self.killed.clone()),
            Key::Up | Key::Control('p') => self.recall_older(),
            Key::Down | Key::Control('n') => self.recall_newer(),
            Key::Control('c') => return Edit::Interrupt,
            Key::Control('l') => return Edit::Redraw,
            Key::Control(_) | Key::Alt(_) => {}
        }
        Edit::Continue
    }

    /// Draws the text after a prompt. Returns the lines, and where in them the cursor is: row and column.
    pub fn draw(&self, prompt: &Line, width: usize) -> (Vec<Line>, (usize, usize)) {
        let margin = Margin::hanging(prompt.clone());
        let draw = |text: &str| wrap(&[Span::new(text, Style::PLAIN)], width, &margin, Break::Anywhere);
        let mut lines = draw(&self.text);
        // The cursor stands behind the text before it.
        let before = draw(self.text.get(..self.cursor).unwrap_or_default());
        let row = before.len().saturating_sub(1);
        let column = before.last().map_or(0, Line::width);
        if column >= width {
            // The next character begins a line that may not be there yet.
            if row + 1 == lines.len() {
                lines.push(margin.rest.clone());
            }
            return (lines, (row + 1, prompt.width()));
        }
        (lines, (row, column))
    }

    fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }

    fn kill(&mut self, from: usize, to: usize) {
        self.text.get(from..to).unwrap_or_default().clone_into(&mut self.killed);
        self.remove(from, to);
    }

    fn head(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    fn tail(&self) -> &str {
        self.text.get(self.cursor..).unwrap_or_default()
    }

    fn before(&self) -> usize {
        self.cursor - self.head().graphemes(true).next_back().map_or(0, str::len)
    }

    fn after(&self) -> usize {
        self.cursor + self.tail().graphemes(true).next().map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        let trimmed = self.head().trim_end();
        trimmed.rfind(char::is_whitespace).map_or(0, |at| {
            at + trimmed.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        })
    }

    fn word_after(&self) -> usize {
        let spaces = self.tail().len() - self.tail().trim_start().len();
        let word = self.tail().trim_start();
        self.cursor + spaces + word.find(char::is_whitespace).unwrap_or(word.len())
    }

    fn line_start(&self) -> usize {
        self.head().rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.cursor + self.tail().find('\n').unwrap_or(self.tail().len())
    }

    fn recall_older(&mut self) {
        let newest = self.history.len();
        let (at, typed) = self.recalled.take().unwrap_or_else(|| (newest, self.text.clone()));
        let older = at.saturating_sub(1);
        if let Some(entry) = self.history.get(older).cloned() {
            self.set_text(&entry);
            self.recalled = Some((older, typed));
        }
    }

    fn recall_newer(&mut self) {
        let Some((at, typed)) = self.recalled.take() else { return };
        match self.history.get(at + 1).cloned() {
            Some(entry) => {
                self.set_text(&entry);
                self.recalled = Some((at + 1, typed));
            }
            None => self.set_text(&typed),
        }
    }
}

/// Completes a slash command. Returns the longest common beginning, and the names if there are several.
pub fn complete<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> (String, Vec<&'a str>) {
    let mut matching: Vec<&str> = names.filter(|name| name.starts_with(typed)).collect();
    matching.sort_unstable();
    matching.dedup();
    let common = matching
        .iter()
        .skip(1)
        .fold(matching.first().copied().unwrap_or(typed).to_owned(), |common, name| {
            common.chars().zip(name.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
        });
    debug_assert!(text_width(&common) >= text_width(typed));
    (common, if matching.len() > 1 { matching } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyDecoder;

    fn typed(editor: &mut Editor, keys: &str) -> Vec<Edit> {
        let keys = KeyDecoder::default().push(keys.as_bytes());
        keys.into_iter().map(|key| editor.on_key(key)).filter(|edit| *edit != Edit::Continue).collect()
    }

    #[test]
    fn text_is_edited_with_the_usual_keys() {
        let mut editor = Editor::default();
        typed(&mut editor, "hello wörld\x1b[D\x1b[D\x7fX\x01>\x05<");
        assert_eq!(editor.text(), ">hello wöXld<");
        typed(&mut editor, "\x17");
        assert_eq!(editor.text(), ">hello ");
        typed(&mut editor, "\x19\x01\x1bf\x0b");
        assert_eq!(editor.text(), ">hello");
        typed(&mut editor, "\x15e\u{301}x\x02\x7f");
        assert_eq!(editor.text(), "x", "a letter and its accent go together");
        assert_eq!(typed(&mut editor, "\r"), [Edit::Submit("x".to_owned())]);
        assert_eq!(typed(&mut editor, "a\\\rb\x1b\rc\r"), [Edit::Submit("a\nb\nc".to_owned())]);
        assert_eq!(typed(&mut editor, "\x03\x04\t"), [Edit::Interrupt, Edit::EndOfInput, Edit::Complete]);
    }

    #[test]
    fn history_comes_back_and_what_was_typed_is_not_lost() {
        let mut editor = Editor::with_history(vec!["one".to_owned()]);
        for entry in ["two", "two", " "] {
            editor.remember(entry);
        }
        typed(&mut editor, "dra\x1b[A");
        assert_eq!(editor.text(), "two");
        typed(&mut editor, "\x1b[A\x1b[A");
        assert_eq!(editor.text(), "one");
        typed(&mut editor, "\x1b[B\x1b[B");
        assert_eq!(editor.text(), "dra");
    }

    #[test]
    fn the_cursor_is_found_in_wrapped_and_wide_text() {
        let mut editor = Editor::default();
        typed(&mut editor, "日本語日本語");
        let (lines, cursor) = editor.draw(&Line::plain("› "), 10);
        assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>(), ["› 日本語日", "  本語"]);
        assert_eq!(cursor, (1, 6));
        typed(&mut editor, "\x01");
        assert_eq!(editor.draw(&Line::plain("› "), 10).1, (0, 2));
    }

    #[test]
    fn commands_are_completed() {
        let names = ["model", "mode", "quit"];
        assert_eq!(complete("mo", names.into_iter()), ("mode".to_owned(), vec!["mode", "model"]));
        assert_eq!(complete("q", names.into_iter()), ("quit".to_owned(), vec![]));
        assert_eq!(complete("x", names.into_iter()), ("x".to_owned(), vec![]));
    }
}
