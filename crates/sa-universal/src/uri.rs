//! Paths and `file://` addresses.

use std::fmt::Write;

/// The path that a `file://` address names, or the address itself.
pub(crate) fn path_of(uri: &str) -> String {
    uri.strip_prefix("file://")
        .filter(|path| path.starts_with('/'))
        .and_then(decoded)
        .unwrap_or(uri.to_owned())
}

/// The address of a path; what is an address already, or no absolute path, stays as it is.
pub(crate) fn uri_of(path: &str) -> String {
    if !path.starts_with('/') {
        return path.to_owned();
    }
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// The last piece of a path or address.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit('/').find(|piece| !piece.is_empty()).unwrap_or(path)
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut path = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
            path.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            path.push(byte);
        }
    }
    String::from_utf8(path).ok()
}

#[cfg(test)]
mod tests {
    use super::{name_of, path_of, uri_of};

    #[test]
    fn paths_and_addresses_stand_for_each_other() {
        for path in ["/a/b.rs", "/with space/ü%41", "/a#b?c"] {
            assert_eq!(path_of(&uri_of(path)), path);
        }
        assert_eq!(uri_of("/with space"), "file:///with%20space");
        assert_eq!(path_of("https://example.org/a%20b"), "https://example.org/a%20b");
        assert_eq!(path_of("file:///broken%2"), "file:///broken%2");
        assert_eq!(path_of("file:///not-utf8%ff"), "file:///not-utf8%ff");
        assert_eq!(uri_of("https://example.org"), "https://example.org");
        assert_eq!(name_of("/a/b/"), "b");
    }
}
