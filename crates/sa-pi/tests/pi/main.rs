//! Pi between a client and a CLI that the tests play, from what real builds of the CLI wrote.

mod asking;
mod client;
mod recorded;
mod turns;
mod unfinished;
