//! Bytes in JSON: base64, or text where they are text.

use crate::problem::{ApiError, ApiResult};
use crate::query::quote;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use sa_processes::Captured;

/// Encoding of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Base64,
    Text,
}

impl Encoding {
    fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "base64" => Some(Self::Base64),
            "utf8" | "utf-8" | "text" => Some(Self::Text),
            _ => None,
        }
    }
}

/// The bytes of input in this encoding, or in the usual one.
pub(super) fn decode(data: String, encoding: Option<&str>, usual: Encoding) -> ApiResult<Bytes> {
    let encoding = match encoding {
        Some(name) => Encoding::named(name).ok_or_else(|| {
            let got = quote(name);
            ApiError::invalid(format!("member 'encoding': expected one of base64, utf8; got '{got}'"))
        })?,
        None => usual,
    };
    match encoding {
        Encoding::Text => Ok(data.into()),
        Encoding::Base64 => STANDARD
            .decode(&data)
            .map(Bytes::from)
            .map_err(|_| ApiError::invalid("member 'data': not base64")),
    }
}

pub(super) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Output as text, and in base64 as well if it is none. A character that the limit cut in two does not make it none.
pub(super) fn text(captured: Captured) -> (String, Option<String>) {
    let mut bytes = captured.bytes;
    if captured.truncated
        && let Err(error) = std::str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    String::from_utf8(bytes).map_or_else(
        |error| {
            let bytes = error.as_bytes();
            (String::from_utf8_lossy(bytes).into_owned(), Some(to_base64(bytes)))
        },
        |text| (text, None),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn shown(bytes: &[u8], truncated: bool) -> (String, Option<String>) {
        text(Captured { bytes: bytes.to_vec(), truncated })
    }

    #[test]
    fn output_is_text_where_it_is_text() {
        assert_eq!(shown("grüße".as_bytes(), false), ("grüße".to_owned(), None));
        assert_eq!(shown(b"gr\xc3", true), ("gr".to_owned(), None), "cut by the limit");
        assert_eq!(shown(b"gr\xc3", false), ("gr\u{fffd}".to_owned(), Some("Z3LD".to_owned())));
        assert_eq!(shown(b"\xff\xc3", true), ("\u{fffd}\u{fffd}".to_owned(), Some("/8M=".to_owned())));
    }

    #[test]
    fn input_is_read_as_it_says() {
        let read = |data: &str, encoding| decode(data.to_owned(), encoding, Encoding::Base64);
        assert_eq!(read("aGk=", None).unwrap(), "hi");
        assert_eq!(read("hi", Some("UTF-8")).unwrap(), "hi");
        assert_eq!(decode("hi".to_owned(), None, Encoding::Text).unwrap(), "hi");
        assert!(read("hi!", None).unwrap_err().0.detail.contains("not base64"));
        assert!(read("hi", Some("rot13")).unwrap_err().0.detail.contains("rot13"));
    }
}
