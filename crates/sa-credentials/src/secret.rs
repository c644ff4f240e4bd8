//! A value that must not be seen: it shows itself only where it is asked for by name, and is wiped when dropped.

use std::fmt;
use zeroize::Zeroizing;

/// The shortest secret whose end may be shown; four characters of a shorter one would reveal too much.
const SHORTEST_WITH_END: usize = 16;
const END: usize = 4;

/// A secret. Printing it prints at most its last four characters.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the value over.
    pub fn new(value: impl Into<String>) -> Self {
        Self(Zeroizing::new(value.into()))
    }

    /// Returns the value. The caller is responsible for where it goes.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let characters = self.0.chars().count();
        let end: String = self.0.chars().skip(characters.saturating_sub(END)).collect();
        if characters >= SHORTEST_WITH_END && end.chars().all(|c| c.is_ascii_graphic()) {
            write!(f, "…{end}")
        } else {
            f.write_str("…")
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_the_last_four_characters_are_shown() {
        let shown = |value: &str| Secret::new(value).to_string();
        assert_eq!(shown("sk-ant-api03-0123456789abcdef"), "…cdef");
        assert_eq!(shown("exactly-16-chars"), "…hars");
        assert_eq!(shown("only-15-chars.."), "…");
        assert_eq!(shown("sixteen-or-more-\n\u{1b}[m"), "…");
        assert_eq!(shown("fünfzehnundmehrä"), "…");
        assert_eq!(format!("{:?}", Secret::new("short")), "Secret(…)");
        assert_eq!(Secret::new("short").expose(), "short");
    }
}
