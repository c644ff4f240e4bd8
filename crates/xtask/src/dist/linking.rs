//! Options of the linker that make the program that ships smaller.

use crate::shell::Program;

/// The target whose toolchain comes with LLVM's linker and uses it. zig, which links for musl, takes none of these options.
const WITH_LLD: &str = "x86_64-unknown-linux-gnu";

/// The first C library whose start-up code reads packed relocations.
const PACKED_SINCE: (u32, u32) = (2, 36);

/// Returns rustc's flags for linking the program that ships.
///
/// Functions and tables with the same bytes are kept once; nothing in the program depends on their addresses. Addresses that
/// the loader has to adjust are listed as bitmaps.
pub(super) fn flags(triple: &str) -> String {
    if triple != WITH_LLD {
        return String::new();
    }
    let mut flags = String::from("-C link-arg=-Wl,--icf=all");
    if c_library().is_some_and(|version| version >= PACKED_SINCE) {
        flags.push_str(" -C link-arg=-Wl,-z,pack-relative-relocs");
    }
    flags
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
        assert_eq!(flags("x86_64-unknown-linux-musl"), "");
        assert_eq!(flags("aarch64-apple-darwin"), "");
    }
}
