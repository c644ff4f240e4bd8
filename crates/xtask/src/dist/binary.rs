//! Builds the binary that ships, and looks into the header of any binary before it is packaged.

use super::platform::{Build, Platform};
use crate::packages;
use crate::shell::{cargo, target};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// The requirements of a binary on the system it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Linkage {
    /// No files of the system, or on macOS only those that every version has.
    Static,
    /// The dynamic loader and the C library of the machine that built it, or newer ones.
    Dynamic,
}

/// The symbols of a built binary.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Symbols {
    Stripped,
    /// Names that say which crate a generic function was made for. Other flags would build everything again, so this
    /// has a separate folder.
    Readable {
        folder: &'static str,
    },
}

/// Builds the inspector and the binary with the profile `dist`, and returns the binary's path.
pub(crate) fn build(platform: Platform, symbols: Symbols) -> Result<PathBuf> {
    packages::build_inspector()?;
    let Build { triple, command, flags } = platform.build()?;
    // The target is named so that the flags do not reach build scripts and procedural macros.
    let words = ["--locked", "--profile", "dist", "--package", "sandbox-agent", "--target", triple];
    let (flags, strip, folder) = match symbols {
        Symbols::Stripped => (flags, "symbols", target()?),
        Symbols::Readable { folder } => {
            (format!("-C symbol-mangling-version=v0 {flags}"), "none", target()?.join(folder))
        }
    };
    cargo(&[command])
        .args(&words)
        .env("RUSTFLAGS", flags)
        .env("CARGO_PROFILE_DIST_STRIP", strip)
        .env("CARGO_TARGET_DIR", &folder)
        .run()?;
    Ok(folder.join(triple).join("dist/sandbox-agent"))
}

/// ELF: the program header that names a dynamic loader.
const PT_INTERP: u32 = 3;

/// Checks that a binary is for this platform and returns its linkage.
pub(super) fn inspect(bytes: &[u8], platform: Platform) -> Result<Linkage> {
    let header = Header { bytes };
    let (found, linkage) = match header.bytes(0, 4)? {
        [0x7f, b'E', b'L', b'F'] => (elf_machine(header)?, elf_linkage(header)?),
        [0xcf, 0xfa, 0xed, 0xfe] => (mach_machine(header)?, Linkage::Static),
        _ => bail!("not an ELF or Mach-O binary"),
    };
    if found != platform {
        bail!("a binary for {}, not for {}", found.name(), platform.name());
    }
    Ok(linkage)
}

fn elf_machine(header: Header<'_>) -> Result<Platform> {
    match header.half(18)? {
        62 => Ok(Platform::LinuxX64),
        183 => Ok(Platform::LinuxArm64),
        other => bail!("an ELF binary for the unknown machine {other}"),
    }
}

fn elf_linkage(header: Header<'_>) -> Result<Linkage> {
    let table = usize::try_from(header.long(32)?)?;
    let (size, count) = (usize::from(header.half(54)?), usize::from(header.half(56)?));
    for index in 0..count {
        let entry = Header { bytes: header.bytes(table.saturating_add(index * size), size)? };
        if entry.word(0)? == PT_INTERP {
            return Ok(Linkage::Dynamic);
        }
    }
    Ok(Linkage::Static)
}

fn mach_machine(header: Header<'_>) -> Result<Platform> {
    match header.word(4)? {
        0x0100_0007 => Ok(Platform::DarwinX64),
        0x0100_000c => Ok(Platform::DarwinArm64),
        other => bail!("a Mach-O binary for the unknown machine {other:#x}"),
    }
}

/// Little-endian fields of a binary's header.
#[derive(Clone, Copy)]
struct Header<'a> {
    bytes: &'a [u8],
}

impl<'a> Header<'a> {
    fn bytes(self, at: usize, count: usize) -> Result<&'a [u8]> {
        self.bytes.get(at..at.saturating_add(count)).context("the binary is cut off")
    }

    fn half(self, at: usize) -> Result<u16> {
        Ok(u16::from_le_bytes(self.bytes(at, 2)?.try_into()?))
    }

    fn word(self, at: usize) -> Result<u32> {
        Ok(u32::from_le_bytes(self.bytes(at, 4)?.try_into()?))
    }

    fn long(self, at: usize) -> Result<u64> {
        Ok(u64::from_le_bytes(self.bytes(at, 8)?.try_into()?))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Returns an ELF header for a machine with one program header of this type.
    fn elf(machine: u16, kind: u32) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56];
        bytes[..4].copy_from_slice(b"\x7fELF");
        bytes[18..20].copy_from_slice(&machine.to_le_bytes());
        bytes[32..40].copy_from_slice(&64_u64.to_le_bytes());
        bytes[54..56].copy_from_slice(&56_u16.to_le_bytes());
        bytes[56..58].copy_from_slice(&1_u16.to_le_bytes());
        bytes[64..68].copy_from_slice(&kind.to_le_bytes());
        bytes
    }

    #[test]
    fn a_dynamic_loader_makes_a_binary_dynamic() {
        assert_eq!(inspect(&elf(62, PT_INTERP), Platform::LinuxX64).unwrap(), Linkage::Dynamic);
        assert_eq!(inspect(&elf(183, 1), Platform::LinuxArm64).unwrap(), Linkage::Static);
    }

    #[test]
    fn a_binary_of_another_platform_is_refused() {
        let refused = |bytes: &[u8]| inspect(bytes, Platform::LinuxX64).unwrap_err().to_string();
        assert_eq!(refused(&elf(183, 1)), "a binary for linux-arm64, not for linux-x64");
        assert_eq!(refused(b"#!/bin/sh\n"), "not an ELF or Mach-O binary");
        assert_eq!(refused(&elf(62, 1)[..80]), "the binary is cut off");
    }
}
