//! Where transcripts are.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Characters of a folder's name that the CLI takes from the path as they are.
const MAX_SLUG: usize = 200;

/// The name of the folder in which the CLI keeps the sessions of `cwd`: every UTF-16 unit that is no ASCII letter or digit
/// becomes `-`; a long name is cut, and a hash of the path is appended.
pub(super) fn slug(cwd: &Path) -> String {
    let path = cwd.to_string_lossy();
    let plain = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric).map_or('-', char::from);
    let name: String = path.encode_utf16().map(plain).collect();
    if name.len() <= MAX_SLUG {
        return name;
    }
    let hash = path.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
    let cut: String = name.chars().take(MAX_SLUG).collect();
    format!("{cut}-{}", base36(hash.unsigned_abs()))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// Returns where the CLI keeps all sessions.
pub(super) fn projects(config: &Path) -> PathBuf {
    config.join("projects")
}

/// The folder of the sessions of `cwd`. The CLI resolves links first.
pub(super) fn project(config: &Path, cwd: &Path) -> PathBuf {
    let resolved = fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    projects(config).join(slug(&resolved))
}

/// Every folder of sessions.
pub(super) fn all_projects(config: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(projects(config)).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The transcript of a session, looked for among those of `cwd` first.
pub(crate) fn find(config: &Path, id: &str, cwd: Option<&Path>) -> Option<PathBuf> {
    let name = is_session_id(id).then(|| format!("{id}.jsonl"))?;
    let near = cwd.map(|cwd| project(config, cwd)).into_iter();
    near.chain(all_projects(config)).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// Sessions have UUIDs; anything else, which a client may have made up, could name a file elsewhere.
pub(crate) fn is_session_id(id: &str) -> bool {
    id.len() == 36 && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Removes what the CLI keeps of a session. A session that does not exist is gone already.
pub(crate) fn delete(config: &Path, id: &str) -> io::Result<()> {
    while let Some(path) = find(config, id, None) {
        remove_folder(&path.with_extension(""))?;
        fs::remove_file(&path)?;
    }
    if is_session_id(id) { remove_folder(&config.join("tasks").join(id)) } else { Ok(()) }
}

fn remove_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(error)
        }
        _ => Ok(()),
    }
}
