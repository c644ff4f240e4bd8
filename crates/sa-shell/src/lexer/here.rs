//! Here-documents: text behind a line that is given to its commands.

use super::{Context, Lexer};

/// A treatment of tabs at the start of each line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tabs {
    /// `<<`
    Kept,
    /// `<<-`
    Stripped,
}

/// A treatment of lines that end with a backslash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Continuation {
    /// The next line belongs to it, as the word that ends the text is not quoted.
    Joined,
    /// The backslash is a letter like any other.
    Literal,
}

/// A here-document whose text is still to come.
#[derive(Debug)]
pub(super) struct Here {
    pub(super) end: String,
    pub(super) tabs: Tabs,
    pub(super) continuation: Continuation,
}

impl Here {
    fn is_end(&self, line: &str) -> bool {
        self.end
            == match self.tabs {
                Tabs::Kept => line,
                Tabs::Stripped => line.trim_start_matches('\t'),
            }
    }

    fn continues(&self, line: &str) -> bool {
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        self.continuation == Continuation::Joined && backslashes % 2 == 1
    }
}

impl Lexer<'_> {
    /// Passes over text that is given to commands. Commands in it are found by those who cut the line at its ends of lines.
    pub(super) fn skip_heres(&mut self) {
        for here in std::mem::take(&mut self.heres) {
            let start = self.at;
            // The lines so far that the next one belongs to.
            let mut joined = String::new();
            loop {
                let rest = self.letters.get(self.at..).unwrap_or_default();
                if rest.is_empty() {
                    return self.broken();
                }
                let line: String = rest.iter().take_while(|c| **c != '\n').collect();
                self.at = (self.at + line.chars().count() + 1).min(self.letters.len());
                if here.continues(&line) {
                    joined.push_str(line.strip_suffix('\\').unwrap_or(&line));
                    joined.push('\\');
                } else if joined.is_empty() && here.is_end(&line) {
                    let letters = self.letters;
                    self.here_text(letters.get(start..self.at).unwrap_or_default(), here.continuation);
                    break;
                } else if !joined.is_empty() {
                    joined.push_str(&line);
                    // Shells differ in whether such a line ends the text.
                    if joined.replace(['\\', '\t'], "") == here.end {
                        self.broken();
                    }
                    joined.clear();
                }
            }
        }
    }

    /// Finds the substitutions in text that is given to a command.
    fn here_text(&mut self, text: &[char], continuation: Continuation) {
        let mut lexer = Lexer { letters: text, is_quoted: true, ..Lexer::default() };
        while let Some(c) = lexer.next() {
            match c {
                '\\' => lexer.at += 1,
                '$' => lexer.expansion(Context::Quoted),
                '`' => lexer.substitution('`'),
                _ => {}
            }
        }
        // Nothing is filled in if the word that ends the text is quoted.
        if lexer.line.is_broken() && continuation == Continuation::Joined {
            self.broken();
        }
        self.line.inner.append(&mut lexer.line.inner);
        self.line.evaluates |= lexer.line.evaluates;
    }
}
