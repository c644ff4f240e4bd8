//! Cuts a line into commands and words as a POSIX shell does, and notes whether that is certain.
//!
//! A line is certain if every shell reads it alike without knowing anything else: plain words, quotes, escapes, and `;`, `&&`,
//! `||`, `|` between commands. Names of files may be left to the shell (`src/*.rs`), and output may go to `/dev/null`.
//! Everything else is cut as well as it can be, and makes the line uncertain.

mod expansion;
mod here;
mod run;

use super::word::Word;
use here::{Continuation, Here, Tabs};
use run::Run;
use std::cell::OnceCell;

/// The longest line that is read, in bytes.
pub(crate) const MAX_LINE: usize = 64 << 10;

/// The reliability of a reading, best first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Confidence {
    /// Every shell reads the line like this.
    #[default]
    Certain,
    Doubtful,
    /// The line cannot be read to its end.
    Broken,
}

/// A command line, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    commands: Vec<Vec<Word>>,
    confidence: Confidence,
    evaluates: bool,
    decoded: Vec<String>,
    inner: Vec<String>,
}

impl Line {
    /// Takes a line apart.
    pub fn read(text: &str) -> Self {
        if text.len() > MAX_LINE {
            return Self { confidence: Confidence::Broken, ..Self::default() };
        }
        let letters: Vec<char> = text.chars().collect();
        let mut lexer = Lexer { letters: &letters, at: 0, is_quoted: true, ..Lexer::default() };
        lexer.run();
        lexer.line
    }

    /// Returns the commands, each as its words. Targets of redirections are not among them.
    pub fn commands(&self) -> &[Vec<Word>] {
        &self.commands
    }

    /// Returns whether every shell reads the line like this.
    pub fn is_certain(&self) -> bool {
        self.confidence == Confidence::Certain
    }

    /// Returns whether the line cannot be read to its end, as when a quote is missing.
    pub fn is_broken(&self) -> bool {
        self.confidence == Confidence::Broken
    }

    /// Returns whether an expansion evaluates what a variable holds.
    pub(crate) fn evaluates(&self) -> bool {
        self.evaluates
    }

    /// Returns the texts of substitutions, which are lines of their own.
    pub(crate) fn inner(&self) -> &[String] {
        &self.inner
    }

    /// Returns the texts of `$'…'`, with their escapes decoded.
    pub(crate) fn decoded(&self) -> &[String] {
        &self.decoded
    }
}

/// A redirection whose target is the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Redirection {
    /// `<`, `>` or `>>`.
    File,
    /// `>&` or `<&`.
    Descriptor,
    /// `<<` or `<<-`: the word ends the lines that follow this one.
    Here(Tabs),
    Other,
}

/// The place of an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Bare,
    /// Double quotes or a here-document, where `$'` is nothing special.
    Quoted,
}

/// The way in which a word is written so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Spelling {
    #[default]
    Bare,
    /// With quotes or escapes.
    Quoted,
}

