//! Puts skills where agents look for them: fetches their sources, checks them, and links them into the directory that an
//! agent works in.

mod error;
mod limits;
mod places;
mod skills;

pub use error::SkillsError;
pub use limits::SkillsLimits;
pub use places::Places;
pub use skills::{Skills, SkillsOptions};
