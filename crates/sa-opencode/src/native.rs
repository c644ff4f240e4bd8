//! What the server says and what it is asked, as types.

use serde::{Deserialize, Deserializer};

pub(crate) mod about;
pub(crate) mod ask;
pub(crate) mod call;
pub(crate) mod event;
pub(crate) mod line;
pub(crate) mod message;

/// Returns where there is nothing, the server leaves a field out or has `null` in it.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(value: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}
