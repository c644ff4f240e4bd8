//! The sandbox's files: streaming, atomic, beneath a root that no link escapes.
//!
//! Every operation resolves its path to a directory descriptor and a name once ([`Files`] → `root.rs`) and works on
//! these; no path is checked and then used. It knows nothing of HTTP.

mod archive;
mod condition;
mod copying;
mod descent;
mod entry;
mod error;
mod files;
mod footing;
mod limits;
mod listing;
mod made;
mod moment;
mod moving;
mod percent;
mod reading;
mod removal;
mod root;
mod rules;
mod search;
#[cfg(feature = "testing")]
pub mod testing;
mod tree;
mod watch;
mod writing;

pub use archive::{PackOptions, Packing, Unpacking};
pub use condition::{Conditions, Tags};
pub use entry::{Entry, Version, encoded};
pub use error::FilesError;
pub use files::{Files, FilesOptions};
pub use limits::FilesLimits;
pub use listing::{Listing, Page};
pub use moment::Moment;
pub use moving::Existing;
pub use percent::{percent_decoded, percent_encoded};
pub use reading::{FileStream, OpenFile};
pub use removal::{Directory, Removal};
pub use root::Last;
pub use search::Query;
pub use watch::{Watch, WatchEvent, WatchOptions};
pub use writing::{Upload, WriteOptions, Written};
