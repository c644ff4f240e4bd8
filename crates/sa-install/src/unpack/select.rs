//! Which entries of an archive are kept, and where they go.

use super::UnpackError;
use crate::limits::{MAX_NAME_BYTES, MAX_PATH_BYTES};
use sa_agents::Unpack;
use std::path::PathBuf;

/// The rules of a recipe, cut into parts.
#[derive(Debug, Default)]
pub(super) struct Selection {
    beneath: Vec<String>,
    only: Vec<Vec<String>>,
    except: Vec<Vec<String>>,
}

impl Selection {
    pub(super) fn new(rules: &Unpack) -> Self {
        let all = |paths: &[String]| paths.iter().map(|path| parts(path)).collect();
        Self { beneath: parts(&rules.beneath), only: all(&rules.only), except: all(&rules.except) }
    }

    pub(super) fn everything() -> Self {
        Self::default()
    }

    /// Returns the destination of an entry; none if it is not kept.
    pub(super) fn place(&self, path: &[&str]) -> Option<PathBuf> {
        let (above, rest) = path.split_at_checked(self.beneath.len())?;
        let fits = |(wanted, found): (&String, &&str)| wanted == "*" || wanted == found;
        let is_beneath = !rest.is_empty() && self.beneath.iter().zip(above).all(fits);
        let within = |prefix: &Vec<String>| {
            rest.len() >= prefix.len() && prefix.iter().zip(rest).all(|(wanted, found)| wanted == found)
        };
        let wanted = self.only.is_empty() || self.only.iter().any(within);
        (is_beneath && wanted && !self.except.iter().any(within)).then(|| rest.iter().collect())
    }
}

fn parts(path: &str) -> Vec<String> {
    path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Returns the parts of an entry's name. A name that could leave the directory is refused, also if the entry is not
/// kept.
pub(super) fn parts_of(name: &[u8]) -> Result<Vec<&str>, UnpackError> {
    let refused = |why: &str| {
        let shown: String = String::from_utf8_lossy(name).chars().take(200).collect();
        UnpackError::Refused(format!("the archive holds {shown:?}, {why}"))
    };
    let text = std::str::from_utf8(name).map_err(|_| refused("which is not a name in UTF-8"))?;
    if text.starts_with('/') {
        return Err(refused("an absolute path"));
    }
    if text.len() > MAX_PATH_BYTES || text.split('/').any(|part| part.len() > MAX_NAME_BYTES) {
        return Err(refused("a name that is too long"));
    }
    if text.contains('\0') {
        return Err(refused("which is not a name"));
    }
    if text.split('/').any(|part| part == "..") {
        return Err(refused("a path that leaves the directory"));
    }
    Ok(text.split('/').filter(|part| !matches!(*part, "" | ".")).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn placed(rules: &Unpack, name: &str) -> Option<String> {
        let place = Selection::new(rules).place(&parts_of(name.as_bytes()).unwrap());
        place.map(|path| path.to_str().unwrap().to_owned())
    }

    #[test]
    fn rules_choose_and_shorten() {
        let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let rules = Unpack {
            beneath: "package/vendor/*".to_owned(),
            only: strings(&[]),
            except: strings(&["res/voice"]),
        };
        assert_eq!(placed(&rules, "package/vendor/x86/bin/codex").as_deref(), Some("bin/codex"));
        assert_eq!(placed(&rules, "./package//vendor/x86/res/voices").as_deref(), Some("res/voices"));
        assert_eq!(placed(&rules, "package/vendor/x86/res/voice/a"), None);
        assert_eq!(placed(&rules, "package/vendor/x86"), None);
        assert_eq!(placed(&rules, "package/README.md"), None);
        let rules = Unpack { only: strings(&["claude", "lib/a"]), ..Unpack::default() };
        assert_eq!(placed(&rules, "claude").as_deref(), Some("claude"));
        assert_eq!(placed(&rules, "lib/a/b").as_deref(), Some("lib/a/b"));
        assert_eq!(placed(&rules, "lib/ab"), None);
        assert_eq!(placed(&rules, "lib"), None);
    }
}
