//! Options of the compiler and the linker that make the program that ships smaller.

use crate::shell::Program;
use std::path::{Path, PathBuf};

/// The target whose toolchain comes with LLVM's linker and uses it. zig, which links for musl, takes none of these options.
const WITH_LLD: &str = "x86_64-unknown-linux-gnu";

/// The first C library whose start-up code reads packed relocations.
const PACKED_SINCE: (u32, u32) = (2, 36);

/// Returns rustc's flags for the program that ships.
pub(super) fn flags(triple: &str) -> String {
    let mut flags = vec!["-C target-feature=+crt-static".to_owned()];
    flags.extend(registry().as_deref().map(anonymous_paths).unwrap_or_default());
    if triple.starts_with("x86_64") {
        // Unwind tables shrink by a fifth: with a frame pointer, they need no row for each push and pop. The code does not grow,
        // as addresses relative to the frame pointer are a byte shorter.
        flags.push("-C force-frame-pointers=yes".to_owned());
    }
    if triple == WITH_LLD {
        // Functions and tables with the same bytes are kept once; nothing in the program depends on their addresses.
        flags.push("-C link-arg=-Wl,--icf=all".to_owned());
        if c_library().is_some_and(|version| version >= PACKED_SINCE) {
            // Addresses that the loader has to adjust are listed as bitmaps.
            flags.push("-C link-arg=-Wl,-z,pack-relative-relocs".to_owned());
        }
    }
    flags.join(" ")
}

/// Returns the folder of cargo in which the sources of dependencies lie, one folder for each registry.
fn registry() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    Some(home.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?.join("registry/src"))
}

/// Returns flags that name the sources of dependencies without the folders of this machine, in messages of panics.
fn anonymous_paths(registry: &Path) -> Vec<String> {
    let folders = std::fs::read_dir(registry).into_iter().flatten().flatten();
    let paths = folders.filter_map(|folder| folder.path().into_os_string().into_string().ok());
    // Flags are separated by spaces.
    paths
        .filter(|path| !path.contains(char::is_whitespace))
        .map(|path| format!("--remap-path-prefix={path}/="))
        .collect()
}

/// Returns the version of this machine's glibc, which a static program contains and a dynamic one is started by.
fn c_library() -> Option<(u32, u32)> {
    parse(&Program::new("getconf").args(&["GNU_LIBC_VERSION"]).output().ok()?)
}

/// Reads a line such as `glibc 2.36`.
fn parse(line: &str) -> Option<(u32, u32)> {
    let (major, minor) = line.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(parse("glibc 2.36\n") >= Some(PACKED_SINCE));
        assert!(parse("glibc 2.100\n") > Some(PACKED_SINCE));
        assert!(parse("glibc 2.5\n") < Some(PACKED_SINCE));
        assert_eq!(parse("musl\n"), None);
    }

    #[test]
    fn other_linkers_get_no_options() {
        for triple in ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-gnu"] {
            assert!(!flags(triple).contains("link-arg"), "{}", flags(triple));
        }
    }

    #[test]
    fn sources_of_dependencies_are_named_without_the_folders_above_them() {
        let registry = tempfile::tempdir().unwrap();
        for folder in ["one", "with space"] {
            std::fs::create_dir(registry.path().join(folder)).unwrap();
        }
        let expected = format!("--remap-path-prefix={}/one/=", registry.path().display());
        assert_eq!(anonymous_paths(registry.path()), [expected]);
        assert_eq!(anonymous_paths(&registry.path().join("none")), [] as [String; 0]);
    }
}
