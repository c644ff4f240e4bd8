//! Files and names that `ARCHITECTURE.md` mentions exist, so the map cannot outlive a rename.

use super::Finding;
use super::sources::Sources;
use anyhow::Result;
use std::collections::HashSet;

const MAP: &str = "ARCHITECTURE.md";

/// Ends of file names.
const ENDINGS: [&str; 8] = [".rs", ".ts", ".toml", ".json", ".md", ".mjs", ".sh", ".css"];

pub(super) fn check(sources: &Sources) -> Result<Vec<Finding>> {
    let names = Names::of(sources);
    let mut findings = Vec::new();
    let mut fenced = false;
    for (at, line) in sources.text(MAP)?.lines().enumerate() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let codes = line.split('`').skip(1).step_by(2);
            let missing = codes.filter(|code| !names.has(code));
            findings.extend(missing.map(|code| Finding::at(MAP, at + 1, format!("there is no `{code}`"))));
        }
    }
    Ok(findings)
}

/// Everything that a mention can refer to.
struct Names<'a> {
    /// Paths of files and folders, also without their first parts.
    paths: HashSet<&'a str>,
    /// Words of the Rust sources and of manifests.
    words: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(sources: &'a Sources) -> Self {
        let mut paths = HashSet::new();
        let mut words = HashSet::new();
        for file in &sources.files {
            let folders = file.path.match_indices('/').filter_map(|(at, _)| file.path.get(..at));
            for path in folders.chain([file.path.as_str()]) {
                let tails = path.match_indices('/').filter_map(|(at, _)| path.get(at + 1..));
                paths.extend(tails.chain([path]));
            }
            if matches!(file.extension(), "rs" | "toml") {
                words.extend(file.text.split(|c: char| !is_word(c)));
            }
        }
        Self { paths, words }
    }

    /// Returns whether a mention names something that exists, or nothing that this rule knows.
    fn has(&self, code: &str) -> bool {
        let is_path = code.contains('/') && code.starts_with(|c: char| c.is_ascii_lowercase());
        let is_file = ENDINGS.iter().any(|ending| code.ends_with(ending));
        if code.contains(['<', '*', ' ', '{', '$', ':']) && !code.contains("::") {
            return true;
        }
        if is_file || (is_path && code.contains("/src")) {
            return self.paths.contains(code.trim_end_matches('/'));
        }
        let is_name = code.chars().all(|c| is_word(c) || c == ':') && code.contains(['_', ':']);
        !is_name || code.split("::").all(|part| self.words.contains(part))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn mentions_of_missing_files_and_names_are_found() {
        let found = |line: &str| {
            let sources =
                Sources::of(&[(MAP, line), ("crates/sa-x/src/a/b.rs", "impl Driver { fn on_event() {} }")]);
            check(&sources).unwrap().len()
        };
        for fine in ["`sa-x/src/a/b.rs`", "`b.rs` and `sa-x/src/a`", "`Driver::on_event`", "`/v1/health`"] {
            assert_eq!(found(fine), 0, "{fine}");
        }
        for missing in ["`sa-x/src/c.rs`", "`c.rs`", "`sa-x/src/c`", "`Driver::on_time`", "`on_time`"] {
            assert_eq!(found(missing), 1, "{missing}");
        }
        assert_eq!(found("```\n`c.rs`\n```"), 0);
    }
}
