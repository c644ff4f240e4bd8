//! Skills put in place, from real directories and real repositories, fetched by the real `git`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod attacks;
mod changes;
mod credentials;
mod git_status;
mod hostile;
mod local;
mod repositories;
mod searching;
mod sharing;
mod stage;
