//! Keeps what was placed out of `git status`: lines in the repository's own `info/exclude`, which is not committed.

use sa_disk::read_plain;
use sa_disk::{Durability, write_atomic};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const BEGIN: &str = "# Skills placed by sandbox-agent: begin";
const END: &str = "# Skills placed by sandbox-agent: end";

/// A file of this kind that is longer was not written by people.
const LONGEST: u64 = 1024 * 1024;

/// Files of git's that name a directory are not longer.
const PATH_BYTES: u64 = 8 * 1024;

/// Has git ignore these names in `relative` beneath `cwd`, and no others of ours there. Does nothing outside of a work
/// tree. An error says why it could not.
pub(crate) fn keep_out_of_git(cwd: &Path, relative: &Path, names: &[&str]) -> Result<(), String> {
    let Some(root) = cwd.ancestors().find(|path| fs::symlink_metadata(path.join(".git")).is_ok()) else {
        return Ok(());
    };
    let inner = cwd.strip_prefix(root).unwrap_or(cwd).join(relative);
    let Some(prefix) = pattern(&inner) else {
        return Err(format!("{} cannot be written as a pattern", inner.display()));
    };
    let Some(common) = common_directory(root) else {
        return Err(format!("{} is not a repository of the usual kind", root.join(".git").display()));
    };
    let info = common.join("info");
    let file = info.join("exclude");
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|is| is.is_symlink());
    if is_link(&info) || is_link(&file) {
        return Err(format!("{} is a link", file.display()));
    }
    let said = |error: io::Error| format!("{}: {error}", file.display());
    let before = match read_plain(&file, LONGEST + 1) {
        Ok(bytes) if bytes.len() as u64 > LONGEST => return Err(format!("{} is too long", file.display())),
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| format!("{} is not text", file.display()))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(said(error)),
    };
    let after = with_names(&before, &prefix, names);
    if after == before {
        return Ok(());
    }
    fs::create_dir_all(&info).map_err(said)?;
    write_atomic(&file, after.as_bytes(), 0o666, Durability::Eventual).map_err(|error| error.to_string())
}

/// Returns the text with our lines for this prefix replaced, and everybody else's as they were.
fn with_names(text: &str, prefix: &str, names: &[&str]) -> String {
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    let mut inside = false;
    for line in text.lines() {
        match line {
            BEGIN => inside = true,
            END => inside = false,
            _ if !inside => theirs.push(line.to_owned()),
            _ => ours.push(line.to_owned()),
        }
    }
    let is_here = |line: &String| {
        line.strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix('/'))
            .is_some_and(|rest| !rest.contains('/'))
    };
    ours.retain(|line| !is_here(line));
    ours.extend(names.iter().map(|name| format!("{prefix}/{name}")));
    ours.sort();
    ours.dedup();
    if ours.is_empty() && !text.contains(BEGIN) {
        return text.to_owned();
    }
    let mut lines = theirs;
    if !ours.is_empty() {
        lines.push(BEGIN.to_owned());
        lines.append(&mut ours);
        lines.push(END.to_owned());
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Returns a path as a pattern that matches it and nothing else.
fn pattern(path: &Path) -> Option<String> {
    let mut pattern = String::from("/");
    for c in path.to_str()?.chars() {
        match c {
            '\n' | '\r' | '\0' => return None,
            '\\' | '*' | '?' | '[' | ' ' => pattern.extend(['\\', c]),
            _ => pattern.push(c),
        }
    }
    Some(pattern)
}

/// Returns the directory that all work trees of a repository share.
///
/// `.git` may be a file that names a directory. The author of the files in a work tree could name any, so one is
/// accepted only if it knows of this work tree: it leads back, or is a part of the repository around it.
fn common_directory(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    let kind = fs::symlink_metadata(&dot_git).ok()?.file_type();
    if kind.is_dir() {
        return dot_git.join("HEAD").is_file().then_some(dot_git);
    }
    if !kind.is_file() {
        return None;
    }
    let text = short_text(&dot_git)?;
    let git = fs::canonicalize(root.join(text.trim().strip_prefix("gitdir:")?.trim())).ok()?;
    if !git.join("HEAD").is_file() {
        return None;
    }
    let leads_back = || {
        let back = short_text(&git.join("gitdir"))?;
        Some(fs::canonicalize(git.join(back.trim())).ok()? == fs::canonicalize(&dot_git).ok()?)
    };
    let mut around = root.ancestors().skip(1);
    if around.any(|outer| git.starts_with(outer.join(".git/modules"))) {
        return Some(git);
    }
    if leads_back() != Some(true) {
        return None;
    }
    let common = short_text(&git.join("commondir"))?;
    fs::canonicalize(git.join(common.trim())).ok()
}

/// Returns a file that holds one path.
fn short_text(path: &Path) -> Option<String> {
    String::from_utf8(read_plain(path, PATH_BYTES).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lines_stay_as_they_are() {
        let theirs = "# mine\n*.log\n";
        let one = with_names(theirs, "/.claude/skills", &["b", "a"]);
        assert_eq!(one, format!("{theirs}{BEGIN}\n/.claude/skills/a\n/.claude/skills/b\n{END}\n"));
        let two = with_names(&one, "/sub/.claude/skills", &["c"]);
        let three = with_names(&two, "/.claude/skills", &["b"]);
        assert_eq!(three, format!("{theirs}{BEGIN}\n/.claude/skills/b\n/sub/.claude/skills/c\n{END}\n"));
        assert_eq!(
            with_names(&with_names(&three, "/.claude/skills", &[]), "/sub/.claude/skills", &[]),
            theirs
        );
        assert_eq!(with_names("no end of line", "/x", &[]), "no end of line");
    }

    #[test]
    fn paths_become_patterns_that_match_only_them() {
        assert_eq!(pattern(Path::new("a b/[x]*")).as_deref(), Some("/a\\ b/\\[x]\\*"));
        assert_eq!(pattern(Path::new("a\nb")), None);
    }
}
