//! Inputs made of the pieces that paths and links are made of, so that arbitrary bytes mean something.

/// Bytes that are used up from the front.
pub(crate) struct Pieces<'a>(&'a [u8]);

impl<'a> Pieces<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    /// The next byte; nothing at the end.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number below a bound; 0 at the end.
    pub(crate) fn below(&mut self, bound: u8) -> u8 {
        self.byte().unwrap_or_default() % bound
    }

    /// A path of a few names, with all that makes paths dangerous.
    pub(crate) fn path(&mut self, inside: &str, outside: &str) -> String {
        let mut parts = Vec::new();
        for _ in 0..=self.below(5) {
            parts.push(match self.below(12) {
                0 => "..".to_owned(),
                1 => ".".to_owned(),
                2 => String::new(),
                3 => inside.to_owned(),
                4 => outside.to_owned(),
                5 => "secret".to_owned(),
                6 => "outside".to_owned(),
                7 => "\u{fc}\n".to_owned(),
                number => char::from(b'a' + number - 8).to_string(),
            });
        }
        parts.join("/")
    }
}
