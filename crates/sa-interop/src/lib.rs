//! Nothing: this crate holds tests only.
