//! The sandbox's files: streaming, atomic, beneath a root that no link escapes.
//!
//! Every operation resolves its path to a directory descriptor and a name once ([`Files`] → `root.rs`) and works on
//! these; no path is checked and then used. It knows nothing of HTTP.

mod condition;
mod descent;
mod draft;
mod entry;
mod error;
mod files;
mod limits;
mod listing;
mod moment;
mod reading;
mod root;
mod writing;

pub use condition::{Conditions, Tags};
pub use entry::{Entry, Kind, Version, encoded};
pub use error::FilesError;
pub use files::{Files, FilesOptions};
pub use limits::FilesLimits;
pub use listing::Page;
pub use moment::Moment;
pub use reading::{FileStream, OpenFile};
pub use writing::{Upload, WriteOptions, Written};
