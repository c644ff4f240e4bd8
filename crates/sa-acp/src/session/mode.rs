//! Permission modes of an agent.

use crate::session::offer::Choice;

/// A permission mode with its id, its name and its description.
pub type ModeRow<M> = (M, &'static str, &'static str, &'static str);

/// The permission modes of an agent.
pub trait Mode: Copy + PartialEq + 'static {
    /// All modes, in the order in which they are shown.
    const ALL: &'static [ModeRow<Self>];

    /// Returns the id by which clients know the mode.
    fn id(self) -> &'static str {
        Self::ALL.iter().find(|(mode, ..)| *mode == self).map_or("default", |(_, id, ..)| id)
    }

    /// Returns the mode of that id.
    fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, ..)| *known == id).map(|(mode, ..)| *mode)
    }

    /// Returns the modes that `is_offered` picks, as clients see them.
    fn choices(is_offered: impl Fn(Self) -> bool) -> impl Iterator<Item = Choice<'static>> {
        let rows = Self::ALL.iter().filter(move |(mode, ..)| is_offered(*mode));
        rows.map(|(_, id, name, about)| (*id, *name, *about))
    }
}
