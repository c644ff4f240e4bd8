//! The environment of children: the daemon's own, without its secrets, or a short list of it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;

use crate::error::SpawnError;

/// Everything under this prefix is the daemon's own configuration, its token included. No child inherits it.
const OWN_PREFIX: &[u8] = b"SANDBOX_AGENT_";

/// Marks each process of one tree, so that those which left the process group are still recognized.
pub(crate) const TREE_MARKER: &str = "SANDBOX_AGENT_TREE";

/// Marks each process of one daemon; the guardian goes by it.
pub(crate) const DAEMON_MARKER: &str = "SANDBOX_AGENT_DAEMON";

const CLEAN_NAMES: &[&str] = &[
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LOGNAME",
    "NO_PROXY",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];
const CLEAN_PREFIXES: &[&[u8]] = &[b"LC_", b"XDG_"];

/// Between the markers of a supervisor and of those inside its children: a built-in agent supervises the vendor's program
/// and is itself supervised, and each of them must recognize what is left of it.
const NESTED: char = '/';

/// Returns the marker of something inside whatever these variables belong to.
pub(crate) fn nested_marker(outer: Option<&str>, own: &str) -> String {
    outer.map_or_else(|| own.to_owned(), |outer| format!("{outer}{NESTED}{own}"))
}

/// Returns the markers that a chain is made of.
pub(crate) fn markers(chain: &str) -> impl Iterator<Item = &str> {
    chain.split(NESTED)
}

/// Environment variables, in any order.
pub(crate) type Variables = Vec<(OsString, OsString)>;

/// The initial environment of every child. Both variants take a snapshot of the daemon's environment: this crate
/// never reads it.
#[derive(Clone)]
pub enum BaseEnv {
    /// The whole environment, except names that start with `SANDBOX_AGENT_`.
    Inherit(Vec<(OsString, OsString)>),
    /// Only what a program needs to find itself: `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `LANG`, `LC_*`,
    /// `TERM`, `TMPDIR`, `TZ`, `XDG_*`, `SSL_CERT_FILE`, `SSL_CERT_DIR` and the proxy variables.
    Clean(Vec<(OsString, OsString)>),
}

impl BaseEnv {
    /// Returns a marker of the supervisor that started this very process.
    pub(crate) fn marker(&self, name: &str) -> Option<String> {
        let (BaseEnv::Inherit(all) | BaseEnv::Clean(all)) = self;
        all.iter().find(|(known, _)| known == name)?.1.to_str().map(str::to_owned)
    }

    pub(crate) fn into_variables(self) -> Variables {
        let (mut all, is_kept): (Variables, fn(&OsStr) -> bool) = match self {
            BaseEnv::Inherit(all) => (all, |name| !is_own(name)),
            BaseEnv::Clean(all) => (all, is_clean),
        };
        all.retain(|(name, _)| is_kept(name));
        all
    }
}

/// Values may be secrets: only the kind and the number of variables are shown.
impl fmt::Debug for BaseEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BaseEnv::Inherit(all) => write!(f, "Inherit({} variables)", all.len()),
            BaseEnv::Clean(all) => write!(f, "Clean({} variables)", all.len()),
        }
    }
}

fn is_own(name: &OsStr) -> bool {
    name.as_bytes().starts_with(OWN_PREFIX)
}

fn is_clean(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    CLEAN_NAMES.iter().any(|clean| clean.as_bytes() == bytes)
        || CLEAN_PREFIXES.iter().any(|prefix| bytes.starts_with(prefix))
}

/// Refuses invalid names. One would otherwise end as a variable with another name, or as an error that names nothing.
pub(crate) fn check_names(variables: &[(OsString, OsString)]) -> Result<(), SpawnError> {
    for (name, _) in variables {
        let bytes = name.as_bytes();
        if bytes.is_empty() || bytes.contains(&b'=') || bytes.contains(&0) {
            return Err(SpawnError::BadVariable { name: name.to_string_lossy().into_owned() });
        }
    }
    Ok(())
}
