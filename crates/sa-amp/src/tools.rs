//! Amp's tools as ACP shows them: what a call is about, and what became of it. Pure: a tool's name, its input and its result
//! in, tool calls out. Knows neither sessions nor turns.

mod call;
mod outcome;
mod reach;

pub(crate) use call::{call, changed_file};
pub(crate) use outcome::outcome;
pub(crate) use reach::{changes_something, command_line, is_agent, is_edit};
