//! Messages of the server and requests to it.

use serde::{Deserialize, Deserializer};

/// Declares types whose members may be missing or `null`: the server leaves out what has no value, or sets it to `null`. Only members
/// in the parentheses behind a name are read as they are declared.
macro_rules! lenient {
    ($($(#[$about:meta])* struct $name:ident
        $(($($(#[$fixed_about:meta])* $fixed:ident: $fixed_type:ty),*))?
        { $($(#[$member_about:meta])* $member:ident: $member_type:ty,)* }
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, serde::Deserialize)]
        pub(crate) struct $name {
            $($($(#[$fixed_about])* pub(crate) $fixed: $fixed_type,)*)?
            $(
                $(#[$member_about])*
                #[serde(default, deserialize_with = "crate::native::or_default")]
                pub(crate) $member: $member_type,
            )*
        }
    )*};
}

pub(crate) mod about;
pub(crate) mod ask;
pub(crate) mod call;
pub(crate) mod event;
pub(crate) mod line;
pub(crate) mod message;

/// Reads a field that the server leaves out, or sets to `null`, if it has no value.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(value: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}
