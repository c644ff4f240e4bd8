//! Query parameters as bytes: a path is not always UTF-8, and one that is read with replacements names another file.

use super::refusal;
use crate::problem::{ApiError, ApiResult};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::str::FromStr;

/// The parameters of a request. Names that are unknown or given twice were refused before.
#[derive(Debug, Default)]
pub(crate) struct Parameters(Vec<(String, Vec<u8>)>);

impl Parameters {
    /// Reads a query. `+` is a space, as in forms.
    pub(crate) fn parse(query: Option<&str>) -> ApiResult<Self> {
        Ok(Self(pairs(query.unwrap_or_default())?))
    }

    /// A parameter that may be absent.
    pub(crate) fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_slice())
    }

    /// A name or path that may be absent.
    pub(crate) fn name(&self, name: &str) -> Option<OsString> {
        self.bytes(name).map(|bytes| OsStr::from_bytes(bytes).to_owned())
    }

    /// A path that must be there.
    pub(crate) fn path(&self, name: &str) -> ApiResult<OsString> {
        match self.bytes(name) {
            None => Err(refusal(name, "missing")),
            Some(b"") => Err(refusal(name, "must not be empty")),
            Some(bytes) => Ok(OsString::from_vec(bytes.to_vec())),
        }
    }

    /// Text that must be there.
    pub(crate) fn required_text(&self, name: &str) -> ApiResult<&str> {
        match self.text(name)? {
            None => Err(refusal(name, "missing")),
            Some("") => Err(refusal(name, "must not be empty")),
            Some(text) => Ok(text),
        }
    }

    /// A path; absent or empty it is the workspace.
    pub(crate) fn path_or_workspace(&self, name: &str) -> OsString {
        let given = self.bytes(name).filter(|bytes| !bytes.is_empty()).unwrap_or(b".");
        OsStr::from_bytes(given).to_owned()
    }

    /// Text that may be absent.
    pub(crate) fn text(&self, name: &str) -> ApiResult<Option<&str>> {
        let read = |bytes| std::str::from_utf8(bytes).map_err(|_| refusal(name, "must be UTF-8"));
        self.bytes(name).map(read).transpose()
    }

    /// Every text of a parameter that may be given several times, or once with commas.
    pub(crate) fn list(&self, name: &str) -> ApiResult<Vec<&str>> {
        let mut list = Vec::new();
        for text in self.texts(name)? {
            list.extend(text.split(',').map(str::trim));
        }
        Ok(list)
    }

    /// Every text of a parameter that may be given several times.
    pub(crate) fn texts(&self, name: &str) -> ApiResult<Vec<&str>> {
        let given = self.0.iter().filter(|(other, _)| other == name);
        let read = |bytes| std::str::from_utf8(bytes).map_err(|_| refusal(name, "must be UTF-8"));
        given.map(|(_, value)| read(value)).collect()
    }

    /// `true` or `false`; absent is false.
    pub(crate) fn flag(&self, name: &str) -> ApiResult<bool> {
        self.flag_or(name, false)
    }

    /// `true` or `false`, with the value of an absent one.
    pub(crate) fn flag_or(&self, name: &str, absent: bool) -> ApiResult<bool> {
        match self.bytes(name) {
            None => Ok(absent),
            Some(b"true") => Ok(true),
            Some(b"false") => Ok(false),
            Some(_) => Err(refusal(name, "expected true or false")),
        }
    }

    /// A number that may be absent.
    pub(crate) fn number<T: FromStr>(&self, name: &str) -> ApiResult<Option<T>> {
        let wrong = |_: T::Err| refusal(name, "expected a whole number");
        self.text(name)?.map(|text| text.parse().map_err(wrong)).transpose()
    }
}

/// The names and values of a query, in their order.
pub(super) fn pairs(query: &str) -> ApiResult<Vec<(String, Vec<u8>)>> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((String::from_utf8_lossy(&decode(name)?).into_owned(), decode(value)?))
    });
    pairs.collect()
}

fn decode(text: &str) -> ApiResult<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = [rest.next(), rest.next()].map(|digit| {
                    digit
                        .and_then(|digit| char::from(digit).to_digit(16))
                        .and_then(|digit| u8::try_from(digit).ok())
                });
                let [Some(high), Some(low)] = digits else {
                    return Err(ApiError::invalid(
                        "a '%' in the query is not followed by two hexadecimal digits",
                    ));
                };
                bytes.push(high << 4 | low);
            }
            byte => bytes.push(byte),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn values_are_bytes() {
        let query =
            Parameters::parse(Some("path=%2Fa+b%2Bc%FF&recursive=true&limit=12&x=%C3%BC&empty=")).unwrap();
        assert_eq!(query.path("path").unwrap().as_bytes(), b"/a b+c\xff");
        assert!(query.flag("recursive").unwrap() && !query.flag("other").unwrap());
        assert_eq!(query.number::<usize>("limit").unwrap(), Some(12));
        assert_eq!(query.text("x").unwrap(), Some("ü"));
        assert_eq!(query.path_or_workspace("none"), ".");
        assert!(
            query.path("none").is_err()
                && query.path("empty").is_err()
                && query.text("path").is_err()
                && query.flag("x").is_err()
        );
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for query in ["path=%", "path=%f", "path=%zz"] {
            assert!(Parameters::parse(Some(query)).is_err(), "{query}");
        }
    }
}
