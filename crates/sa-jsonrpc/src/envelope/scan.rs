//! Finds the members of an ordinary message in one pass over its bytes. Agents stream messages by the million, and a
//! general parser spends most of its time on cases that hardly a program writes. Whatever is unusual is left to it:
//! `None` says nothing about the text, and `Some` is what the parser would have found.

use super::Envelope;
use memchr::memchr2;

/// Words of a string that are looked at in place. Most strings of a message are names and end within them.
const SHORT: usize = 3;

const ONES: u64 = u64::MAX / 0xff;
const HIGHEST_BITS: u64 = ONES << 7;
const SPACES: u64 = ONES * b' ' as u64;
const QUOTES: u64 = ONES * b'"' as u64;
const BACKSLASHES: u64 = ONES * b'\\' as u64;

/// Returns the members of a message, if one pass can find them.
pub(super) fn scan(text: &str) -> Option<Envelope<'_>> {
    // Not allowed in strings, and rare as white space, so that no later step has to look for them.
    if has_control_character(text.as_bytes()) {
        return None;
    }
    let mut scanner = Scanner { rest: text.as_bytes() };
    let mut envelope = Envelope::default();
    scanner.expect(b'{')?;
    loop {
        scanner.expect(b'"')?;
        let name = scanner.plain_string()?;
        scanner.expect(b':')?;
        let first = scanner.next()?;
        let start = text.len() - scanner.rest.len() - 1;
        scanner.pass_over(first)?;
        let value = text.get(start..text.len() - scanner.rest.len())?;
        if let Some(member) = envelope.member(name)
            && member.replace(value).is_some()
        {
            return None;
        }
        match scanner.next()? {
            b',' => {}
            b'}' => return scanner.is_at_end().then_some(envelope),
            _ => return None,
        }
    }
}

struct Scanner<'a> {
    /// The bytes that are not taken yet.
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    fn is_at_end(&self) -> bool {
        self.rest.iter().all(|byte| *byte == b' ')
    }

    /// Takes a byte.
    #[inline(always)]
    fn take(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    /// Takes the next byte that is no space.
    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = self.take()?;
            if byte != b' ' {
                return Some(byte);
            }
        }
    }

    #[inline(always)]
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// Takes the rest of a value whose first byte is taken.
    fn pass_over(&mut self, mut first: u8) -> Option<()> {
        let mut around = Nesting::default();
        loop {
            match first {
                b'"' => self.string()?,
                b'{' => {
                    around.enter(true)?;
                    first = self.next()?;
                    if first != b'}' {
                        first = self.after_name(first)?;
                        continue;
                    }
                    around.leave();
                }
                b'[' => {
                    around.enter(false)?;
                    first = self.next()?;
                    if first != b']' {
                        continue;
                    }
                    around.leave();
                }
                _ => self.scalar(first)?,
            }
            first = loop {
                if around.is_empty() {
                    return Some(());
                }
                match (self.next()?, around.is_object()) {
                    (b'}', true) | (b']', false) => around.leave(),
                    (b',', false) => break self.next()?,
                    (b',', true) => {
                        let quote = self.next()?;
                        break self.after_name(quote)?;
                    }
                    _ => return None,
                }
            };
        }
    }

    /// Takes a name, whose first byte is taken, with its colon, and returns the first byte of the value.
    #[inline(always)]
    fn after_name(&mut self, first: u8) -> Option<u8> {
        if first != b'"' {
            return None;
        }
        self.string()?;
        self.expect(b':')?;
        self.next()
    }

    /// Takes the rest of a string and returns it without quotes; `None` if it has an escape.
    #[inline(always)]
    fn plain_string(&mut self) -> Option<&'a [u8]> {
        let string = self.rest;
        if self.quote_or_backslash()? == b'\\' {
            return None;
        }
        string.get(..string.len() - self.rest.len() - 1)
    }

    /// Takes the rest of a string.
    #[inline(always)]
    fn string(&mut self) -> Option<()> {
        while self.quote_or_backslash()? == b'\\' {
            self.escape()?;
        }
        Some(())
    }

    /// Takes the rest of an escape.
    fn escape(&mut self) -> Option<()> {
        match self.take()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                let (digits, rest) = self.rest.split_first_chunk::<4>()?;
                self.rest = rest;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(())
            }
            _ => None,
        }
    }

    /// Takes everything up to the next quote or backslash, and that.
    #[inline(always)]
    fn quote_or_backslash(&mut self) -> Option<u8> {
        for _ in 0..SHORT {
            let Some((word, rest)) = self.rest.split_first_chunk() else { break };
            let word = u64::from_le_bytes(*word);
            let found = zero_bytes(word ^ QUOTES) | zero_bytes(word ^ BACKSLASHES);
            if found != 0 {
                self.rest = self.rest.get(found.trailing_zeros() as usize / 8..)?;
                return self.take();
            }
            self.rest = rest;
        }
        self.rest = self.rest.get(memchr2(b'"', b'\\', self.rest)?..)?;
        self.take()
    }

    /// Takes the rest of a number, `true`, `false` or `null`.
    fn scalar(&mut self, first: u8) -> Option<()> {
        let word: &[u8] = match first {
            b't' => b"rue",
            b'f' => b"alse",
            b'n' => b"ull",
            _ => return self.number(first),
        };
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    fn number(&mut self, mut first: u8) -> Option<()> {
        if first == b'-' {
            first = self.take()?;
        }
        match first {
            b'0' => {}
            b'1'..=b'9' => {
                self.digits();
            }
            _ => return None,
        }
        if self.rest.first() == Some(&b'.') {
            self.take();
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.rest.first() {
            self.take();
            if let Some(b'+' | b'-') = self.rest.first() {
                self.take();
            }
            self.digits()?;
        }
        Some(())
    }

    /// Takes digits; `None` if there are none.
    fn digits(&mut self) -> Option<()> {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.rest = self.rest.get(count..)?;
        (count > 0).then_some(())
    }
}

/// Looks at words, not bytes: the shipped build makes no vectors of loops.
fn has_control_character(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks();
    let found = words.iter().fold(0, |found, word| {
        let word = u64::from_le_bytes(*word);
        found | (word.wrapping_sub(SPACES) & !word)
    });
    found & HIGHEST_BITS != 0 || rest.iter().any(|byte| *byte < b' ')
}

/// Sets the highest bit of each byte that is zero. Bytes above the lowest of those may be set, too.
#[inline(always)]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHEST_BITS
}

/// The objects and arrays around a position, as many as have room in a word.
#[derive(Default)]
struct Nesting {
    depth: u32,
    /// The lowest bit is the innermost, set for an object.
    objects: u64,
}

impl Nesting {
    fn enter(&mut self, object: bool) -> Option<()> {
        if self.depth == u64::BITS {
            return None;
        }
        self.depth += 1;
        self.objects = (self.objects << 1) | u64::from(object);
        Some(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
    }

    fn is_empty(&self) -> bool {
        self.depth == 0
    }

    fn is_object(&self) -> bool {
        self.objects & 1 == 1
    }
}
