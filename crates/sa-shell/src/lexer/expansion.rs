//! Text that a shell fills in: expansions, substitutions, alternatives, names of files. All of it is passed over as a gap.

use super::Lexer;

/// Says if quotes are read while an end is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Read,
    Ignored,
}

/// Returns the text between backquotes as the shell within reads it.
fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match letters.peek() {
            Some('`' | '\\' | '$') if c == '\\' => plain.extend(letters.next()),
            _ => plain.push(c),
        }
    }
    plain
}

/// Returns where the last word `case` begins. A backslash at the end of a line may split it.
fn last_case(letters: &[char]) -> Option<usize> {
    let mut joined: Vec<(usize, char)> = Vec::with_capacity(letters.len() + 1);
    // In front of the first letter, so that every word has something before it.
    joined.push((0, ' '));
    let mut rest = letters.iter().copied().enumerate().peekable();
    while let Some((at, c)) = rest.next() {
        if c == '\\' && rest.next_if(|(_, next)| *next == '\n').is_some() {
            continue;
        }
        joined.push((at, c));
    }
    let is_part = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    joined.windows(6).rev().find_map(|part| match part {
        [(_, before), (at, 'c'), (_, 'a'), (_, 's'), (_, 'e'), (_, after)]
            if !is_part(*before) && after.is_whitespace() =>
        {
            Some(*at)
        }
        _ => None,
    })
}

impl Lexer<'_> {
    /// Passes over an expansion. Commands within are found by those who cut the line at parentheses.
    pub(super) fn expansion(&mut self) {
        self.doubt();
        self.any();
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.substitution(')');
            }
            Some('{') => {
                let start = self.at;
                self.substitution('}');
                let inner = self.letters.get(start..self.at).unwrap_or_default();
                self.line.evaluates |= inner.windows(2).any(|two| two == ['@', 'P']);
            }
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
        let mut text = String::new();
        loop {
            match self.next() {
                None => return self.broken(),
                Some('\'') => return self.line.decoded.push(text),
                Some('\\') => text.push(self.ansi_escape()),
                Some(c) => text.push(c),
            }
        }
    }

    /// Reads an escape of `$'…'` behind its backslash.
    fn ansi_escape(&mut self) -> char {
        match self.next() {
            Some('x') => self.number(16, 2),
            Some('u') => self.number(16, 4),
            Some('U') => self.number(16, 8),
            Some('0'..='7') => {
                self.at -= 1;
                self.number(8, 3)
            }
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some(c) => c,
            None => '\\',
        }
    }

    fn number(&mut self, radix: u32, most: usize) -> char {
        let rest = self.letters.get(self.at..).unwrap_or_default();
        let digits: String = rest.iter().take(most).take_while(|c| c.is_digit(radix)).collect();
        self.at += digits.len();
        u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32).unwrap_or(' ')
    }

    /// Passes over everything up to the letter that closes, and keeps it as a line of its own.
    pub(super) fn substitution(&mut self, close: char) {
        self.doubt();
        self.any();
        let start = self.at;
        // A pattern of `case` ends with a parenthesis that closes nothing.
        let case = *self.last_case.get_or_init(|| last_case(self.letters));
        if close == ')' && case.is_some_and(|case| case >= start) {
            self.broken();
        }
        // Quoted letters close nothing. A quote that does not end, as one in a comment, would hide the end.
        let aware = if self.is_quoted { self.closing(close, Quotes::Read) } else { None };
        self.is_quoted = aware.is_some();
        let Some(end) = aware.or_else(|| self.closing(close, Quotes::Ignored)) else {
            self.at = self.letters.len();
            return self.broken();
        };
        self.at = end + 1;
        let inner: String = self.letters.get(start..end).unwrap_or_default().iter().collect();
        self.line.inner.push(if close == '`' { without_escapes(&inner) } else { inner });
    }

    /// Returns where a letter closes what is open.
    fn closing(&self, close: char, quotes: Quotes) -> Option<usize> {
        let open = match close {
            ')' => Some('('),
            '}' => Some('{'),
            _ => None,
        };
        let (mut at, mut depth) = (self.at, usize::from(close != '}'));
        let mut quote = None;
        while let Some(&c) = self.letters.get(at) {
            at += 1;
            match (c, quote) {
                ('\\', None | Some('"')) => at += 1,
                ('\'' | '"', None) if quotes == Quotes::Read => quote = Some(c),
                (_, Some(end)) if c == end => quote = None,
                (_, Some(_)) => {}
                _ if Some(c) == open => depth += 1,
                _ if c == close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(at - 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Finds the substitutions in text that is given to a command.
    pub(super) fn here_text(&mut self, text: &[char]) {
        let mut lexer = Lexer { letters: text, is_quoted: true, ..Lexer::default() };
        while let Some(c) = lexer.next() {
            match c {
                '\\' => lexer.at += 1,
                '$' => lexer.expansion(),
                '`' => lexer.substitution('`'),
                _ => {}
            }
        }
        self.line.inner.append(&mut lexer.line.inner);
        self.line.evaluates |= lexer.line.evaluates;
    }

    /// Passes over alternatives (`{a,b}`), and ends a command at a brace that groups.
    pub(super) fn brace(&mut self, c: char) {
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

    pub(super) fn glob(&mut self, c: char) {
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
