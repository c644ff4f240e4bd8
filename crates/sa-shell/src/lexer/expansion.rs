//! Text that a shell fills in: expansions, substitutions, alternatives, names of files. All of it is passed over as a gap.

use super::{Context, Lexer};

/// Says if quotes are read while an end is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Read,
    Ignored,
}

/// Returns the text between backquotes as the shell within reads it: without a backslash before one of these letters.
fn without_escapes(text: &str, escaped: &[char]) -> String {
    let mut plain = String::new();
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match letters.peek() {
            Some(next) if c == '\\' && escaped.contains(next) => plain.extend(letters.next()),
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
    pub(super) fn expansion(&mut self, context: Context) {
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
                // Shells differ in which of these are quotes.
                if context == Context::Quoted && inner.iter().any(|c| matches!(c, '\'' | '"')) {
                    self.broken();
                }
            }
            Some('\'') if context == Context::Bare => {
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
            // Some shells know no such text, and end the quote there.
            Some('\'') => {
                self.broken();
                '\''
            }
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
        // Quoted letters close nothing, except for backquotes. A quote that does not end would hide the end.
        let end = if close == '`' {
            self.closing(close, Quotes::Ignored)
        } else {
            let aware = if self.is_quoted { self.closing(close, Quotes::Read) } else { None };
            self.is_quoted = aware.is_some();
            aware.or_else(|| self.closing(close, Quotes::Ignored))
        };
        let Some(end) = end else {
            self.at = self.letters.len();
            return self.broken();
        };
        if self.has_unread_comment(start, end) {
            self.broken();
        }
        self.at = end + 1;
        let inner: String = self.letters.get(start..end).unwrap_or_default().iter().collect();
        if close != '`' {
            return self.line.inner.push(inner);
        }
        // Quotes are escaped only within other quotes, which may be those of a shell further out.
        let (plain, quoted) =
            (without_escapes(&inner, &['`', '\\', '$']), without_escapes(&inner, &['`', '\\', '$', '"']));
        if quoted != plain {
            self.line.inner.push(quoted);
        }
        self.line.inner.push(plain);
    }

    /// Returns whether a comment begins in a substitution and has letters that would open or close something elsewhere.
    fn has_unread_comment(&self, start: usize, end: usize) -> bool {
        let mut at = start;
        let mut is_comment = false;
        while let Some(&c) = self.letters.get(at) {
            let before = at.checked_sub(1).filter(|before| *before >= start);
            let before = before.and_then(|before| self.letters.get(before)).copied().unwrap_or(' ');
            match c {
                '\n' => is_comment = false,
                '\'' | '"' | '`' | '\\' | '(' | ')' | '{' | '}' if is_comment => return true,
                '#' if at < end => is_comment |= before.is_whitespace() || ";&|()<>`".contains(before),
                _ => {}
            }
            at += 1;
            if at >= end && !is_comment {
                return false;
            }
        }
        false
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
}
