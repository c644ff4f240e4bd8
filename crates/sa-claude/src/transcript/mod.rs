//! The transcripts that the CLI keeps of its sessions.
