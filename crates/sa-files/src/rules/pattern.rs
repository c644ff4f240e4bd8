//! One rule of a `.gitignore`, read and matched as `git` does it.
//!
//! The text comes from a workspace, so neither reading nor matching recurses, a rule takes about as much memory as its
//! text, and matching takes at most the steps that the caller grants. Braces have no meaning in `git`.

use std::ops::RangeInclusive;

/// Longer lines are no rules: no path that they could match has a use.
const LINE_BYTES: usize = 4096;

/// A rule.
#[derive(Debug)]
pub(super) struct Pattern {
    tokens: Box<[Token]>,
    sets: Box<[Set]>,
    /// Set for a rule that includes again what an earlier rule excludes.
    pub(super) is_negated: bool,
    /// Set for a rule that matches directories only.
    pub(super) is_for_directories: bool,
    /// Set for a rule with a slash, which matches the whole path below its directory. Others match names at any depth.
    pub(super) is_for_paths: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Byte(u8),
    /// `?`: any byte but a slash.
    Any,
    /// A byte of a set, by its index.
    OneOf(u16),
    /// `*`: bytes that are no slashes.
    Star,
    /// `**/`: any number of whole directories.
    Directories,
    /// `**` at the end: everything.
    Rest,
}

/// Returns whether a byte is in a class.
type Class = fn(&u8) -> bool;

/// Bytes, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Set([u64; 4]);

impl Set {
    fn add(&mut self, bytes: RangeInclusive<u8>) {
        for byte in bytes {
            if let Some(bits) = self.0.get_mut(usize::from(byte >> 6)) {
                *bits |= 1 << (byte & 63);
            }
        }
    }

    fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte >> 6)).is_some_and(|bits| bits >> (byte & 63) & 1 == 1)
    }
}

impl Pattern {
    /// Reads a line without its end. Comments, empty lines and what `git` never matches are no rules.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        if line.len() > LINE_BYTES || line.starts_with(b"#") {
            return None;
        }
        let line = without_trailing_spaces(line);
        let (is_negated, line) = line.strip_prefix(b"!").map_or((false, line), |rest| (true, rest));
        let (is_for_directories, line) = line.strip_suffix(b"/").map_or((false, line), |rest| (true, rest));
        let is_for_paths = line.contains(&b'/');
        let line = line.strip_prefix(b"/").unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        let mut reader = Reader { line, at: 0, tokens: Vec::new(), sets: Vec::new(), is_for_paths };
        reader.read()?;
        let (tokens, sets) = (reader.tokens.into(), reader.sets.into());
        Some(Self { tokens, sets, is_negated, is_for_directories, is_for_paths })
    }

    /// Compares with a name or a path, taking from the steps that are left. Without any left nothing matches.
    pub(super) fn matches(&self, text: &[u8], steps: &mut u32) -> bool {
        let (mut token, mut at) = (0, 0);
        // Where to continue when what follows does not match: the token after a wildcard, and how far the wildcard
        // reaches. Only the last one of each kind counts, as an earlier one that takes more leaves less for the rest.
        let (mut star, mut directories) = (None::<(usize, usize)>, None::<(usize, usize)>);
        loop {
            let Some(left) = steps.checked_sub(1) else { return false };
            *steps = left;
            let byte = text.get(at);
            match self.tokens.get(token) {
                None if byte.is_none() => return true,
                Some(Token::Rest) => return true,
                Some(Token::Star) => {
                    token += 1;
                    star = Some((token, at));
                    continue;
                }
                Some(Token::Directories) => {
                    token += 1;
                    (star, directories) = (None, Some((token, at)));
                    continue;
                }
                Some(wanted) if byte.is_some_and(|byte| self.takes(*wanted, *byte)) => {
                    if byte == Some(&b'/') {
                        star = None;
                    }
                    (token, at) = (token + 1, at + 1);
                    continue;
                }
                _ => {}
            }
            if let Some((after, reach)) =
                star.filter(|(_, reach)| !matches!(text.get(*reach), None | Some(b'/')))
            {
                (token, at) = (after, reach + 1);
                star = Some((token, at));
                continue;
            }
            star = None;
            let Some((after, reach)) = directories else { return false };
            let rest = text.get(reach..).unwrap_or_default();
            let Some(slash) = rest.iter().position(|byte| *byte == b'/') else { return false };
            *steps = steps.saturating_sub(u32::try_from(slash).unwrap_or(u32::MAX));
            (token, at) = (after, reach + slash + 1);
            directories = Some((token, at));
        }
    }

    fn takes(&self, token: Token, byte: u8) -> bool {
        match token {
            Token::Byte(wanted) => wanted == byte,
            Token::Any => byte != b'/',
            Token::OneOf(set) => {
                byte != b'/' && self.sets.get(usize::from(set)).is_some_and(|set| set.has(byte))
            }
            Token::Star | Token::Directories | Token::Rest => false,
        }
    }
}

