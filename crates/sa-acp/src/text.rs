//! Prompts and titles: text from and for people.

pub(crate) mod content;
pub(crate) mod wording;
