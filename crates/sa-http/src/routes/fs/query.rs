//! Query parameters as bytes: a path is not always UTF-8, and one that is read with replacements names another file.

use crate::problem::{ApiError, ApiResult};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::str::FromStr;

/// The parameters of a request, each name once.
#[derive(Debug, Default)]
pub(crate) struct Parameters(Vec<(String, Vec<u8>)>);

impl Parameters {
    /// Reads a query. `+` is a space, as in forms.
    pub(crate) fn parse(query: Option<&str>) -> ApiResult<Self> {
        let mut parameters = Vec::new();
        for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = String::from_utf8_lossy(&decode(name)?).into_owned();
            if parameters.iter().any(|(other, _)| *other == name) {
                return Err(ApiError::invalid(format!("the parameter '{name}' is given twice")));
            }
            parameters.push((name, decode(value)?));
        }
        Ok(Self(parameters))
    }

    /// A parameter that may be absent.
    pub(crate) fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_slice())
    }

    /// A path that must be there.
    pub(crate) fn path(&self, name: &str) -> ApiResult<OsString> {
        self.bytes(name)
            .map(|bytes| OsString::from_vec(bytes.to_vec()))
            .ok_or_else(|| ApiError::invalid(format!("the parameter '{name}' is missing")))
    }

    /// A path; absent or empty it is the workspace.
    pub(crate) fn path_or_workspace(&self, name: &str) -> OsString {
        let given = self.bytes(name).filter(|bytes| !bytes.is_empty()).unwrap_or(b".");
        OsStr::from_bytes(given).to_owned()
    }

    /// Text that may be absent.
    pub(crate) fn text(&self, name: &str) -> ApiResult<Option<&str>> {
        let read = |bytes| {
            std::str::from_utf8(bytes)
                .map_err(|_| ApiError::invalid(format!("the parameter '{name}' is not UTF-8")))
        };
        self.bytes(name).map(read).transpose()
    }

    /// Yes or no; absent is no, the bare name is yes.
    pub(crate) fn flag(&self, name: &str) -> ApiResult<bool> {
        self.flag_or(name, false)
    }

    /// Yes or no, with what an absent one means.
    pub(crate) fn flag_or(&self, name: &str, absent: bool) -> ApiResult<bool> {
        match self.bytes(name) {
            None => Ok(absent),
            Some(b"true" | b"1" | b"") => Ok(true),
            Some(b"false" | b"0") => Ok(false),
            Some(_) => Err(ApiError::invalid(format!("the parameter '{name}' is either true or false"))),
        }
    }

    /// A number that may be absent.
    pub(crate) fn number<T: FromStr>(&self, name: &str) -> ApiResult<Option<T>> {
        let wrong = || ApiError::invalid(format!("the parameter '{name}' must be a whole number"));
        self.text(name)?.map(|text| text.parse().map_err(|_| wrong())).transpose()
    }
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
        let query = Parameters::parse(Some("path=%2Fa+b%2Bc%FF&recursive&limit=12&x=%C3%BC")).unwrap();
        assert_eq!(query.path("path").unwrap().as_bytes(), b"/a b+c\xff");
        assert!(query.flag("recursive").unwrap() && !query.flag("other").unwrap());
        assert_eq!(query.number::<usize>("limit").unwrap(), Some(12));
        assert_eq!(query.text("x").unwrap(), Some("ü"));
        assert_eq!(query.path_or_workspace("none"), ".");
        assert!(query.path("none").is_err() && query.text("path").is_err() && query.flag("x").is_err());
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for query in ["path=%", "path=%f", "path=%zz", "a=1&a=1"] {
            assert!(Parameters::parse(Some(query)).is_err(), "{query}");
        }
    }
}
