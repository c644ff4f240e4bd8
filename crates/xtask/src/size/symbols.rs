//! Symbols and sections of a program, as binutils print them.

/// The part that sections of code belong to; their functions are looked at one by one.
pub(super) const CODE: &str = "code";
const CONSTANTS: &str = "constants, embedded files";
const UNWINDING: &str = "unwind tables";
const RELOCATED: &str = "data and its relocations";

/// All parts that are not code.
#[cfg(test)]
pub(super) const PARTS: &[&str] = &[CONSTANTS, UNWINDING, RELOCATED];

/// A line of `nm --print-size --radix=d`.
pub(super) struct Symbol<'a> {
    /// Equal for functions that the linker found to be the same and kept once.
    pub(super) address: &'a str,
    pub(super) bytes: u64,
    kind: char,
    pub(super) name: &'a str,
}

impl<'a> Symbol<'a> {
    /// Reads `address size kind name`; lines without a size are of no interest.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.splitn(4, ' ');
        let (address, bytes, kind) = (fields.next()?, fields.next()?, fields.next()?);
        let kind = kind.chars().next()?;
        Some(Self { address, bytes: bytes.parse().ok()?, kind, name: fields.next()? })
    }

    pub(super) fn is_code(&self) -> bool {
        matches!(self.kind, 't' | 'T' | 'w' | 'W')
    }

    /// Returns the crates in a name that the compiler made (version 0): whose function it is, the types it is made
    /// for, and last the crate that needed it. A crate is `C`, perhaps `s` with a number in base 62 up to `_`, then
    /// its name after its length.
    pub(super) fn crates(&self) -> impl Iterator<Item = &'a str> {
        let name = self.name.strip_prefix("_R").unwrap_or_default();
        name.match_indices("Cs").filter_map(|(at, _)| {
            let (_, rest) = name.get(at + 2..)?.split_once('_')?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let length: usize = rest.get(..digits)?.parse().ok()?;
            rest.get(digits..)?.trim_start_matches('_').get(..length)
        })
    }
}

/// A line of `size --format=sysv --radix=10`.
pub(super) struct Section<'a> {
    name: &'a str,
    pub(super) bytes: u64,
}

impl<'a> Section<'a> {
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        let name = fields.next().filter(|name| name.starts_with('.'))?;
        Some(Self { name, bytes: fields.next()?.parse().ok()? })
    }

    /// Returns the part that it belongs to; none for what is not in the shipped file.
    pub(super) fn part(&self) -> Option<&'static str> {
        match self.name {
            ".text" | ".init" | ".fini" | ".plt" | ".plt.got" => Some(CODE),
            ".rodata" => Some(CONSTANTS),
            ".eh_frame" | ".eh_frame_hdr" | ".gcc_except_table" => Some(UNWINDING),
            ".bss" | ".tbss" | ".relro_padding" | ".comment" | ".symtab" | ".strtab" | ".shstrtab" => None,
            debug if debug.starts_with(".debug") => None,
            _ => Some(RELOCATED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_of_a_name_are_found() {
        let line = "0000000001 0000000042 t _RINvNtCs9hVZ_4core3ptr13drop_in_placeNtNtCsa1B_7sa_http5state5StateECs1_13sandbox_agent";
        let symbol = Symbol::parse(line).unwrap();
        assert!(symbol.is_code() && symbol.bytes == 42);
        assert_eq!(symbol.crates().collect::<Vec<_>>(), ["core", "sa_http", "sandbox_agent"]);
        let c = Symbol::parse("0000000001 0000000007 T sqlite3_open").unwrap();
        assert_eq!(c.crates().count(), 0);
        assert!(Symbol::parse("0000000001 T _init").is_none());
    }

    #[test]
    fn sections_that_do_not_ship_do_not_count() {
        let part = |line| Section::parse(line).and_then(|section| section.part());
        assert_eq!(part(".rodata   123   456"), Some(CONSTANTS));
        assert_eq!(part(".debug_line   123   0"), None);
        assert_eq!(part(".got   123   0"), Some(RELOCATED));
        assert_eq!(part("section   size   addr"), None);
    }
}
