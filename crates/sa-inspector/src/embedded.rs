//! The files as part of the program.

use crate::File;

include!(concat!(env!("OUT_DIR"), "/files.rs"));

pub(crate) fn files() -> &'static [File] {
    FILES
}
