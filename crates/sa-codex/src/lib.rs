//! Codex as an ACP agent: the vendor's own app-server behind the protocol.
