//! Queries as structs. Values are bytes: a path is not always UTF-8, and one that is read with replacements names another
//! file. Names that are unknown or given twice, and most values of another kind, were refused before.

use super::{mismatch, quote, refusal};
use crate::problem::{ApiError, ApiResult};
use sa_files::percent_decoded;
use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, IntoDeserializer, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStringExt;

/// Reads a query. `+` is a space, as in forms.
pub(crate) fn read<T: DeserializeOwned>(query: Option<&str>) -> ApiResult<T> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for (name, value) in pairs(query.unwrap_or_default())? {
        match parameters.iter_mut().find(|known| known.name == name) {
            Some(known) => known.values.push(value),
            None => parameters.push(Parameter { name, values: vec![value] }),
        }
    }
    let parameters = parameters.into_iter().map(|parameter| (parameter.name.clone(), parameter));
    T::deserialize(MapDeserializer::new(parameters)).map_err(|unfit: Unfit| unfit.0)
}

/// A path, or a name in one.
#[derive(Debug)]
pub(crate) struct QueryPath(OsString);

impl QueryPath {
    pub(crate) fn as_os_str(&self) -> &OsStr {
        &self.0
    }

    pub(crate) fn into_os_string(self) -> OsString {
        self.0
    }
}

impl<'de> Deserialize<'de> for QueryPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = QueryPath;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a path")
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<QueryPath, E> {
                Ok(QueryPath(OsString::from_vec(bytes)))
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

/// Texts of a parameter that may be given several times, or once with commas.
#[derive(Debug, Default)]
pub(crate) struct List(pub(crate) Vec<String>);

impl List {
    /// Reads texts of the parameter `name` that are names of these values.
    pub(crate) fn values<T: Copy>(
        &self,
        name: &str,
        all: &[T],
        name_of: fn(T) -> &'static str,
    ) -> ApiResult<Vec<T>> {
        let known: Vec<&str> = all.iter().map(|value| name_of(*value)).collect();
        let value = |text: &String| {
            let found = all.iter().copied().find(|value| name_of(*value) == text);
            found.ok_or_else(|| refusal(name, format!("expected {}", one_of(&known))))
        };
        self.0.iter().map(value).collect()
    }
}

/// Choices in a sentence, such as `a, b or c`.
fn one_of(choices: &[&str]) -> String {
    match choices {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        choices => choices.concat(),
    }
}

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Vec::<String>::deserialize(deserializer)?;
        let texts = given.iter().flat_map(|text| text.split(','));
        Ok(Self(texts.map(|text| text.trim().to_owned()).collect()))
    }
}

/// A parameter with its values, one unless it may be repeated.
struct Parameter {
    name: String,
    values: Vec<Vec<u8>>,
}

impl Parameter {
    fn bytes(&self) -> &[u8] {
        self.values.first().map(Vec::as_slice).unwrap_or_default()
    }

    fn text(&self) -> Result<&str, Unfit> {
        std::str::from_utf8(self.bytes()).map_err(|_| self.unfit("must be UTF-8"))
    }

    fn unfit(&self, why: &str) -> Unfit {
        Unfit(refusal(&self.name, why))
    }
}

/// The refusal of a query.
#[derive(Debug)]
struct Unfit(ApiError);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.0.detail)
    }
}

impl std::error::Error for Unfit {}

impl Error for Unfit {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(ApiError::invalid("the query could not be read"))
    }

    fn missing_field(name: &'static str) -> Self {
        Self(refusal(name, "missing"))
    }
}

impl IntoDeserializer<'_, Unfit> for Parameter {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Parameter {
    type Error = Unfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        match self.bytes() {
            b"true" => visitor.visit_bool(true),
            b"false" => visitor.visit_bool(false),
            _ => Err(self.unfit("expected true or false")),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_u64(self.text()?.parse().map_err(|_| self.unfit("expected a whole number"))?)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_byte_buf(self.values.into_iter().next().unwrap_or_default())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        let Self { name, values } = self;
        let each = values.into_iter().map(|value| Self { name: name.clone(), values: vec![value] });
        visitor.visit_seq(SeqDeserializer::new(each))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        choices: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        let text = self.text()?;
        if !choices.contains(&text) {
            let expected = format!("one of {}", choices.join(", "));
            return Err(self.unfit(&mismatch(&expected, &format!("'{}'", quote(text)))));
        }
        visitor.visit_enum(StrDeserializer::new(text))
    }

    /// Skips a parameter that another struct takes, whatever its bytes are.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 f32 f64 char str string bytes unit unit_struct newtype_struct tuple tuple_struct map
        struct identifier
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
    percent_decoded(text.replace('+', " ").as_bytes())
        .ok_or_else(|| ApiError::invalid("a '%' in the query is not followed by two hexadecimal digits"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[derive(Debug, Deserialize)]
    struct Search {
        path: QueryPath,
        recursive: Option<bool>,
        limit: Option<usize>,
        x: Option<String>,
        #[serde(default)]
        types: List,
        metadata: Option<Vec<String>>,
    }

    #[test]
    fn values_are_bytes() {
        let query =
            "path=%2Fa+b%2Bc%FF&recursive=true&limit=12&x=%C3%BC&types=a,b&metadata=k:1,2&types=c&metadata=l";
        let search: Search = read(Some(query)).unwrap();
        assert_eq!(search.path.as_os_str().as_bytes(), b"/a b+c\xff");
        assert_eq!((search.recursive, search.limit, search.x.as_deref()), (Some(true), Some(12), Some("ü")));
        assert_eq!(search.types.0, ["a", "b", "c"]);
        assert_eq!(search.metadata.unwrap(), ["k:1,2", "l"]);
        #[derive(Deserialize)]
        struct Page {
            limit: Option<usize>,
        }
        assert_eq!(read::<Page>(Some(query)).unwrap().limit, Some(12), "others are not read");
        let bare: Search = read(Some("path=")).unwrap();
        assert!(bare.recursive.is_none() && bare.types.0.is_empty());
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for (query, why) in [
            ("path=%", "a '%' in the query is not followed by two hexadecimal digits"),
            ("path=%zz", "a '%' in the query is not followed by two hexadecimal digits"),
            ("limit=1", "query parameter 'path': missing"),
            ("path=a&limit=x", "query parameter 'limit': expected a whole number"),
            ("path=a&recursive=yes", "query parameter 'recursive': expected true or false"),
            ("path=a&x=%FF", "query parameter 'x': must be UTF-8"),
        ] {
            assert_eq!(read::<Search>(Some(query)).unwrap_err().0.detail, why, "{query}");
        }
    }
}
