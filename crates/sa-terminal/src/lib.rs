//! A session drawn in a terminal: events in, lines out. Nothing here reads a clock, a variable or a terminal, so every
//! look can be tested without one.

mod clean;
mod dialog;
mod diff;
mod editor;
mod keys;
mod markdown;
mod screen;
mod spinner;
mod style;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tool;
mod view;
mod wording;
mod wrap;

pub use clean::{clean, clean_output};
pub use dialog::{Decision, Dialog, Field};
pub use editor::{Edit, Editor, complete};
pub use keys::{Key, KeyDecoder};
pub use markdown::Markdown;
pub use screen::{Live, Motion, Screen, Size};
pub use spinner::spinner;
pub use style::{Color, Colors, Line, Span, Style, text_width};
pub use view::{SessionView, TextMode, text_of};
pub use wording::{Explanation, duration, explain_agent_error, explain_crash, stop_reason};
