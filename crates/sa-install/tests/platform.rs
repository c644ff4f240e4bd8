//! Which platform a machine is taken for, by the files it has.
#![allow(clippy::unwrap_used)]

use sa_install::{detect, detect_in};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Returns a 64-bit little-endian ELF file with one program header: one that names the loader, if there is one.
fn elf(loader: Option<&str>) -> Vec<u8> {
    let path = loader.map(|loader| format!("{loader}\0")).unwrap_or_default();
    let mut bytes = vec![0; 64 + 56];
    bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
    bytes[32] = 64;
    bytes[54] = 56;
    bytes[56] = 1;
    bytes[64] = if loader.is_some() { 3 } else { 1 };
    bytes[72] = 64 + 56;
    bytes[96] = u8::try_from(path.len()).unwrap();
    bytes.extend_from_slice(path.as_bytes());
    bytes
}

/// Returns whether a machine with these files counts as one with musl.
fn is_musl(files: &[(&str, Vec<u8>)]) -> bool {
    let root = TempDir::new().unwrap();
    for (path, bytes) in files {
        let file = root.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    detect_in(root.path()).name().ends_with("musl")
}

const GLIBC_LOADER: &str = "lib64/ld-linux-x86-64.so.2";
const MUSL_LOADER: &str = "lib/ld-musl-x86_64.so.1";

#[test]
#[cfg(target_os = "linux")]
fn the_shell_tells_the_c_library() {
    let glibc = elf(Some("/lib64/ld-linux-x86-64.so.2"));
    let musl = elf(Some("/lib/ld-musl-x86_64.so.1"));
    assert!(!is_musl(&[("bin/sh", glibc.clone())]));
    assert!(is_musl(&[("bin/sh", musl.clone())]));
    // Each may have the other's loader, too.
    assert!(!is_musl(&[("bin/sh", glibc), (MUSL_LOADER, vec![])]));
    assert!(is_musl(&[("bin/sh", musl), (GLIBC_LOADER, vec![])]));
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_telling_shell_the_loaders_do() {
    let no_tellers: [Option<Vec<u8>>; 4] =
        [None, Some(elf(None)), Some(b"#!/bin/other".to_vec()), Some(b"\x7fELF\x02\x01cut off".to_vec())];
    for shell in no_tellers {
        let with = |loader: &'static str| {
            let shell = shell.clone().map(|bytes| ("bin/sh", bytes));
            shell.into_iter().chain([(loader, vec![])]).collect::<Vec<_>>()
        };
        assert!(!is_musl(&with(GLIBC_LOADER)), "{shell:?}");
        assert!(is_musl(&with(MUSL_LOADER)), "{shell:?}");
        // An empty image: what is linked to glibc cannot run there.
        assert!(is_musl(&with("etc/hostname")), "{shell:?}");
    }
}

#[test]
fn this_machine_is_one_that_agents_are_built_for() {
    let platform = detect();
    assert_eq!(detect_in(Path::new("/")), platform);
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    assert!(platform.name().starts_with(system), "{platform}");
    assert_eq!(platform.name().contains("arm64"), cfg!(target_arch = "aarch64"), "{platform}");
}
