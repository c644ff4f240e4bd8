//! Cuts a line into commands and words as a POSIX shell does, and notes whether that is certain.
//!
//! A line is certain if every shell reads it alike without knowing anything else: plain words, quotes, escapes, and `;`, `&&`,
//! `||`, `|` between commands. Names of files may be left to the shell (`src/*.rs`), and output may go to `/dev/null`.
//! Everything else is cut as well as it can be, and makes the line uncertain.

use super::word::Word;

/// The longest line that is read, in bytes.
const MAX_LINE: usize = 64 << 10;

/// A command line, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    commands: Vec<Vec<Word>>,
    is_certain: bool,
    is_broken: bool,
}

impl Line {
    /// Takes a line apart.
    pub fn read(text: &str) -> Self {
        if text.len() > MAX_LINE {
            return Self { commands: Vec::new(), is_certain: false, is_broken: true };
        }
        let letters: Vec<char> = text.chars().collect();
        let mut lexer = Lexer {
            letters: &letters,
            at: 0,
            line: Self { is_certain: true, ..Self::default() },
            ..Lexer::default()
        };
        lexer.run();
        lexer.line
    }

    /// Returns the commands, each as its words. Targets of redirections are not among them.
    pub fn commands(&self) -> &[Vec<Word>] {
        &self.commands
    }

    /// Returns whether every shell reads the line like this.
    pub fn is_certain(&self) -> bool {
        self.is_certain
    }

    /// Returns whether the line cannot be read to its end, as when a quote is missing.
    pub fn is_broken(&self) -> bool {
        self.is_broken
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
    Here,
    Other,
}

#[derive(Debug, Default)]
struct Lexer<'a> {
    letters: &'a [char],
    at: usize,
    line: Line,
    command: Vec<Word>,
    word: Option<Word>,
    /// The word has neither quotes nor escapes.
    is_bare: bool,
    redirection: Option<Redirection>,
    /// The words that end the text behind this line.
    heres: Vec<String>,
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
                    self.doubt();
                    self.end_command();
                    self.skip_heres();
                }
                ';' => self.separate(),
                '&' | '|' => self.ampersand_or_pipe(c),
                '(' | ')' => {
                    self.doubt();
                    self.end_command();
                }
                '<' | '>' => self.redirect(c),
                '\\' => self.escape(),
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                '$' => self.expansion(),
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
        self.line.is_certain = false;
    }

    fn broken(&mut self) {
        self.line.is_broken = true;
        self.doubt();
    }

    fn open(&mut self, is_bare: bool) -> &mut Word {
        if self.word.is_none() {
            self.is_bare = true;
        }
        self.is_bare &= is_bare;
        self.word.get_or_insert_default()
    }

    /// Adds a letter that was quoted or escaped.
    fn push(&mut self, c: char) {
        if !(' '..='~').contains(&c) {
            self.doubt();
        }
        self.open(false).push(c);
    }

    fn any(&mut self) {
        self.open(false).push_any();
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
        self.open(true).push(c);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirection.take() {
            None => self.command.push(word),
            Some(redirection) => {
                if redirection == Redirection::Here {
                    match word.text() {
                        Some(end) => self.heres.push(end.to_owned()),
                        None => self.broken(),
                    }
                }
                let is_harmless = match redirection {
                    Redirection::File => word.text() == Some("/dev/null"),
                    Redirection::Descriptor => matches!(word.text(), Some("1" | "2")),
                    Redirection::Here | Redirection::Other => false,
                };
                if !is_harmless || !self.is_bare {
                    self.doubt();
                }
            }
        }
    }

    /// Passes over text that is given to commands. Commands in it are found by those who cut the line at its ends of lines.
    fn skip_heres(&mut self) {
        for end in std::mem::take(&mut self.heres) {
            loop {
                let rest = self.letters.get(self.at..).unwrap_or_default();
                if rest.is_empty() {
                    return self.broken();
                }
                let line: String = rest.iter().take_while(|c| **c != '\n').collect();
                self.at = (self.at + line.chars().count() + 1).min(self.letters.len());
                if line.trim_start_matches('\t') == end {
                    break;
                }
            }
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
        if self.redirection.is_some() {
            self.broken();
        } else if self.is_bare && self.word.as_ref().is_some_and(is_number) {
            self.word = None;
        }
        self.end_word();
        let operator = match self.peek() {
            Some('(') => {
                self.at += 1;
                return self.substitution(')');
            }
            Some('&') => Redirection::Descriptor,
            Some('>') if c == '>' => Redirection::File,
            Some('<') if c == '<' && self.letters.get(self.at + 1) != Some(&'<') => Redirection::Here,
            Some('<' | '>' | '|') => Redirection::Other,
            _ => Redirection::File,
        };
        while self.peek().is_some_and(|c| matches!(c, '<' | '>' | '|' | '&')) {
            self.at += 1;
        }
        if self.peek() == Some('-') && operator == Redirection::Here {
            self.at += 1;
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
        self.open(false);
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
        self.open(false);
        loop {
            match self.next() {
                None => return self.broken(),
                Some('"') => return,
                Some('$') => self.expansion(),
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

    /// Passes over an expansion. Commands within are found by those who cut the line at parentheses.
    fn expansion(&mut self) {
        self.doubt();
        self.any();
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.substitution(')');
            }
            Some('{') => self.substitution('}'),
            Some('\'') => {
                self.at += 1;
                self.ansi_quoted();
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.at += 1;
                }
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => self.at += 1,
            _ => {}
        }
    }

    fn ansi_quoted(&mut self) {
        loop {
            match self.next() {
                None => return self.broken(),
                Some('\'') => return,
                Some('\\') => self.at += 1,
                Some(_) => {}
            }
        }
    }

    /// Passes over everything up to the letter that closes.
    fn substitution(&mut self, close: char) {
        self.doubt();
        self.any();
        let open = match close {
            ')' => Some('('),
            '}' => Some('{'),
            _ => None,
        };
        let mut depth = usize::from(close != '}');
        loop {
            match self.next() {
                None => return self.broken(),
                Some('\\') => self.at += 1,
                Some(c) if Some(c) == open => depth += 1,
                Some(c) if c == close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// Passes over alternatives (`{a,b}`), and ends a command at a brace that groups.
    fn brace(&mut self, c: char) {
        self.doubt();
        let rest = self.letters.iter().skip(self.at);
        let inner: Vec<char> = rest.take_while(|c| !c.is_whitespace()).copied().collect();
        let close = inner.iter().rposition(|c| *c == '}');
        let is_list = |inner: &[char]| inner.contains(&',') || inner.windows(2).any(|two| two == ['.', '.']);
        match close {
            Some(close) if c == '{' && inner.get(..close).is_some_and(is_list) => {
                self.at += close + 1;
                self.any();
            }
            _ if self.word.is_none() && inner.first().is_none_or(|c| *c == ';') => self.end_command(),
            _ => self.open(false).push(c),
        }
    }

    fn glob(&mut self, c: char) {
        let rest = self.letters.iter().skip(self.at);
        let inner: Vec<char> = rest.take_while(|c| !c.is_whitespace()).copied().collect();
        match inner.iter().skip(1).position(|c| *c == ']') {
            Some(close) if c == '[' => {
                // Quotes within brackets are not worth reading.
                self.doubt();
                self.at += close + 2;
                self.any();
            }
            None if c == '[' => {
                self.doubt();
                self.open(true).push(c);
            }
            _ => self.any(),
        }
    }
}
