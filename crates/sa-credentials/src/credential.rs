//! The result of a search: credentials, and places that could not be used.

use crate::Secret;
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;

/// A credential, with where it comes from and how it is handed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The provider that accepts it: `anthropic`, `openai`, `amp`, …
    pub provider: String,
    pub kind: Kind,
    /// The value. A helper and the credentials of a cloud platform have none that we know.
    pub secret: Option<Secret>,
    /// The place where it was found.
    pub origin: Origin,
    /// The variables that hand it to the agent; none when only the agent's own files can.
    pub variables: Vec<Variable>,
    /// The address that it is meant for, where that is not the provider's usual one.
    pub base_url: Option<String>,
    /// The time of its expiry, in milliseconds since 1970.
    pub expires_at_ms: Option<u64>,
    /// Set if the agent can renew it once it has expired.
    pub renewable: bool,
    /// Whose it is, where that is known.
    pub account: Option<String>,
    /// The plan that pays for it, where that is known.
    pub subscription: Option<String>,
}

impl Credential {
    pub(crate) fn new(provider: impl Into<String>, kind: Kind, origin: Origin) -> Self {
        Self {
            provider: provider.into(),
            kind,
            secret: None,
            origin,
            variables: Vec::new(),
            base_url: None,
            expires_at_ms: None,
            renewable: false,
            account: None,
            subscription: None,
        }
    }

    pub(crate) fn with_secret(mut self, secret: impl Into<String>) -> Self {
        self.secret = Some(Secret::new(secret));
        self
    }

    /// Handed on as this variable, whose value is the secret.
    pub(crate) fn handed_as(mut self, name: &'static str) -> Self {
        self.variables.extend(self.secret.clone().map(|value| Variable { name, value }));
        self
    }

    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expires_at_ms.is_some_and(|at| at <= now_ms)
    }

    /// Returns whether the agent can work with it where it was found.
    pub fn is_usable(&self, now_ms: u64) -> bool {
        self.renewable || !self.is_expired(now_ms)
    }
}

/// The kind of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// A key that is paid by use.
    ApiKey,
    /// The token of a login, which expires.
    #[serde(rename = "oauth")]
    OAuth,
    /// Another bearer token: a gateway's, or one made for a machine.
    AuthToken,
    /// A command that prints a key; it is never run here.
    Helper,
    /// A cloud platform in the provider's place, with separate credentials.
    Cloud,
}

impl Kind {
    /// Returns the name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::ApiKey => "apiKey",
            Self::OAuth => "oauth",
            Self::AuthToken => "authToken",
            Self::Helper => "helper",
            Self::Cloud => "cloud",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ApiKey => "API key",
            Self::OAuth => "OAuth",
            Self::AuthToken => "token",
            Self::Helper => "helper",
            Self::Cloud => "cloud",
        })
    }
}

/// A place where credentials are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Variable(&'static str),
    File(PathBuf),
    /// An entry of the system's keychain, which is not read.
    Keychain(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "${name}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Keychain(entry) => write!(f, "keychain entry '{entry}'"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (key, value) = match self {
            Self::Variable(name) => ("variable", (*name).into()),
            Self::File(path) => ("file", path.to_string_lossy()),
            Self::Keychain(entry) => ("keychain", (*entry).into()),
        };
        serializer.collect_map([(key, value)])
    }
}

/// An entry of the environment that hands a credential on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: &'static str,
    pub value: Secret,
}

/// A place that should have given a credential and did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub origin: Origin,
    /// The error. Never quotes the contents.
    pub reason: String,
}

/// The result of a search, in the agent's order of preference.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    pub credentials: Vec<Credential>,
    /// Places that could not be used.
    pub problems: Vec<Problem>,
}
