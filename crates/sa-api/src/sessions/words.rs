//! Enums of words that other versions may extend.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Defines an enum whose values are words in JSON. A word that this version does not know is kept as it is.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`")] $variant,)*
            /// A word of another version.
            Other(String),
        }

        impl $name {
            /// The words that the daemon writes.
            pub const WORDS: &[&str] = &[$($word,)*];

            /// Returns the word.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = String::deserialize(deserializer)?;
                Ok(match word.as_str() {
                    $($word => Self::$variant,)*
                    _ => Self::Other(word),
                })
            }
        }
    };
}

words! {
    /// Kind of a failure.
    CrashKind {
        AgentExited = "agentExited",
        AuthRequired = "authRequired",
        InstallFailed = "installFailed",
        SpawnFailed = "spawnFailed",
        Unsupported = "unsupported",
        Timeout = "timeout",
        Protocol = "protocol",
        PromptFailed = "promptFailed",
        Unparsed = "unparsed",
        Gap = "gap",
    }
}

impl Default for CrashKind {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

words! {
    /// Reason why the end of a turn is not known.
    CutOff {
        DaemonRestarted = "daemonRestarted",
        Transferred = "transferred",
    }
}

words! {
    /// Reason why a session ended.
    EndReason {
        Terminated = "terminated",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_of_other_versions_are_kept() {
        for (word, kind) in [("gap", CrashKind::Gap), ("new", CrashKind::Other("new".to_owned()))] {
            let json = format!("\"{word}\"");
            assert_eq!(serde_json::from_str::<CrashKind>(&json).unwrap(), kind);
            assert_eq!(serde_json::to_string(&kind).unwrap(), json);
        }
    }
}
