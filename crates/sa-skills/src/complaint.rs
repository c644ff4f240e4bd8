//! Errors of `git`, and their meaning.

use crate::SkillsFault;

/// A task of `git`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Prepare,
    Ask,
    Fetch,
    Unpack,
}

impl Work {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Prepare => "preparing a repository",
            Self::Ask => "asking the repository",
            Self::Fetch => "fetching",
            Self::Unpack => "unpacking",
        }
    }

    /// Returns whether another host is involved.
    pub(crate) fn is_remote(self) -> bool {
        matches!(self, Self::Ask | Self::Fetch)
    }
}

/// The remedy for a refusal.
const NOT_LET_IN: &str =
    "; it is private or does not exist: check the address, or give git credentials for it";

/// Added if nobody answers, or the one who answers cannot help now.
const UNREACHABLE: &str = "; it cannot be reached at the moment";

const REFUSALS: [&str; 4] = ["password", "username", "authentication failed", "permission denied"];

/// From `git` itself, `curl`, `ssh` and the system, in lower case. `git` runs with English messages.
const INTERRUPTIONS: [&str; 20] = [
    "could not resolve",
    "couldn't resolve",
    "temporary failure in name resolution",
    "failed to connect",
    "couldn't connect",
    "connection refused",
    "connection reset",
    "connection closed",
    "connection was reset",
    "timed out",
    "network is unreachable",
    "network is down",
    "no route to host",
    "empty reply from server",
    "recv failure",
    "unexpected disconnect",
    "remote end hung up",
    "early eof",
    "from proxy after connect",
    "connect tunnel failed",
];

/// Before the number of an answer over HTTP.
const STATUS: &str = "returned error: ";

/// Returns the fault that an error about another host shows, and what to add to the error.
pub(crate) fn meaning(complaint: &str) -> (SkillsFault, &'static str) {
    let complaint = complaint.to_lowercase();
    if REFUSALS.iter().any(|sign| complaint.contains(sign)) {
        return (SkillsFault::Configuration, NOT_LET_IN);
    }
    let status = complaint.split_once(STATUS).map_or("", |(_, rest)| rest);
    // The server has trouble, or has had too much of us.
    let is_passing = status.starts_with('5') || status.starts_with("429") || status.starts_with("408");
    if is_passing || INTERRUPTIONS.iter().any(|sign| complaint.contains(sign)) {
        return (SkillsFault::Unreachable, UNREACHABLE);
    }
    (SkillsFault::Configuration, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_distinguished() {
        let unreachable = (SkillsFault::Unreachable, UNREACHABLE);
        let not_let_in = (SkillsFault::Configuration, NOT_LET_IN);
        let other = (SkillsFault::Configuration, "");
        for (said, means) in [
            ("fatal: unable to access 'https://h/x/': Could not resolve host: h", unreachable),
            ("ssh: Could not resolve hostname h: Name or service not known", unreachable),
            ("ssh: connect to host h port 22: Connection timed out", unreachable),
            ("unable to access 'http://h/': The requested URL returned error: 503", unreachable),
            ("unable to access 'http://h/': The requested URL returned error: 429", unreachable),
            ("fatal: the remote end hung up unexpectedly; fatal: early EOF", unreachable),
            ("unable to access 'http://h/': The requested URL returned error: 403", other),
            ("fatal: repository 'http://h/x/' not found", other),
            ("fatal: '/nowhere' does not appear to be a git repository", other),
            ("git@h: Permission denied (publickey). Connection closed by h", not_let_in),
            ("fatal: could not read Username for 'https://h': terminal prompts disabled", not_let_in),
        ] {
            assert_eq!(meaning(said), means, "{said}");
        }
    }
}
