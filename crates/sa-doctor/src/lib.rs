//! Why an agent will not start: each thing it needs is looked at, in the order in which starting it would fail, and what is
//! missing is said together with what to do about it. Nothing is changed or installed.

mod agent;
mod doctor;
mod finding;
mod machine;
mod network;
mod program;

pub use doctor::Doctor;
pub use finding::{Finding, Report, Verdict};
pub use machine::Machine;
