//! Detects the kind of a program, and checks that this machine can run it.

use crate::Finding;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const CHECK: &str = "program";

/// Bytes of a file that are read for its head.
const HEAD: usize = 4096;
/// Offsets in an ELF file; see elf(5).
const ELF_MACHINE: usize = 18;
const ELF_TABLE: usize = 32;
const ELF_ENTRY_SIZE: usize = 54;
const ELF_ENTRIES: usize = 56;
const PT_INTERP: u32 = 3;
/// The longest path of a loader that is believed.
const MAX_INTERPRETER: u64 = 4096;

/// The kind of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A Linux program, with its processor's number and the loader it asks for.
    Elf { machine: u16, loader: Option<PathBuf> },
    /// A script, with the program that runs it and its argument.
    Script { interpreter: PathBuf, argument: Option<String> },
    /// Something else; the system knows better.
    Other,
}

pub(crate) fn kind_of(path: &Path) -> io::Result<Kind> {
    let mut file = File::open(path)?;
    let mut head = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    if head.starts_with(b"#!") {
        return Ok(script(&head));
    }
    // 64-bit and little-endian, as all that agents are built for.
    if head.starts_with(b"\x7fELF\x02\x01") {
        return Ok(elf(&mut file, &head)?.unwrap_or(Kind::Other));
    }
    Ok(Kind::Other)
}

fn script(head: &[u8]) -> Kind {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let text = String::from_utf8_lossy(line);
    let mut words = text.trim_start_matches("#!").trim().splitn(2, [' ', '\t']);
    let interpreter = PathBuf::from(words.next().unwrap_or_default());
    let argument = words.next().map(|argument| argument.trim().to_owned());
    Kind::Script { interpreter, argument }
}

fn elf(file: &mut File, head: &[u8]) -> io::Result<Option<Kind>> {
    let Some(machine) = u16_at(head, ELF_MACHINE) else { return Ok(None) };
    let table = (u64_at(head, ELF_TABLE), u16_at(head, ELF_ENTRY_SIZE), u16_at(head, ELF_ENTRIES));
    let (Some(at), Some(size), Some(count)) = table else { return Ok(None) };
    for entry in 0..u64::from(count) {
        let mut header = [0; 56];
        file.seek(SeekFrom::Start(at.saturating_add(entry * u64::from(size))))?;
        file.read_exact(&mut header)?;
        if u32_at(&header, 0) != Some(PT_INTERP) {
            continue;
        }
        let (Some(offset), Some(length)) = (u64_at(&header, 8), u64_at(&header, 32)) else { break };
        file.seek(SeekFrom::Start(offset))?;
        let mut path = Vec::new();
        file.take(length.min(MAX_INTERPRETER)).read_to_end(&mut path)?;
        let path = path.split(|&byte| byte == 0).next().unwrap_or_default();
        let loader = Some(PathBuf::from(String::from_utf8_lossy(path).into_owned()));
        return Ok(Some(Kind::Elf { machine, loader }));
    }
    Ok(Some(Kind::Elf { machine, loader: None }))
}

fn bytes<const N: usize>(data: &[u8], at: usize) -> Option<[u8; N]> {
    data.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    bytes(data, at).map(u16::from_le_bytes)
}

fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    bytes(data, at).map(u32::from_le_bytes)
}

fn u64_at(data: &[u8], at: usize) -> Option<u64> {
    bytes(data, at).map(u64::from_le_bytes)
}

/// The number of this machine's processor in ELF files.
const OWN_MACHINE: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(62)
} else if cfg!(target_arch = "aarch64") {
    Some(183)
} else {
    None
};

/// Checks that this file can run here, by its head. `search` finds a program on `PATH`.
pub(crate) fn examine(path: &Path, agent: &str, search: impl Fn(&str) -> Option<PathBuf>) -> Vec<Finding> {
    let shown = path.display();
    let reinstall = || format!("install it again: sandbox-agent install-agent {agent} --reinstall");
    match path.metadata() {
        Err(error) => return vec![Finding::wrong(CHECK, format!("{shown}: {error}"), reinstall())],
        Ok(about) if about.permissions().mode() & 0o111 == 0 => {
            return vec![Finding::wrong(CHECK, format!("{shown} is not executable"), reinstall())];
        }
        Ok(_) => {}
    }
    match kind_of(path) {
        Err(error) => vec![Finding::wrong(CHECK, format!("{shown}: {error}"), reinstall())],
        Ok(Kind::Elf { machine, .. }) if OWN_MACHINE.is_some_and(|own| own != machine) => {
            let detail = format!("{shown} is built for another processor (ELF machine {machine})");
            vec![Finding::wrong(CHECK, detail, reinstall())]
        }
        Ok(Kind::Elf { loader: Some(loader), .. }) if !loader.exists() => {
            let library = if loader.to_string_lossy().contains("musl") { "musl" } else { "glibc" };
            let detail = format!(
                "{shown} is built for {library}: it needs {}, which this machine does not have",
                loader.display()
            );
            let advice = format!("use an image with {library}, or {}", reinstall());
            vec![Finding::wrong("C library", detail, advice)]
        }
        Ok(Kind::Script { interpreter, argument }) => {
            let mut findings = vec![Finding::fine(CHECK, shown.to_string())];
            findings.push(examine_interpreter(&interpreter, argument.as_deref(), search));
            findings
        }
        Ok(Kind::Elf { .. } | Kind::Other) => vec![Finding::fine(CHECK, shown.to_string())],
    }
}

