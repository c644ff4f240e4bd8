//! `/v1/acp/{server_id}`: starting agents, refusing what makes no sense, passing messages on unchanged.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod answers;
mod bootstrap;
mod cancelling;
mod chaos;
mod clients;
mod limits;
mod listing;
mod refusals;
mod verbatim;
