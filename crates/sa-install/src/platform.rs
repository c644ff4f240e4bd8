//! Which machine this is, as builds of agents are named: system, processor, C library, and whether the processor is old.

use sa_agents::Platform;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Paths of glibc's loader, as its programs name it.
const GLIBC_LOADERS: [&str; 4] = [
    "lib64/ld-linux-x86-64.so.2",
    "lib/ld-linux-x86-64.so.2",
    "lib/ld-linux-aarch64.so.1",
    "lib64/ld-linux-aarch64.so.1",
];
/// The type of the program header that names the loader.
const PT_INTERP: u32 = 3;
/// No loader's path is longer; what claims to be is no program.
const LONGEST_LOADER_PATH: u64 = 4096;

#[cfg(not(all(
    any(target_os = "linux", target_os = "macos"),
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
compile_error!("no agent is built for this target: add it to sa_agents::Platform first");

/// Returns the machine this program runs on.
pub fn detect() -> Platform {
    detect_in(Path::new("/"))
}

/// Detects the platform of a machine whose files are beneath `root`; the processor is still this one.
pub fn detect_in(root: &Path) -> Platform {
    let arm = cfg!(target_arch = "aarch64");
    if cfg!(target_os = "macos") {
        return if arm { Platform::DarwinArm64 } else { Platform::DarwinX64 };
    }
    match (arm, is_musl(root), has_avx2()) {
        (true, false, _) => Platform::LinuxArm64,
        (true, true, _) => Platform::LinuxArm64Musl,
        (false, false, true) => Platform::LinuxX64,
        (false, false, false) => Platform::LinuxX64Baseline,
        (false, true, true) => Platform::LinuxX64Musl,
        (false, true, false) => Platform::LinuxX64BaselineMusl,
    }
}

/// Returns whether the system is built on musl. The shell decides first, because a system may also have the loader of
/// the other library.
fn is_musl(root: &Path) -> bool {
    if let Ok(Some(loader)) = loader_of(&root.join("bin/sh")) {
        return loader.contains("ld-musl-");
    }
    // No shell, or a static one. Without glibc's loader only static programs and those for musl can run.
    !GLIBC_LOADERS.iter().any(|loader| root.join(loader).exists())
}

/// Returns the loader that a program for 64-bit machines names; none if it needs none.
fn loader_of(program: &Path) -> io::Result<Option<String>> {
    let mut file = File::open(program)?;
    let mut header = [0; 64];
    file.read_exact(&mut header)?;
    let [0x7f, b'E', b'L', b'F', 2, 1, ..] = header else {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    };
    let table = number(&header, 32, 8);
    let (entry_size, entries) = (number(&header, 54, 2), number(&header, 56, 2));
    for index in 0..entries {
        file.seek(SeekFrom::Start(table.saturating_add(index * entry_size)))?;
        let mut entry = [0; 56];
        file.read_exact(&mut entry)?;
        if number(&entry, 0, 4) != u64::from(PT_INTERP) {
            continue;
        }
        file.seek(SeekFrom::Start(number(&entry, 8, 8)))?;
        let mut path = Vec::new();
        file.take(number(&entry, 32, 8).min(LONGEST_LOADER_PATH)).read_to_end(&mut path)?;
        return Ok(Some(String::from_utf8_lossy(&path).trim_end_matches('\0').to_owned()));
    }
    Ok(None)
}

/// Returns a little-endian number of `size` bytes at `at`; zero beyond the end.
fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes.iter().skip(at).take(size).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    true
}
