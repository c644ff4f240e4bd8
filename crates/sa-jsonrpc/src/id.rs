//! Request ids, comparable across the spellings that JSON allows for one value.

/// A request id. Two spellings of one JSON string, or of one integer, are the same id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Id {
    /// `null`: ACP v1 tolerates it.
    Null,
    /// An integer that fits 64 bits.
    Int(i64),
    /// A string, unescaped.
    Text(Box<str>),
    /// Any other number, as it was written.
    Number(Box<str>),
}

impl Id {
    /// Reads the JSON text of an id; `None` if it is neither null, a number nor a string.
    pub fn from_json(raw: &str) -> Option<Self> {
        match raw.as_bytes().first()? {
            b'n' => Some(Self::Null),
            b'"' => serde_json::from_str(raw).ok().map(Self::Text),
            b'-' | b'0'..=b'9' => Some(raw.parse().map_or_else(|_| Self::Number(raw.into()), Self::Int)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_value_are_one_id() {
        assert_eq!(Id::from_json(r#""A1""#), Id::from_json(r#""\u00411""#));
        assert_ne!(Id::from_json("1"), Id::from_json(r#""1""#));
        assert_eq!(Id::from_json("-7"), Some(Id::Int(-7)));
        assert_eq!(Id::from_json("1e2"), Some(Id::Number("1e2".into())));
        assert_eq!(Id::from_json("99999999999999999999"), Some(Id::Number("99999999999999999999".into())));
        assert_eq!(Id::from_json("null"), Some(Id::Null));
        assert_eq!(Id::from_json("{}"), None);
        assert_eq!(Id::from_json("true"), None);
    }
}
