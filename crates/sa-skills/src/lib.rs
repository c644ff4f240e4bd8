//! Puts skills where agents look for them: fetches their sources, checks them, and links them into the directory that an
//! agent works in.

mod cache;
mod complaint;
mod credentials;
mod error;
mod exclude;
mod find;
mod git;
mod limits;
mod lock;
mod manifest;
mod places;
mod placing;
mod plain;
mod sharing;
mod skills;
mod source;
mod tree;

#[cfg(feature = "testing")]
pub mod testing {
    //! A property of skills that others wrote, for tests and fuzzing.

    pub use crate::find::names_are_plain;
}

pub use error::{SkillsError, SkillsFault};
pub use limits::SkillsLimits;
pub use places::Places;
pub use sharing::{Displaced, Placed};
pub use skills::{Skills, SkillsOptions};