fn examine_interpreter(
    interpreter: &Path,
    argument: Option<&str>,
    search: impl Fn(&str) -> Option<PathBuf>,
) -> Finding {
    const CHECK: &str = "interpreter";
    let is_env = interpreter.file_name().is_some_and(|name| name == "env");
    // `env -S node --flag` and plain `env node`.
    let named = argument.and_then(|words| words.split_whitespace().find(|word| !word.starts_with('-')));
    let missing = |program: &str, place: &str| {
        let detail = format!("it is run by {program}, which is not {place}");
        Finding::wrong(CHECK, detail, format!("install {program}"))
    };
    match (is_env, named) {
        (true, Some(name)) => match search(name) {
            Some(found) => Finding::fine(CHECK, found.display().to_string()),
            None => missing(name, "on PATH"),
        },
        _ if interpreter.exists() => Finding::fine(CHECK, interpreter.display().to_string()),
        _ => missing(&interpreter.to_string_lossy(), "here"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Verdict;

    fn file(contents: &[u8], mode: u32) -> tempfile::TempPath {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), contents).unwrap();
        std::fs::set_permissions(file.path(), PermissionsExt::from_mode(mode)).unwrap();
        file.into_temp_path()
    }

    /// Returns a program for this processor that asks for a loader.
    fn elf_with(loader: &str, machine: u16) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[18..20].copy_from_slice(&machine.to_le_bytes());
        bytes[32..40].copy_from_slice(&64_u64.to_le_bytes());
        bytes[54..56].copy_from_slice(&56_u16.to_le_bytes());
        bytes[56..58].copy_from_slice(&1_u16.to_le_bytes());
        bytes[64..68].copy_from_slice(&3_u32.to_le_bytes());
        bytes[72..80].copy_from_slice(&120_u64.to_le_bytes());
        bytes[96..104].copy_from_slice(&(loader.len() as u64 + 1).to_le_bytes());
        bytes.extend(loader.as_bytes());
        bytes.push(0);
        bytes
    }

    fn found(contents: &[u8], mode: u32) -> Vec<Finding> {
        examine(&file(contents, mode), "x", |name| (name == "sh").then(|| "/bin/sh".into()))
    }

    #[test]
    fn this_very_program_runs_here() {
        let me = std::env::current_exe().unwrap();
        assert!(examine(&me, "x", |_| None).iter().all(|finding| finding.verdict == Verdict::Fine));
    }

    #[test]
    fn a_foreign_c_library_is_named() {
        let own = OWN_MACHINE.unwrap();
        let musl = found(&elf_with("/lib/ld-musl-nowhere.so.1", own), 0o755);
        assert_eq!(musl[0].check, "C library");
        assert!(musl[0].detail.contains("built for musl: it needs /lib/ld-musl-nowhere.so.1"), "{musl:?}");
        let other = found(&elf_with("/bin/sh", own + 1), 0o755);
        assert!(other[0].detail.contains("another processor"), "{other:?}");
        assert_eq!(found(&elf_with("/bin/sh", own), 0o755)[0].verdict, Verdict::Fine);
    }

    #[test]
    fn a_script_needs_its_interpreter() {
        let verdicts = |text: &str| found(text.as_bytes(), 0o755).last().map(|finding| finding.verdict);
        assert_eq!(verdicts("#!/bin/sh\n"), Some(Verdict::Fine));
        assert_eq!(verdicts("#!/nowhere/sh -e\n"), Some(Verdict::Wrong));
        assert_eq!(verdicts("#!/usr/bin/env -S sh -e\n"), Some(Verdict::Fine));
        assert_eq!(verdicts("#!/usr/bin/env node\n"), Some(Verdict::Wrong));
    }

    #[test]
    fn a_file_without_the_bit_is_no_program() {
        assert!(found(b"#!/bin/sh\n", 0o644)[0].detail.contains("not executable"));
        assert!(examine(Path::new("/nowhere/x"), "x", |_| None)[0].verdict == Verdict::Wrong);
    }

    #[test]
    fn a_cut_header_is_no_reason_to_panic() {
        let whole = elf_with("/lib/x", OWN_MACHINE.unwrap());
        for length in 0..whole.len() {
            let _ = kind_of(&file(&whole[..length], 0o755));
        }
    }
}
