//! The files of the CLI and of projects.

use super::core::Disk;
use super::jsonc;
use sa_acp::read_plain_text;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};

/// Files up to this many bytes are shown whole, before and after a change.
const SHOWN: u64 = 256 << 10;

/// The largest file of settings or credentials that is read. Agents can write them.
const READ: u64 = 4 << 20;

/// Directories above a project that are looked at, as the CLI does.
const LEVELS: usize = 100;

/// The real files.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) settings: PathBuf,
    /// The place in which the CLI keeps credentials.
    pub(super) secrets: PathBuf,
}

impl Disk for Files {
    fn is_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path) -> Option<String> {
        read_plain_text(path, SHOWN).ok()
    }

    fn has_login(&self) -> bool {
        let text = read_plain_text(&self.secrets, READ).unwrap_or_default();
        let secrets: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
        secrets
            .iter()
            .any(|(name, key)| name.starts_with("apiKey@") && key.as_str().is_some_and(|key| !key.is_empty()))
    }

    fn settings(&self) -> Result<Map<String, Value>, String> {
        let beside = self.settings.with_extension("jsonc");
        for path in [&self.settings, &beside] {
            let text = match read_plain_text(path, READ) {
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(format!("{}: {error}", path.display())),
            };
            return match jsonc::read(&text) {
                Ok(Value::Object(settings)) => Ok(settings),
                Ok(_) => Err(format!("{}: not an object", path.display())),
                Err(error) => Err(format!("{}: {error}", path.display())),
            };
        }
        Ok(Map::new())
    }

    fn project_rules(&self, cwd: &Path) -> Option<PathBuf> {
        // The CLI looks as far up as the repository goes, and takes the first that it finds.
        for folder in cwd.ancestors().take(LEVELS) {
            let files = ["settings.json", "settings.jsonc"].map(|name| folder.join(".amp").join(name));
            if let Some(file) = files.into_iter().find(|file| file.is_file()) {
                return has_rules(&file).then_some(file);
            }
        }
        None
    }
}

/// A file that cannot be read may hold anything.
fn has_rules(file: &Path) -> bool {
    let settings = read_plain_text(file, READ).ok().and_then(|text| jsonc::read(&text).ok());
    let has = |name: &str| settings.as_ref().is_none_or(|settings| settings.get(name).is_some());
    has("amp.permissions") || has("amp.dangerouslyAllowAll")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn rules_of_a_project_are_found_from_within_it() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, amp) = (folder.path().join("a/b"), folder.path().join("a/.amp"));
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir_all(&amp).unwrap();
        let files = Files { settings: folder.path().join("s.json"), secrets: folder.path().join("x") };
        assert_eq!(files.project_rules(&inner), None);
        for (text, found) in [
            ("{}", false),
            ("{ \"amp.permissions\": [], // mine\n }", true),
            ("{ \"amp.dangerouslyAllowAll\": true }", true),
            ("{ broken", true),
        ] {
            fs::write(amp.join("settings.jsonc"), text).unwrap();
            assert_eq!(files.project_rules(&inner).is_some(), found, "{text}");
        }
    }

    #[test]
    fn credentials_and_settings_are_read_as_the_cli_writes_them() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files { settings: folder.path().join("s.json"), secrets: folder.path().join("x.json") };
        assert_eq!((files.settings().unwrap().len(), files.has_login()), (0, false));
        fs::write(&files.secrets, r#"{"apiKey@https://ampcode.com/":"sgamp_x"}"#).unwrap();
        fs::write(folder.path().join("s.jsonc"), "{\"amp.url\": \"x\", }").unwrap();
        assert!(files.has_login());
        assert_eq!(files.settings().unwrap()["amp.url"], "x");
        fs::write(&files.settings, "[]").unwrap();
        assert!(files.settings().unwrap_err().contains("not an object"));
    }
}