#[derive(Debug, Default)]
struct Lexer<'a> {
    letters: &'a [char],
    at: usize,
    line: Line,
    command: Vec<Word>,
    word: Option<Word>,
    spelling: Spelling,
    redirection: Option<Redirection>,
    /// The texts behind this line.
    heres: Vec<Here>,
    /// `((` was seen, behind which `<<` may be a shift.
    has_arithmetic: bool,
    run: Run,
    /// Quotes within substitutions have ended so far.
    is_quoted: bool,
    /// The position of the last word `case`, once a substitution asked for it.
    last_case: OnceCell<Option<usize>>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(c) = self.next() {
            match c {
                ' ' => self.end_word(),
                '\t' => {
                    self.doubt();
                    self.end_word();
                }
                '\n' | '\r' => {
                    // It ends a line in some shells, and is a letter in others.
                    if c == '\r' {
                        self.broken();
                    }
                    self.doubt();
                    self.end_command();
                    self.skip_heres();
                }
                ';' => self.separate(),
                '&' | '|' => self.ampersand_or_pipe(c),
                '(' | ')' => {
                    self.doubt();
                    if c == '(' {
                        self.parenthesis();
                    }
                    self.end_command();
                }
                '<' | '>' => self.redirect(c),
                '\\' => self.escape(),
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                '$' => self.expansion(Context::Bare),
                '`' => self.substitution('`'),
                '{' | '}' => self.brace(c),
                '#' if self.word.is_none() => {
                    self.doubt();
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '*' | '?' | '[' => self.glob(c),
                '~' if self.word.as_ref().is_none_or(|word| word.start().ends_with(['=', ':'])) => {
                    self.doubt();
                    self.any();
                }
                _ => self.bare(c),
            }
        }
        self.end_command_quietly();
        if self.redirection.is_some() || !self.heres.is_empty() {
            self.broken();
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.letters.get(self.at).copied();
        self.at += usize::from(c.is_some());
        c
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn doubt(&mut self) {
        self.line.confidence = self.line.confidence.max(Confidence::Doubtful);
    }

    fn broken(&mut self) {
        self.line.confidence = Confidence::Broken;
    }

    /// Returns the word, of which the next part is spelled like this.
    fn open(&mut self, spelling: Spelling) -> &mut Word {
        if self.word.is_none() {
            self.spelling = Spelling::Bare;
        }
        self.spelling = self.spelling.max(spelling);
        self.word.get_or_insert_default()
    }

    /// Adds a letter that was quoted or escaped.
    fn push(&mut self, c: char) {
        if !(' '..='~').contains(&c) {
            self.doubt();
        }
        self.open(Spelling::Quoted).push(c);
    }

    fn any(&mut self) {
        self.open(Spelling::Quoted).push_any();
    }

    /// Adds a letter that stands for itself, though some shells may see more in it.
    fn bare(&mut self, c: char) {
        let is_first = self.word.is_none();
        let stands_alone = is_first && self.peek().is_none_or(|next| next == ' ');
        let is_odd = match c {
            '!' => !stands_alone,
            // Names of files, for shells that are set up so.
            '=' | '^' => is_first,
            '#' | ']' => true,
            c => !('!'..='~').contains(&c),
        };
        if is_odd {
            self.doubt();
        }
        self.open(Spelling::Bare).push(c);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirection.take() {
            None => self.command.push(word),
            Some(redirection) => {
                if let Redirection::Here(tabs) = redirection {
                    let continuation = if self.spelling == Spelling::Bare {
                        Continuation::Joined
                    } else {
                        Continuation::Literal
                    };
                    match word.text() {
                        Some(end) => self.heres.push(Here { end: end.to_owned(), tabs, continuation }),
                        None => self.broken(),
                    }
                }
                let is_harmless = match redirection {
                    Redirection::File => word.text() == Some("/dev/null"),
                    Redirection::Descriptor => matches!(word.text(), Some("1" | "2")),
                    Redirection::Here(_) | Redirection::Other => false,
                };
                if !is_harmless || self.spelling != Spelling::Bare {
                    self.doubt();
                }
            }
        }
    }

    fn parenthesis(&mut self) {
        self.has_arithmetic |= self.peek() == Some('(');
        // A pattern such as `@(a|b)`, if the shell is set up so.
        let before = self.at.checked_sub(2).and_then(|before| self.letters.get(before));
        if self.word.is_some() && before.is_some_and(|c| "?*+@!".contains(*c)) {
            self.broken();
        }
    }

    fn end_command_quietly(&mut self) {
        self.end_word();
        if !self.command.is_empty() {
            self.line.commands.push(std::mem::take(&mut self.command));
        }
    }

    fn end_command(&mut self) {
        if self.redirection.is_some() && self.word.is_none() {
            self.broken();
            self.redirection = None;
        }
        self.end_command_quietly();
    }

    /// Ends a command behind which another one has to be, or may be.
    fn separate(&mut self) {
        self.end_word();
        if self.command.is_empty() {
            self.doubt();
        }
        self.end_command();
    }

    fn ampersand_or_pipe(&mut self, c: char) {
        let is_double = self.peek() == Some(c);
        if is_double {
            self.at += 1;
        } else if c == '&' || self.peek() == Some('&') {
            self.doubt();
        }
        self.separate();
        if self.letters.iter().skip(self.at).all(|c| *c == ' ') {
            self.doubt();
        }
    }

    fn redirect(&mut self, c: char) {
        let is_number =
            |word: &Word| word.text().is_some_and(|text| text.chars().all(|c| c.is_ascii_digit()));
        // `{name}` is a variable that gets the number.
        let is_variable = |word: &Word| word.start().starts_with('{') && word.end().ends_with('}');
        if self.redirection.is_some() {
            self.broken();
        } else if self.spelling == Spelling::Bare && self.word.as_ref().is_some_and(is_number)
            || self.word.as_ref().is_some_and(is_variable)
        {
            self.word = None;
        }
        self.end_word();
        if self.peek() == Some('(') {
            self.at += 1;
            return self.substitution(')');
        }
        let mut operator = String::from(c);
        while let Some(c) = self.peek().filter(|c| matches!(c, '<' | '>' | '|' | '&')) {
            operator.push(c);
            self.at += 1;
        }
        let operator = match operator.as_str() {
            ">" | ">>" | "<" => Redirection::File,
            ">&" | "<&" => Redirection::Descriptor,
            "<<" if self.peek() == Some('-') => {
                self.at += 1;
                Redirection::Here(Tabs::Stripped)
            }
            "<<" => Redirection::Here(Tabs::Kept),
            _ => Redirection::Other,
        };
        if self.has_arithmetic && matches!(operator, Redirection::Here(_)) {
            self.broken();
        }
        self.redirection = Some(operator);
    }

    fn escape(&mut self) {
        match self.next() {
            None => self.broken(),
            // The two are nothing at all: the word continues on the next line.
            Some('\n') => self.doubt(),
            Some(c) => self.push(c),
        }
    }

    fn single_quoted(&mut self) {
        self.open(Spelling::Quoted);
        let mut last = ' ';
        loop {
            match self.next() {
                None => return self.broken(),
                Some('\'') => break,
                Some(c) => {
                    self.push(c);
                    last = c;
                }
            }
        }
        // Some shells do not end the quote there.
        if last == '\\' {
            self.doubt();
        }
    }

    fn double_quoted(&mut self) {
        self.open(Spelling::Quoted);
        loop {
            match self.next() {
                None => return self.broken(),
                Some('"') => return,
                Some('$') => self.expansion(Context::Quoted),
                Some('`') => self.substitution('`'),
                Some('!') => {
                    self.doubt();
                    self.push('!');
                }
                Some('\\') => match self.next() {
                    None => return self.broken(),
                    Some('\n') => self.doubt(),
                    Some(c @ ('"' | '\\' | '$')) => self.push(c),
                    Some('`') => {
                        self.doubt();
                        self.push('`');
                    }
                    Some(c) => {
                        self.push('\\');
                        self.push(c);
                    }
                },
                Some(c) => self.push(c),
            }
        }
    }
}
