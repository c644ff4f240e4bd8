//! Errors of `git`, and their meaning.

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

/// The meaning of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Nobody answers, or the one who answers cannot help now.
    Unreachable,
    NotLetIn,
    Other,
}

/// The remedy for [`Meaning::NotLetIn`].
pub(crate) const NOT_LET_IN: &str =
    "; it is private or does not exist: check the address, or give git credentials for it";

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

pub(crate) fn meaning(complaint: &str) -> Meaning {
    let complaint = complaint.to_lowercase();
    if REFUSALS.iter().any(|sign| complaint.contains(sign)) {
        return Meaning::NotLetIn;
    }
    let status = complaint.split_once(STATUS).map_or("", |(_, rest)| rest);
    // The server has trouble, or has had too much of us.
    let is_passing = status.starts_with('5') || status.starts_with("429") || status.starts_with("408");
    if is_passing || INTERRUPTIONS.iter().any(|sign| complaint.contains(sign)) {
        return Meaning::Unreachable;
    }
    Meaning::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_distinguished() {
        for (said, means) in [
            ("fatal: unable to access 'https://h/x/': Could not resolve host: h", Meaning::Unreachable),
            ("ssh: Could not resolve hostname h: Name or service not known", Meaning::Unreachable),
            ("ssh: connect to host h port 22: Connection timed out", Meaning::Unreachable),
            ("unable to access 'http://h/': The requested URL returned error: 503", Meaning::Unreachable),
            ("unable to access 'http://h/': The requested URL returned error: 429", Meaning::Unreachable),
            ("fatal: the remote end hung up unexpectedly; fatal: early EOF", Meaning::Unreachable),
            ("unable to access 'http://h/': The requested URL returned error: 403", Meaning::Other),
            ("fatal: repository 'http://h/x/' not found", Meaning::Other),
            ("fatal: '/nowhere' does not appear to be a git repository", Meaning::Other),
            ("git@h: Permission denied (publickey). Connection closed by h", Meaning::NotLetIn),
            ("fatal: could not read Username for 'https://h': terminal prompts disabled", Meaning::NotLetIn),
        ] {
            assert_eq!(meaning(said), means, "{said}");
        }
    }
}
