//! The platforms of a release, and their names in each packaging system.

use anyhow::{Context, Result};
use std::path::Path;
use std::str::FromStr;

use super::linking;
use crate::shell::Program;

/// A platform that releases have a binary for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Platform {
    LinuxX64,
    LinuxArm64,
    DarwinX64,
    DarwinArm64,
}

use Platform::{DarwinArm64, DarwinX64, LinuxArm64, LinuxX64};

const ALL: [Platform; 4] = [LinuxX64, LinuxArm64, DarwinX64, DarwinArm64];

impl Platform {
    /// Returns the platform that this program runs on.
    pub(crate) fn host() -> Result<Self> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let host = match (os, arch) {
            ("linux", "x86_64") => Some(LinuxX64),
            ("linux", "aarch64") => Some(LinuxArm64),
            ("macos", "x86_64") => Some(DarwinX64),
            ("macos", "aarch64") => Some(DarwinArm64),
            _ => None,
        };
        host.with_context(|| format!("releases have no binary for {os} on {arch}"))
    }

    /// Returns the name in file names, which is also the name that Node.js gives it.
    pub(super) fn name(self) -> &'static str {
        match self {
            LinuxX64 => "linux-x64",
            LinuxArm64 => "linux-arm64",
            DarwinX64 => "darwin-x64",
            DarwinArm64 => "darwin-arm64",
        }
    }

    pub(super) fn debian(self) -> Option<&'static str> {
        match self {
            LinuxX64 => Some("amd64"),
            LinuxArm64 => Some("arm64"),
            DarwinX64 | DarwinArm64 => None,
        }
    }

    /// Returns the wheel tags of a binary without dependencies.
    pub(super) fn wheel(self) -> &'static str {
        match self {
            LinuxX64 => "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
            LinuxArm64 => "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
            DarwinX64 => "macosx_10_12_x86_64",
            DarwinArm64 => "macosx_11_0_arm64",
        }
    }

    /// Returns the wheel tag of a binary that needs the C library of this machine.
    pub(super) fn local_wheel(self) -> &'static str {
        match self {
            LinuxX64 => "linux_x86_64",
            LinuxArm64 => "linux_aarch64",
            DarwinX64 | DarwinArm64 => self.wheel(),
        }
    }

    /// Returns how the shipped binary is built: musl where its standard library is installed, else static glibc.
    /// This is the one place that decides what "static" means.
    pub(super) fn build(self) -> Result<Build> {
        let (musl, glibc) = match self {
            DarwinX64 => return Ok(Build::plain("x86_64-apple-darwin")),
            DarwinArm64 => return Ok(Build::plain("aarch64-apple-darwin")),
            LinuxX64 => ("x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"),
            LinuxArm64 => ("aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"),
        };
        let libraries =
            Program::new("rustc").args(&["--print", "target-libdir", "--target", musl]).output()?;
        let (triple, command) = if Path::new(libraries.trim()).is_dir() {
            // musl's C code (SQLite, ring) needs a C compiler for musl, which zig is.
            (musl, "zigbuild")
        } else {
            (glibc, "build")
        };
        Ok(Build { triple, command, flags: linking::flags(triple) })
    }
}

/// The way in which cargo builds a binary.
pub(super) struct Build {
    pub(super) triple: &'static str,
    pub(super) command: &'static str,
    pub(super) flags: String,
}

impl Build {
    fn plain(triple: &'static str) -> Self {
        Self { triple, command: "build", flags: String::new() }
    }
}

impl FromStr for Platform {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        ALL.into_iter().find(|platform| platform.name() == name).ok_or_else(|| {
            format!("unknown platform '{name}': expected {}", ALL.map(Platform::name).join(", "))
        })
    }
}
