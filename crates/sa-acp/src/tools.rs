//! Tool calls as clients see them.

pub(crate) mod hunks;
pub(crate) mod remembered;
pub(crate) mod running;
pub(crate) mod terminal;
pub(crate) mod tokens;
pub(crate) mod tool;
