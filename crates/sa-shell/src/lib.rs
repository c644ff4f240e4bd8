//! Command lines as a shell reads them, for decisions about what may run. Pure: text in, judgments out.
//!
//! ```text
//!  text ──lex──► Line: commands of words, and whether all of it is certain
//!                  ├── only_reads: every command is a known reader with known options (for what runs unasked)
//!                  └── Readings: every phrase that some part of the line may run (for what must not run)
//! ```
//!
//! The two judgments err in opposite directions: a line that is not certain never only reads, and may run more.

mod arguments;
mod lexer;
mod names;
mod programs;
mod readings;
mod reads;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod word;

pub use lexer::Line;
pub use names::Names;
pub use programs::{is_shell, starts_others, takes_script};
pub use readings::Readings;
pub use reads::only_reads;
pub use word::{Piece, Word};
