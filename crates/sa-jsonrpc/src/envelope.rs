//! The members of a message that decide what it is, as they stand in its text.

mod scan;

use scan::scan;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The JSON text of each member; `None` for one that is absent, which `null` is not.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Envelope<'a> {
    #[serde(borrow, deserialize_with = "present")]
    pub(crate) jsonrpc: Option<&'a str>,
    #[serde(borrow, deserialize_with = "present")]
    pub(crate) id: Option<&'a str>,
    #[serde(borrow, deserialize_with = "present")]
    pub(crate) method: Option<&'a str>,
    #[serde(borrow, deserialize_with = "present")]
    pub(crate) params: Option<&'a str>,
    #[serde(borrow, deserialize_with = "present")]
    pub(crate) result: Option<&'a str>,
    #[serde(borrow, deserialize_with = "present")]
    pub(crate) error: Option<&'a str>,
}

impl<'a> Envelope<'a> {
    /// Reads the members of an object, and checks that all of the text is JSON.
    pub(crate) fn read(text: &'a str) -> serde_json::Result<Self> {
        scan(text).map_or_else(|| Self::parse(text), Ok)
    }

    /// Reads any spelling. A member that stands there twice is an error.
    pub(crate) fn parse(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// Panics if one pass over this text finds something else than the parser.
    #[cfg(feature = "testing")]
    pub(crate) fn check_scan(text: &'a str) {
        if let Some(found) = scan(text) {
            let parsed = Self::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(found, parsed, "{text}");
        }
    }

    fn member(&mut self, name: &[u8]) -> Option<&mut Option<&'a str>> {
        Some(match name {
            b"jsonrpc" => &mut self.jsonrpc,
            b"id" => &mut self.id,
            b"method" => &mut self.method,
            b"params" => &mut self.params,
            b"result" => &mut self.result,
            b"error" => &mut self.error,
            _ => return None,
        })
    }
}

/// Reads the text of a member. Distinguishes `null` from absent, which `Option` alone does not.
pub(crate) fn present<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Option<&'a str>, D::Error> {
    <&RawValue>::deserialize(from).map(|value| Some(value.get()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ordinary_messages_need_one_pass() {
        for text in [
            r#"{"jsonrpc":"2.0","method":"a"}"#,
            r#" { "jsonrpc" : "2.0" , "id" : -1.5e+3 , "result" : { } , "other" : [ [ ] , { "a" : [ 0 ] } ] } "#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"\"quoted\" \u00e4 \\"}}"#,
            r#"{"params":{"a":[true,false,null,0,10,1.25,2E-7],"text":"long enough to be searched: äöü \n"}}"#,
        ] {
            assert_eq!(scan(text), Some(Envelope::parse(text).unwrap()), "{text}");
        }
    }

    #[test]
    fn what_one_pass_cannot_tell_is_left_to_the_parser() {
        let deep = format!(r#"{{"params":{}{}}}"#, "[".repeat(65), "]".repeat(65));
        for text in ["{}", "{\n\"id\":1}", r#"{"i\u0064":1}"#, r#"{"id":1,"id":2}"#, deep.as_str()] {
            assert_eq!(scan(text), None, "{text}");
        }
    }

    #[test]
    fn text_that_is_not_json_is_left_to_the_parser() {
        let values = [
            "-",
            "01",
            "1.",
            ".5",
            "1e",
            "1e+",
            "+1",
            "0x1",
            "nul",
            "nulll",
            "tru e",
            "'a'",
            "\"",
            r#""\"#,
            r#""\x""#,
            r#""\u12g4""#,
            r#""\u12"#,
            "[",
            "[1",
            "[1,",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1}",
            "{",
            r#"{"a""#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":1]"#,
            "{1:2}",
            r#"{"a" 1}"#,
            "1,",
            "1}",
            "]",
            "NaN",
            "-Infinity",
            "\u{7f}",
            "ä",
        ];
        for value in values {
            for text in [format!(r#"{{"id":{value}}}"#), format!(r#"{{"params":[{value}]}}"#)] {
                assert!(Envelope::parse(&text).is_err(), "{text}");
                assert_eq!(scan(&text), None, "{text}");
            }
        }
        for text in [
            r#"{"id":1"#,
            r#"{"id":1}}"#,
            r#"{"id":1} 2"#,
            r#"{"id":1,}"#,
            r#"{"id"}"#,
            r#"{"id":}"#,
            r#"{id:1}"#,
        ] {
            assert!(Envelope::parse(text).is_err(), "{text}");
            assert_eq!(scan(text), None, "{text}");
        }
    }
}
