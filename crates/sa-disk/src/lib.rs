//! The disk, for all crates that keep files: writing them whole or not at all, locking them across processes, directories
//! of versions, removing trees, and errors that name the path.

mod atomic;
mod blocking;
mod error;
mod lock;
mod plain;
mod removal;
mod sync;
mod unnamed;
mod versions;

pub use atomic::{AtomicFile, Durability, write_atomic};
pub use blocking::{on_disk, try_on_disk};
pub use error::{DiskError, at, is_exhausted};
pub use lock::FileLock;
pub use plain::{open_plain, read_plain, read_plain_text};
pub use removal::{HOLD, first_names, hold, remove_all, remove_tree};
pub use sync::{size_of, sync, sync_dir, sync_tree};
pub use unnamed::{UnnamedFile, is_temporary_name, temporary_name};
pub use versions::{Staging, VersionedDirectory};
