//! Claude Code as an ACP agent: the vendor's own CLI behind the protocol.
