//! Lists of names.

/// A list of names, as one text with spaces between them. The pointers of an array would take more room than the names.
#[derive(Debug, Clone, Copy)]
pub struct Names(pub &'static str);

impl Names {
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split_ascii_whitespace()
    }

    pub fn contains(self, name: &str) -> bool {
        self.iter().any(|known| known == name)
    }
}
