//! The pages of the program's own file: its code and its constants.
//!
//! The kernel maps 64 KiB around each page that a program touches, so a start leaves most of the program mapped. Such pages
//! are copies of the file that the system may drop when memory is short, but they count as resident until then.

use std::ops::Range;

/// Resident bytes of the program that are worth giving up. Less than that is in use again after a few requests.
const WORTH_RELEASING: usize = 4 << 20;

/// Unmaps the program's unchanged pages if many are mapped. Those that are used again are mapped from the page cache: some
/// hundred page faults of about a microsecond each.
pub(super) fn release() {
    let Some(mappings) = unchanged() else { return };
    if mappings.iter().map(|mapping| mapping.resident).sum::<usize>() < WORTH_RELEASING {
        return;
    }
    for Mapping { addresses, .. } in mappings {
        let start = std::ptr::without_provenance_mut(addresses.start);
        // SAFETY: the mapping is private and of a file, cannot be written to, and no page of it differs from the file. A page
        // that is touched again has the same content as before. The file cannot change either while it is being executed.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(start, addresses.len(), libc::MADV_DONTNEED);
        }
    }
}

/// A part of the program's file in memory.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    addresses: Range<usize>,
    resident: usize,
}

/// Returns the mappings of the program that cannot be written to and that equal the file. Constants that hold addresses are
/// not among them: the loader has changed those.
fn unchanged() -> Option<Vec<Mapping>> {
    let program = std::fs::read_link("/proc/self/exe").ok()?;
    Some(parse(&std::fs::read_to_string("/proc/self/smaps").ok()?, program.to_str()?))
}

/// Reads the format of `/proc/PID/smaps`: a line with addresses, rights and the file's path, then one line for each number.
fn parse(smaps: &str, program: &str) -> Vec<Mapping> {
    let mut mappings = Vec::new();
    let mut current: Option<Mapping> = None;
    for line in smaps.lines() {
        let Some((name, value)) = line.split_once(':').filter(|(name, _)| !name.contains(' ')) else {
            current = header(line, program);
            continue;
        };
        let Some(mapping) = &mut current else { continue };
        let kib = value.trim().strip_suffix(" kB").and_then(|number| number.parse::<usize>().ok());
        match (name, kib) {
            ("Rss", Some(kib)) => mapping.resident = kib << 10,
            // The number of pages that differ from the file comes after that of resident ones.
            ("Anonymous", Some(0)) => mappings.extend(current.take()),
            _ => {}
        }
    }
    mappings
}

/// The mapping that a header describes, if it is of the program and cannot be written to.
fn header(line: &str, program: &str) -> Option<Mapping> {
    let (addresses, rest) = line.split_once(' ')?;
    let (rights, rest) = rest.split_once(' ')?;
    let is_private_copy = rights.starts_with('r') && !rights.contains('w') && rights.ends_with('p');
    if !is_private_copy || !rest.trim_end().ends_with(program) {
        return None;
    }
    let (start, end) = addresses.split_once('-')?;
    let addresses = usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?;
    Some(Mapping { addresses, resident: 0 })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SMAPS: &str = "\
1000-3000 r--p 00000000 fe:00 7                      /opt/sandbox agent
Size:                  8 kB
Rss:                   4 kB
Anonymous:             0 kB
VmFlags: rd mr mw me sd
3000-9000 r-xp 00002000 fe:00 7                      /opt/sandbox agent
Rss:                  24 kB
Anonymous:             0 kB
9000-a000 r--p 00008000 fe:00 7                      /opt/sandbox agent
Rss:                   4 kB
Anonymous:             4 kB
a000-b000 rw-p 00009000 fe:00 7                      /opt/sandbox agent
Rss:                   4 kB
Anonymous:             0 kB
b000-c000 r-xp 00000000 fe:00 8                      /usr/lib/libc.so.6
Rss:                   4 kB
Anonymous:             0 kB
c000-d000 rw-p 00000000 00:00 0
Rss:                   4 kB
Anonymous:             0 kB
";

    #[test]
    fn only_unchanged_read_only_parts_of_the_program_are_released() {
        let expected = [(0x1000..0x3000, 4 << 10), (0x3000..0x9000, 24 << 10)];
        let expected = expected.map(|(addresses, resident)| Mapping { addresses, resident });
        assert_eq!(parse(SMAPS, "/opt/sandbox agent"), expected);
    }

    #[test]
    fn a_program_runs_on_after_its_pages_were_released() {
        let resident = || unchanged().unwrap().iter().map(|mapping| mapping.resident).sum::<usize>();
        // Touches all of it, as a start touches most of a smaller program.
        let pages = unchanged().unwrap().into_iter().flat_map(|mapping| mapping.addresses.step_by(4096));
        let sum = pages.fold(0_u64, |sum, address| {
            let byte = std::ptr::with_exposed_provenance::<u8>(address);
            // SAFETY: the address is in a readable mapping that stays.
            #[allow(unsafe_code)]
            unsafe {
                sum + u64::from(byte.read_volatile())
            }
        });
        let before = resident();
        assert!(sum > 0 && before > WORTH_RELEASING, "{before}");
        release();
        let after = resident();
        assert!(after < before / 2, "{before} bytes, then {after}");
    }
}
