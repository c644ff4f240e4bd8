//! Archives: unpacking what a client sends, packing what it asks for, both as they travel.

mod decoding;
mod member;
mod merging;
mod packing;
mod pipe;
mod staging;
mod unpacking;

pub use packing::{PackOptions, Packing};
pub use unpacking::Unpacking;
