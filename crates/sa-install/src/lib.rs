//! Agents on disk: from a source's address to a verified, started version.
