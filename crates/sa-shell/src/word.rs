//! Words of a command line: text, and gaps that a shell fills in.

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Exactly this text.
    Text(String),
    /// Something that a shell puts in: an expansion, a substitution, names of files.
    Any,
}

/// A word, without its quotes and escapes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    pieces: Vec<Piece>,
}

impl Word {
    /// Returns a word of exactly this text.
    pub fn of(text: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Text(text.into())] }
    }

    pub(crate) fn push(&mut self, c: char) {
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push(c),
            _ => self.pieces.push(Piece::Text(c.into())),
        }
    }

    fn push_text(&mut self, added: &str) {
        match self.pieces.last_mut() {
            _ if added.is_empty() => {}
            Some(Piece::Text(text)) => text.push_str(added),
            _ => self.pieces.push(Piece::Text(added.to_owned())),
        }
    }

    pub(crate) fn push_any(&mut self) {
        if self.pieces.last() != Some(&Piece::Any) {
            self.pieces.push(Piece::Any);
        }
    }

    /// Returns the text if a shell puts nothing in.
    pub fn text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the text before the first gap.
    pub(crate) fn start(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns the text after the last gap.
    pub(crate) fn end(&self) -> &str {
        match self.pieces.last() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns the word with a gap for each occurrence of a text.
    pub(crate) fn without(&self, token: &str) -> Self {
        let mut word = Self::default();
        for piece in &self.pieces {
            match piece {
                Piece::Any => word.push_any(),
                Piece::Text(text) => {
                    for (at, part) in text.split(token).enumerate() {
                        if at > 0 {
                            word.push_any();
                        }
                        word.push_text(part);
                    }
                }
            }
        }
        word
    }

    /// Returns the word as the name of a program, without its directory.
    pub(crate) fn name(&self) -> Self {
        self.file_name().unwrap_or_else(|| self.clone())
    }

    /// Returns the part behind the last slash, if there is a slash.
    pub(crate) fn file_name(&self) -> Option<Self> {
        let slash =
            self.pieces.iter().rposition(|piece| matches!(piece, Piece::Text(text) if text.contains('/')))?;
        let mut pieces = self.pieces.get(slash..)?.to_vec();
        if let Some(Piece::Text(text)) = pieces.first_mut() {
            *text = text.rsplit('/').next().unwrap_or_default().to_owned();
        }
        Some(Self { pieces })
    }

    /// Returns the part behind the first `=`, if its name is one that a variable or an alias can have.
    pub(crate) fn assigned(&self) -> Option<Self> {
        // The index of an array's element is a gap.
        if let [Piece::Text(array), Piece::Any, Piece::Text(value), ..] = self.pieces.as_slice()
            && !array.contains('=')
            && let Some(value) = value.strip_prefix("+=").or_else(|| value.strip_prefix('='))
        {
            let mut element = Self::of(format!("{array}={value}"));
            element.pieces.extend(self.pieces.iter().skip(3).cloned());
            return element.assigned();
        }
        let (name, _) = self.start().split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_name) {
            return None;
        }
        let mut pieces = self.pieces.clone();
        if let Some(Piece::Text(text)) = pieces.first_mut() {
            *text = text.split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default();
        }
        Some(Self { pieces })
    }
}
