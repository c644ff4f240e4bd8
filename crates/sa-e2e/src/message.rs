//! JSON-RPC messages as the exact text that goes over the wire.

use std::fmt::Display;

/// A request; id and params are JSON text.
pub fn request(id: impl Display, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// A notification; params are JSON text.
pub fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// A response; id and result are JSON text.
pub fn response(id: impl Display, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// A response that is an error.
pub fn error(id: impl Display, code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

/// The parameters with which the puppet's `raw` writes exactly these bytes.
pub fn write(bytes: impl AsRef<[u8]>) -> String {
    format!(r#"{{"base64":"{}"}}"#, base64(bytes.as_ref()))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for piece in bytes.chunks(3) {
        let bits =
            piece.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - piece.len()));
        for place in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * place)) as usize & 63).copied().unwrap_or(b'=');
            text.push(if place <= piece.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_padded() {
        let texts = ["", "f", "fo", "foo", "foob", "\u{ff}"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "w78="]);
    }
}
