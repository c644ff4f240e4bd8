//! Claude Code as an ACP agent: the vendor's own CLI behind the protocol.

#[allow(dead_code, unused_imports)]
mod tools;
#[allow(dead_code, unused_imports)]
mod transcript;
