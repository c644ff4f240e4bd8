//! Request ids, comparable across the spellings that JSON allows for one value.

/// A request id. Spellings of one JSON value are one id: programs write back the value that they read, not its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Id {
    /// `null`: ACP v1 tolerates it.
    Null,
    /// A whole number that fits 64 bits, also one written like `1.0` or `1e2`.
    Int(i64),
    Text(Box<str>),
    /// Any other number: a larger integer as it was written, a fraction in its shortest form.
    Number(Box<str>),
}

impl Id {
    /// Reads the JSON text of an id; `None` if it is neither null, a number nor a string.
    pub fn from_json(raw: &str) -> Option<Self> {
        match raw.as_bytes().first()? {
            b'n' => (raw == "null").then_some(Self::Null),
            b'"' => serde_json::from_str(raw).ok().map(Self::Text),
            b'-' | b'0'..=b'9' => Some(raw.parse().map_or_else(|_| Self::unusual(raw), Self::Int)),
            _ => None,
        }
    }

    /// Returns whether every program writes this id back as the value it read. Programs that read numbers as floats
    /// change integers beyond 2^53, and numbers that no float holds.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Null | Self::Text(_) => true,
            Self::Int(number) => number.unsigned_abs() < 1 << 53,
            Self::Number(_) => false,
        }
    }

    /// Creates a number that is no 64-bit integer as it stands.
    fn unusual(raw: &str) -> Self {
        /// Up to here every whole number is a distinct float.
        const EXACT: f64 = (1_u64 << 53) as f64;
        let is_integer = !raw.contains(['.', 'e', 'E']);
        match raw.parse::<f64>() {
            Ok(value) if value.is_finite() && !is_integer => {
                if value.fract() == 0.0 && value.abs() < EXACT {
                    Self::Int(value as i64)
                } else {
                    Self::Number(value.to_string().into())
                }
            }
            _ => Self::Number(raw.into()),
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
        for hundred in ["1e2", "100.0", "1000E-1", "100"] {
            assert_eq!(Id::from_json(hundred), Some(Id::Int(100)), "{hundred}");
        }
        assert_eq!(Id::from_json("-0"), Id::from_json("-0.0"));
        assert_eq!(Id::from_json("1.50"), Id::from_json("15e-1"));
        assert_ne!(Id::from_json("1.5"), Id::from_json("1"));
        assert_eq!(Id::from_json("99999999999999999999"), Some(Id::Number("99999999999999999999".into())));
        assert_eq!(Id::from_json("null"), Some(Id::Null));
        // Neighbors that no float distinguishes, and numbers that no float holds.
        assert_ne!(Id::from_json("9007199254740993"), Id::from_json("9007199254740992"));
        assert_ne!(Id::from_json("18446744073709551615"), Id::from_json("18446744073709551614"));
        assert_ne!(Id::from_json("1e400"), Id::from_json("1e401"));
        assert_eq!(Id::from_json("{}"), None);
        assert_eq!(Id::from_json("nil"), None);
        assert_eq!(Id::from_json("true"), None);
    }

    #[test]
    fn ids_that_a_float_changes_are_not_exact() {
        let exact = |raw: &str| Id::from_json(raw).is_some_and(|id| id.is_exact());
        for raw in ["0", "-7", "1e2", "9007199254740991", "-9007199254740991", "\"9007199254740993\"", "null"]
        {
            assert!(exact(raw), "{raw}");
        }
        for raw in ["9007199254740992", "-9007199254740993", "1e400", "1e21", "0.1", "99999999999999999999"] {
            assert!(!exact(raw), "{raw}");
        }
    }
}
