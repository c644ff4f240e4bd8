//! The signature of a delivery: who does not know the secret cannot make one, nor use an old one later.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// `v1=` and the HMAC-SHA256 of timestamp, point and body, in hexadecimal digits.
pub(crate) fn signature(secret: &str, timestamp: u64, body: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(timestamp.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(format!("v1={}", hex::encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with `printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test`.
    #[test]
    fn it_is_what_others_compute() {
        let expected = "v1=38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789";
        assert_eq!(signature("whsec_test", 1_700_000_000, br#"{"a":1}"#).as_deref(), Some(expected));
    }
}
