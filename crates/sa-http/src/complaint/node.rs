//! A JSON tree that is read with complaints for errors.

use super::{Complaint, one_of};
use serde::Deserializer;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};
use serde_json::Value;

/// One value of the tree.
pub(super) struct Node<'a>(pub(super) &'a Value);

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Complaint;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(elements) => visitor.visit_seq(Elements { rest: elements.iter(), index: 0 }),
            Value::Object(members) => visitor.visit_map(Members { rest: members.iter(), current: None }),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        let found = match self.0 {
            Value::String(name) => return visitor.visit_enum(Variant { name, content: None }),
            Value::Object(members) => match members.iter().next() {
                Some((name, content)) if members.len() == 1 => {
                    return visitor.visit_enum(Variant { name, content: Some(content) });
                }
                _ => Unexpected::Map,
            },
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Array(_) => Unexpected::Seq,
            Value::Number(number) => number
                .as_u64()
                .map(Unexpected::Unsigned)
                .unwrap_or_else(|| Unexpected::Float(number.as_f64().unwrap_or_default())),
        };
        Err(Complaint::invalid_type(found, &one_of(variants).as_str()))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

struct Elements<'a> {
    rest: std::slice::Iter<'a, Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Complaint;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Complaint> {
        let Some(element) = self.rest.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Node(element)).map(Some).map_err(|complaint| complaint.in_element(index))
    }
}

struct Members<'a> {
    rest: serde_json::map::Iter<'a>,
    current: Option<(&'a String, &'a Value)>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Complaint;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Complaint> {
        self.current = self.rest.next();
        let Some((name, _)) = self.current else { return Ok(None) };
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Complaint> {
        let Some((name, value)) = self.current.take() else {
            return Err(Complaint::custom("a member without a name"));
        };
        seed.deserialize(Node(value)).map_err(|complaint| complaint.in_member(name))
    }
}

struct Variant<'a> {
    name: &'a str,
    content: Option<&'a Value>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Complaint;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Complaint> {
        let name: BorrowedStrDeserializer<'de, Complaint> = BorrowedStrDeserializer::new(self.name);
        Ok((seed.deserialize(name.into_deserializer())?, self))
    }
}

impl<'de> Variant<'de> {
    fn content(&self) -> Result<Node<'de>, Complaint> {
        self.content.map(Node).ok_or_else(|| Complaint::missing_field("").in_member(self.name))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Complaint;

    fn unit_variant(self) -> Result<(), Complaint> {
        match self.content {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(Complaint::custom("takes no content").in_member(self.name)),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Complaint> {
        let content = self.content()?;
        seed.deserialize(content).map_err(|complaint| complaint.in_member(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Complaint> {
        let content = self.content()?;
        content.deserialize_any(visitor).map_err(|complaint| complaint.in_member(self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        let content = self.content()?;
        content.deserialize_any(visitor).map_err(|complaint| complaint.in_member(self.name))
    }
}
