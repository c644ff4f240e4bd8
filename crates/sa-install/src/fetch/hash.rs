//! Hashes bytes while they are received.

use crate::artifact::Digest;
use sha2::{Digest as _, Sha256, Sha512};
use std::fmt;

/// A hash on its way.
#[derive(Debug, Clone)]
pub(crate) enum Hasher {
    Sha256(Sha256),
    Sha512(Box<Sha512>),
}

impl Hasher {
    /// Returns the kind that can be compared with `expected`; SHA-256 when nothing is expected.
    pub(crate) fn like(expected: Option<&Digest>) -> Self {
        match expected {
            Some(Digest::Sha512(_)) => Self::Sha512(Box::default()),
            Some(Digest::Sha256(_)) | None => Self::Sha256(Sha256::new()),
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(hasher) => hasher.update(bytes),
            Self::Sha512(hasher) => hasher.update(bytes),
        }
    }

    pub(crate) fn finish(self) -> Digest {
        match self {
            Self::Sha256(hasher) => Digest::Sha256(hasher.finalize().into()),
            Self::Sha512(hasher) => Digest::Sha512(hasher.finalize().into()),
        }
    }
}

impl Digest {
    pub(crate) fn hex(&self) -> String {
        match self {
            Self::Sha256(bytes) => hex::encode(bytes),
            Self::Sha512(bytes) => hex::encode(bytes),
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Sha256(_) => "sha256",
            Self::Sha512(_) => "sha512",
        };
        write!(f, "{kind}:{}", self.hex())
    }
}
