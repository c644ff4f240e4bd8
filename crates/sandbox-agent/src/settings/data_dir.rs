//! The data directory: where it is, and whether its contents can be trusted. Programs in it are run and `agents.toml`
//! decides what an agent is, so a directory that another user controls is refused.

use super::SettingsError;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Write permission for every user.
const WRITABLE_BY_ALL: u32 = 0o002;
const ROOT: u32 = 0;

/// Returns the directory that was asked for, or the user's own by the XDG rules. It is absolute: agents and sessions
/// run in other directories.
pub(super) fn resolve(
    given: Option<PathBuf>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, SettingsError> {
    let path = given.or_else(|| default(variable)).ok_or(SettingsError::NoDataDir)?;
    let path = std::path::absolute(&path).map_err(|error| SettingsError::DataDir(path, error))?;
    check_owner(&path)?;
    Ok(path)
}

/// There is no fallback to a directory for temporary files: any user could create it first.
fn default(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The XDG rules ignore relative paths.
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    base.map(|base| base.join("sandbox-agent"))
}

fn check_owner(path: &Path) -> Result<(), SettingsError> {
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(SettingsError::DataDir(path.to_owned(), error)),
    };
    if !found.is_dir() {
        return Err(SettingsError::DataDir(path.to_owned(), io::ErrorKind::NotADirectory.into()));
    }
    if found.uid() != rustix::process::geteuid().as_raw() && found.uid() != ROOT {
        return Err(SettingsError::ForeignDataDir(path.to_owned(), found.uid()));
    }
    if found.mode() & WRITABLE_BY_ALL != 0 {
        return Err(SettingsError::SharedDataDir(path.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn with(variables: &[(&str, &str)]) -> Result<PathBuf, SettingsError> {
        resolve(None, |name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_default_is_the_users_own_and_never_a_shared_one() {
        let path = with(&[("XDG_DATA_HOME", "/nonexistent/x"), ("HOME", "/nonexistent/h")]).unwrap();
        assert_eq!(path, Path::new("/nonexistent/x/sandbox-agent"));
        let path = with(&[("XDG_DATA_HOME", "relative"), ("HOME", "/nonexistent/h")]).unwrap();
        assert_eq!(path, Path::new("/nonexistent/h/.local/share/sandbox-agent"));
        for variables in [&[][..], &[("HOME", "")], &[("HOME", "relative"), ("TMPDIR", "/tmp")]] {
            assert!(matches!(with(variables), Err(SettingsError::NoDataDir)), "{variables:?}");
        }
    }

    #[test]
    fn a_relative_directory_becomes_absolute() {
        let path = resolve(Some("nonexistent-data".into()), |_| None).unwrap();
        assert_eq!(path, std::env::current_dir().unwrap().join("nonexistent-data"));
    }

    #[test]
    fn a_directory_that_others_can_change_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        std::fs::create_dir(&path).unwrap();
        assert_eq!(resolve(Some(path.clone()), |_| None).unwrap(), path);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
        let refused = resolve(Some(path.clone()), |_| None);
        assert!(matches!(refused, Err(SettingsError::SharedDataDir(_))), "{refused:?}");
        let file = path.join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(resolve(Some(file), |_| None), Err(SettingsError::DataDir(..))));
    }
}
