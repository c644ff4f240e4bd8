//! Alternatives (`{a,b}`) and patterns for names of files (`*`, `[a-z]`), which end before the next blank.

use super::{Lexer, Spelling};

/// Letters behind which shells may see another end of a run than is seen here.
const SPECIAL: &str = "'\"\\$;&|`<>()";

/// Facts about the letters up to the next blank. They are collected once for all of these letters, as each of them may ask.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Run {
    /// The letters are those from `start` up to `end`.
    start: usize,
    end: usize,
    /// The last `]`.
    bracket: Option<usize>,
    /// The last letters that make braces a list, and that are special.
    marks: Marks,
    /// The last `}`, and the marks before it.
    brace: Option<(usize, Marks)>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Marks {
    list: Option<usize>,
    special: Option<usize>,
}

impl Marks {
    fn has_list(self, from: usize) -> bool {
        self.list.is_some_and(|at| at >= from)
    }

    fn has_special(self, from: usize) -> bool {
        self.special.is_some_and(|at| at >= from)
    }
}

impl Run {
    fn of(letters: &[char], start: usize) -> Self {
        let mut run = Self { start, end: start, ..Self::default() };
        let rest = letters.get(start..).unwrap_or_default();
        for (at, &c) in rest.iter().take_while(|c| !matches!(c, ' ' | '\t' | '\n')).enumerate() {
            let at = start + at;
            run.end = at + 1;
            match c {
                ']' => run.bracket = Some(at),
                '}' => run.brace = Some((at, run.marks)),
                ',' => run.marks.list = Some(at),
                '.' if letters.get(at + 1) == Some(&'.') => run.marks.list = Some(at),
                c if SPECIAL.contains(c) => run.marks.special = Some(at),
                _ => {}
            }
        }
        run
    }
}

impl Lexer<'_> {
    fn current_run(&mut self) -> Run {
        if !(self.run.start..self.run.end).contains(&self.at) {
            self.run = Run::of(self.letters, self.at);
        }
        self.run
    }

    /// Passes over alternatives, and ends a command at a brace that groups.
    pub(super) fn brace(&mut self, c: char) {
        self.doubt();
        let (run, at) = (self.current_run(), self.at);
        let close = run.brace.filter(|(close, _)| *close >= at);
        if c == '{' {
            // Quotes may hide a blank, or the end of the list.
            let marks = match close {
                Some((_, marks)) if marks.has_list(at) => marks,
                _ => run.marks,
            };
            if marks.has_list(at) && marks.has_special(at) {
                self.broken();
            }
        }
        match close {
            Some((close, marks)) if c == '{' && marks.has_list(at) => {
                self.at = close + 1;
                self.any();
            }
            _ if self.word.is_none() && self.peek().is_none_or(|c| c == ';' || c.is_whitespace()) => {
                self.end_command();
            }
            _ => self.open(Spelling::Bare).push(c),
        }
    }

    pub(super) fn glob(&mut self, c: char) {
        if c != '[' {
            return self.any();
        }
        self.doubt();
        let at = self.at;
        let last = self.current_run().bracket.filter(|close| *close > at);
        let inner = self.letters.get(at..last.unwrap_or(at) + 1).unwrap_or_default();
        match inner.iter().skip(1).position(|c| *c == ']') {
            Some(close) => {
                let is_special = |c: &char| *c == '[' || SPECIAL.contains(*c);
                // Quotes within brackets are not worth reading.
                if inner.iter().take(close + 1).any(is_special) {
                    self.broken();
                }
                self.at += close + 2;
                self.any();
            }
            None => {
                // The index of an array's element may have blanks in it.
                if self.word.as_ref().is_some_and(|word| word.text().is_some_and(is_identifier)) {
                    self.broken();
                }
                self.open(Spelling::Bare).push(c);
            }
        }
    }
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
