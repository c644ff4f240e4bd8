//! Makes paths out of arbitrary bytes, by the pieces that paths and links are made of.

/// Bytes that are consumed from the front.
pub(super) struct Pieces<'a>(&'a [u8]);

impl<'a> Pieces<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    /// Takes the next byte.
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Takes a number below a bound; 0 at the end.
    pub(super) fn below(&mut self, bound: u8) -> u8 {
        self.byte().unwrap_or_default() % bound
    }

    /// Takes a path of a few names, with everything that makes paths dangerous.
    pub(super) fn path(&mut self, inside: &str, outside: &str) -> String {
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
