//! Agents that are part of this program: each speaks ACP v1, one JSON-RPC message per line, on a pair of byte streams.
//!
//! An agent is a pure state machine (a message or the time in, messages and effects out) with a thin asynchronous driver.
//! [`acp`] holds what all of them need on the side of the client; [`demo`] is the scripted agent that needs no model.
//! Nothing here knows HTTP, reads arguments or the environment, or starts processes.

pub mod acp;
pub mod demo;
