//! The machines that agents are built for.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An operating system, a processor and, on Linux, a C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Platform {
    /// Linux on x86-64 with glibc.
    LinuxX64,
    /// Linux with glibc on x86-64 without AVX2.
    LinuxX64Baseline,
    /// Linux on x86-64 with musl.
    LinuxX64Musl,
    /// Linux with musl on x86-64 without AVX2.
    LinuxX64BaselineMusl,
    /// Linux on 64-bit ARM with glibc.
    LinuxArm64,
    /// Linux on 64-bit ARM with musl.
    LinuxArm64Musl,
    /// macOS on Apple silicon.
    DarwinArm64,
    /// macOS on Intel.
    DarwinX64,
}

impl Platform {
    /// Every platform.
    pub const ALL: [Self; 8] = [
        Self::LinuxX64,
        Self::LinuxX64Baseline,
        Self::LinuxX64Musl,
        Self::LinuxX64BaselineMusl,
        Self::LinuxArm64,
        Self::LinuxArm64Musl,
        Self::DarwinArm64,
        Self::DarwinX64,
    ];

    /// Returns the name in configuration and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::LinuxX64 => "linux-x64",
            Self::LinuxX64Baseline => "linux-x64-baseline",
            Self::LinuxX64Musl => "linux-x64-musl",
            Self::LinuxX64BaselineMusl => "linux-x64-baseline-musl",
            Self::LinuxArm64 => "linux-arm64",
            Self::LinuxArm64Musl => "linux-arm64-musl",
            Self::DarwinArm64 => "darwin-arm64",
            Self::DarwinX64 => "darwin-x64",
        }
    }

    /// Whose builds run here, the best first. A vendor without builds for old processors means its only build to
    /// run on all of them.
    pub fn runs(self) -> impl Iterator<Item = Self> {
        let newer = match self {
            Self::LinuxX64Baseline => Some(Self::LinuxX64),
            Self::LinuxX64BaselineMusl => Some(Self::LinuxX64Musl),
            _ => None,
        };
        std::iter::once(self).chain(newer)
    }

    /// Returns the key in the ACP registry, which knows no C libraries.
    pub fn registry_key(self) -> &'static str {
        match self {
            Self::LinuxX64 | Self::LinuxX64Baseline | Self::LinuxX64Musl | Self::LinuxX64BaselineMusl => {
                "linux-x86_64"
            }
            Self::LinuxArm64 | Self::LinuxArm64Musl => "linux-aarch64",
            Self::DarwinArm64 => "darwin-aarch64",
            Self::DarwinX64 => "darwin-x86_64",
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
