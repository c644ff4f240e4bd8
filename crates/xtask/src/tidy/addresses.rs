//! Nothing of the machine it was written on: no paths, no package registry.

use super::Finding;
use super::sources::Sources;
use crate::shell::Program;
use anyhow::Result;
use std::path::Path;

/// Folders that exist on machines that build, never in what is built. In halves, not to be found here.
const BUILD_FOLDERS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// The member of npm's lock file that says where a package came from.
const RESOLVED: &str = concat!("\"resol", "ved\": \"http");

pub(super) fn check(sources: &Sources) -> Result<Vec<Finding>> {
    let mut paths: Vec<String> = BUILD_FOLDERS.map(str::to_owned).to_vec();
    let home = std::env::var("HOME").unwrap_or_default();
    // A short root, such as `/src`, would be found in half of all sentences.
    let own = [sources.root.as_path(), Path::new(&home)].into_iter();
    paths.extend(own.filter(|path| path.components().count() > 2).map(|path| path.display().to_string()));
    Ok(judge(sources, &paths, registry().as_deref()))
}

/// Returns the host of the registry that npm is configured to use here; none when npm is absent.
fn registry() -> Option<String> {
    let address = Program::new("npm").args(&["config", "get", "registry"]).output().ok()?;
    let host = address.trim().split_once("://")?.1.split('/').next()?;
    let host = host.rsplit('@').next()?;
    // A bare name, such as `localhost`, is a word like others.
    host.contains(['.', ':']).then(|| host.to_owned())
}

fn judge(sources: &Sources, paths: &[String], registry: Option<&str>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &sources.files {
        for (at, line) in file.text.lines().enumerate() {
            let mut say = |message: String| findings.push(Finding::at(&file.path, at + 1, message));
            if let Some(path) = paths.iter().find(|path| holds_path(line, path)) {
                say(format!("`{path}` is a path of one machine"));
            }
            if registry.is_some_and(|host| line.contains(host)) {
                say("no package registry is named; npm's own configuration says which to use".to_owned());
            }
            if line.contains(RESOLVED) {
                say("a lock file names no registry; set `omit-lockfile-registry-resolved=true`".to_owned());
            }
        }
    }
    findings
}

/// Returns whether the path starts here, and is not the tail of a longer one.
fn holds_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}' | ')' | '*'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_machine_are_found() {
        let path = concat!("/wo", "rk/");
        let text = format!("a/{path}x\nsee {path}main/x\ndir{path}y\n\"{path}z\"\n");
        let sources = Sources::of(&[("a.md", &text)]);
        let places: Vec<_> = judge(&sources, &[path.to_owned()], None).into_iter().map(|f| f.place).collect();
        assert_eq!(places, ["a.md:1", "a.md:2", "a.md:4"]);
    }

    #[test]
    fn registries_are_found() {
        let sources = Sources::of(&[
            ("package-lock.json", concat!("{\n  \"resol", "ved\": \"https://r.example/a.tgz\"\n}\n")),
            ("a.ts", "fetch('https://npm.corp.example/x')\n"),
        ]);
        let found = judge(&sources, &[], Some("npm.corp.example"));
        let places: Vec<_> = found.into_iter().map(|f| f.place).collect();
        assert_eq!(places, ["package-lock.json:2", "a.ts:1"]);
    }
}