/// Spaces at the end do not count unless they are escaped.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = line.len();
    while let Some([before @ .., b' ']) = line.get(..end) {
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 1 {
            break;
        }
        end -= 1;
    }
    line.get(..end).unwrap_or_default()
}

struct Reader<'a> {
    line: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    sets: Vec<Set>,
    is_for_paths: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Reads all tokens. None: the rule can never match.
    fn read(&mut self) -> Option<()> {
        while let Some(byte) = self.next() {
            let token = match byte {
                b'?' => Token::Any,
                b'*' => self.stars(),
                b'[' => self.set()?,
                b'\\' => Token::Byte(self.next()?),
                byte => Token::Byte(byte),
            };
            self.tokens.push(token);
        }
        Some(())
    }

    /// Reads one or more stars, whose meaning depends on the slashes around them.
    fn stars(&mut self) -> Token {
        let first = self.at - 1;
        while self.peek() == Some(b'*') {
            self.at += 1;
        }
        // `git` compares the part before the first wildcard separately; the pattern begins behind it.
        let before = self.line.get(..first).unwrap_or_default();
        let begins = before.ends_with(b"/") || !before.iter().any(|byte| b"*?[\\".contains(byte));
        if self.at - first < 2 || !begins || !self.is_for_paths {
            return Token::Star;
        }
        match self.line.get(self.at..).unwrap_or_default() {
            [] => Token::Rest,
            [b'/', ..] => {
                self.at += 1;
                Token::Directories
            }
            // `git` takes an escaped slash for one here, but then wants at least one directory.
            [b'\\', b'/', ..] => {
                self.at += 2;
                self.tokens.extend([Token::Star, Token::Byte(b'/')]);
                Token::Directories
            }
            _ => Token::Star,
        }
    }

    /// Reads a set behind its bracket.
    fn set(&mut self) -> Option<Token> {
        let is_negated = matches!(self.peek(), Some(b'!' | b'^'));
        self.at += usize::from(is_negated);
        let mut set = Set::default();
        let mut before = None;
        let mut byte = self.next()?;
        loop {
            before = match byte {
                b'-' if before.is_some() && !matches!(self.peek(), None | Some(b']')) => {
                    let last = match self.next()? {
                        b'\\' => self.next()?,
                        last => last,
                    };
                    set.add(before.unwrap_or(last)..=last);
                    None
                }
                b'[' if self.peek() == Some(b':') => match self.class()? {
                    Some(class) => {
                        (0..=127).filter(class).for_each(|byte| set.add(byte..=byte));
                        None
                    }
                    None => {
                        set.add(b'['..=b'[');
                        Some(b'[')
                    }
                },
                byte => {
                    let byte = if byte == b'\\' { self.next()? } else { byte };
                    set.add(byte..=byte);
                    Some(byte)
                }
            };
            byte = self.next()?;
            if byte == b']' {
                break;
            }
        }
        if is_negated {
            set.0 = set.0.map(|bits| !bits);
        }
        let index = self.sets.iter().position(|known| *known == set).unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        });
        Some(Token::OneOf(u16::try_from(index).ok()?))
    }

    /// Returns a class such as `[:alpha:]`, behind its first bracket. Some(None): these are plain characters of the
    /// set.
    fn class(&mut self) -> Option<Option<Class>> {
        let rest = self.line.get(self.at + 1..)?;
        let end = rest.iter().position(|byte| *byte == b']')?;
        let Some(name) = rest.get(..end).and_then(|name| name.strip_suffix(b":")) else { return Some(None) };
        let class: Class = match name {
            b"alnum" => u8::is_ascii_alphanumeric,
            b"alpha" => u8::is_ascii_alphabetic,
            b"blank" => |byte| matches!(byte, b' ' | b'\t'),
            b"cntrl" => u8::is_ascii_control,
            b"digit" => u8::is_ascii_digit,
            b"graph" => u8::is_ascii_graphic,
            b"lower" => u8::is_ascii_lowercase,
            b"print" => |byte| byte.is_ascii_graphic() || *byte == b' ',
            b"punct" => u8::is_ascii_punctuation,
            b"space" => |byte| matches!(byte, b' ' | 9..=13),
            b"upper" => u8::is_ascii_uppercase,
            b"xdigit" => u8::is_ascii_hexdigit,
            _ => return None,
        };
        self.at += 1 + end + 1;
        Some(Some(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(rule: &str, path: &str) -> bool {
        let Some(pattern) = Pattern::parse(rule.as_bytes()) else { return false };
        let text = if pattern.is_for_paths { path } else { path.rsplit('/').next().unwrap_or(path) };
        pattern.matches(text.as_bytes(), &mut 10_000)
    }

    #[test]
    fn rules_match_as_in_the_manual_of_git() {
        for (rule, yes, no) in [
            ("a", &["a", "x/a"][..], &["b", "aa", "a/b"][..]),
            ("/a", &["a"], &["x/a"]),
            ("a/b", &["a/b"], &["x/a/b", "a/b/c"]),
            ("*.log", &["x.log", "d/.log"], &["x.logs"]),
            ("a*/b", &["a/b", "axx/b"], &["a/x/b", "ax/y/b"]),
            ("**/a", &["a", "x/a", "x/y/a"], &["xa", "a/x"]),
            ("a/**", &["a/b", "a/b/c"], &["a", "x/a/b"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb"]),
            ("/**/a*/**/b", &["a/b", "x/ay/z/b", "x/a/a/q/b"], &["b/a", "x/b"]),
            ("x/a**/b", &["x/ab", "x/a/b", "x/ac/d/b"], &["x/a/c"]),
            ("x/?**/b", &["x/a/b", "x/ac/b"], &["x/ab", "x/ac/d/b"]),
            ("**\\/b", &["a/b", "a/c/b"], &["b"]),
            ("a/x**y/b", &["a/xy/b", "a/xzy/b"], &["a/x/y/b"]),
            ("**", &["a", "a/b"], &[]),
            ("f?o", &["foo", "f-o"], &["fo", "f/o"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "-x"]),
            ("[!a-c]x", &["dx"], &["ax"]),
            ("[]-]", &["]", "-"], &["a"]),
            ("[\\]]", &["]"], &["\\"]),
            ("[[:digit:]_]", &["7", "_"], &["a", ":"]),
            ("[[:x]", &["[", ":", "x"], &["y"]),
            ("{a,b}", &["{a,b}"], &["a", "b"]),
            ("\\#a", &["#a"], &["a"]),
            ("a\\ ", &["a "], &["a"]),
            ("a  ", &["a"], &["a  "]),
        ] {
            for path in yes {
                assert!(matches(rule, path), "{rule} matches {path}");
            }
            for path in no {
                assert!(!matches(rule, path), "{rule} does not match {path}");
            }
        }
        for none in ["", "#a", "/", "!", "a\\", "[a", "[", "[[:nope:]]", "[a-"] {
            assert!(Pattern::parse(none.as_bytes()).is_none(), "{none}");
        }
    }

    #[test]
    fn matching_ends_when_the_steps_are_used_up() {
        let rule = format!("/{}b", "*a".repeat(1_000));
        let pattern = Pattern::parse(rule.as_bytes());
        let mut steps = 100_000;
        assert!(!pattern.is_some_and(|pattern| pattern.matches(&vec![b'a'; 100_000], &mut steps)));
        assert_eq!(steps, 0);
    }
}
