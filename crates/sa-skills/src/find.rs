//! Skills in a directory: which there are, what they are called, which are asked for.

use crate::SkillsError;
use crate::error::Result;
use crate::limits::{
    FRONT_MATTER_BYTES, NAME_CHARS, SEARCH_DEPTH, SEARCH_DIRECTORIES, SEARCH_ENTRIES, SEARCH_WARNINGS,
};
use sa_disk::{at, read_plain};
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file that makes a directory a skill.
const MARK: &str = "SKILL.md";

/// Directories that hold other people's files.
const PASSED_OVER: [&str; 2] = [".git", "node_modules"];

/// A directory to search.
#[derive(Debug)]
pub(crate) struct SearchRoot<'a> {
    /// The source, for people.
    pub(crate) origin: &'a str,
    /// The bounds of the search.
    pub(crate) root: &'a Path,
    pub(crate) subpath: &'a Path,
    /// Links in the root that led out of it and are gone.
    pub(crate) dropped_links: &'a [String],
    /// Links that lead here are ours, and not the source's.
    pub(crate) home: &'a Path,
}

/// A directory with a `SKILL.md`.
#[derive(Debug, Clone)]
pub(crate) struct Skill {
    /// The name for agents; none if neither its front matter nor its directory has a usable one.
    name: Option<String>,
    inner: PathBuf,
    has_description: bool,
}

/// A skill that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) name: String,
    pub(crate) inner: PathBuf,
}

/// Returns the skills of a place, narrowed down to `only` unless that is empty. Warnings are added to `warnings`.
pub(crate) fn find(
    place: &SearchRoot<'_>,
    only: &[String],
    warnings: &mut Vec<String>,
) -> Result<Vec<Chosen>> {
    let skills = place.search(warnings)?;
    if skills.is_empty() {
        return Err(SkillsError::NoSkills { origin: place.origin.to_owned() });
    }
    let mut chosen: Vec<Chosen> = Vec::new();
    for skill in place.choose(&skills, only)? {
        let Some(name) = skill.name.clone() else {
            let directory = format!("{:?}", skill.inner);
            return Err(SkillsError::Name { origin: place.origin.to_owned(), directory });
        };
        place.refuse_dropped_links(&skill.inner)?;
        if let Some(other) = chosen.iter().find(|other| other.name == name) {
            let of = |inner: &Path| format!("{} in {inner:?}", place.origin);
            return Err(SkillsError::SameName { name, first: of(&other.inner), second: of(&skill.inner) });
        }
        if !skill.has_description {
            let origin = place.origin;
            warnings.push(format!(
                "{origin}: the skill `{name}` has no `description` in its front matter, without which agents may ignore it"
            ));
        }
        chosen.push(Chosen { name, inner: skill.inner.clone() });
    }
    Ok(chosen)
}

impl SearchRoot<'_> {
    /// Returns all skills, nearest first. There are none inside of another.
    fn search(&self, warnings: &mut Vec<String>) -> Result<Vec<Skill>> {
        let root = fs::canonicalize(self.root).map_err(at(self.root))?;
        let start = self.start(&root)?;
        let mut search = Search::new(self, &root, start);
        let mut skills = Vec::new();
        while let Some((directory, depth)) = search.left.pop_front() {
            match self.read(&root, &directory) {
                Some(skill) => skills.push(skill),
                None => search.descend(&directory, depth)?,
            }
        }
        warnings.append(&mut search.warnings);
        if search.is_cut {
            let origin = self.origin;
            warnings.push(format!(
                "{origin}: only {SEARCH_DIRECTORIES} directories with {SEARCH_ENTRIES} entries were searched; `subpath` says where to look"
            ));
        }
        Ok(skills)
    }

    fn start(&self, root: &Path) -> Result<PathBuf> {
        let wrong = |reason| {
            let (origin, subpath) = (self.origin.to_owned(), self.subpath.display().to_string());
            Err(SkillsError::Subpath { origin, subpath, reason })
        };
        match fs::canonicalize(root.join(self.subpath)) {
            Ok(start) if !start.starts_with(root) => Err(self.leads_out(self.subpath.display().to_string())),
            Ok(start) if start.is_dir() => Ok(start),
            Ok(_) => wrong("is not a directory"),
            Err(_) => {
                let through = |link: &&String| self.subpath.starts_with(link);
                match self.dropped_links.iter().find(through) {
                    Some(link) => Err(self.leads_out(link.clone())),
                    None => wrong("does not exist in the source"),
                }
            }
        }
    }

    /// Returns the skill in a directory, if it is one.
    fn read(&self, root: &Path, directory: &Path) -> Option<Skill> {
        let file = fs::canonicalize(directory.join(MARK)).ok().filter(|file| file.starts_with(root))?;
        let front_matter = read_front_matter(&file).ok()?;
        let inner = directory.strip_prefix(root).ok()?.to_owned();
        let named = [field(&front_matter, "name"), own_name(directory, &inner)].into_iter().flatten();
        let name = named.into_iter().find(|name| is_name(name));
        let has_description = field(&front_matter, "description").is_some();
        Some(Skill { name, inner, has_description })
    }

    fn choose<'s>(&self, skills: &'s [Skill], only: &[String]) -> Result<Vec<&'s Skill>> {
        if only.is_empty() {
            return Ok(skills.iter().collect());
        }
        let mut chosen: Vec<&Skill> = Vec::new();
        for wanted in only {
            let is_it = |skill: &&Skill| {
                skill.name.as_ref() == Some(wanted) || skill.inner.file_name() == Some(wanted.as_ref())
            };
            let mut found = skills.iter().filter(is_it).peekable();
            if found.peek().is_none() {
                let mut known: Vec<String> = skills.iter().filter_map(|skill| skill.name.clone()).collect();
                known.sort();
                known.dedup();
                let (origin, name) = (self.origin.to_owned(), wanted.clone());
                return Err(SkillsError::NoSuchSkill { origin, name, known });
            }
            for skill in found {
                if !chosen.iter().any(|other| other.inner == skill.inner) {
                    chosen.push(skill);
                }
            }
        }
        Ok(chosen)
    }

    /// Refuses a skill with dropped links: it is not what its author meant.
    fn refuse_dropped_links(&self, skill: &Path) -> Result<()> {
        match self.dropped_links.iter().find(|link| Path::new(link).starts_with(skill)) {
            Some(link) => Err(self.leads_out(link.clone())),
            None => Ok(()),
        }
    }

    fn leads_out(&self, link: String) -> SkillsError {
        SkillsError::LeadsOut { origin: self.origin.to_owned(), link }
    }
}

/// A search under way.
struct Search<'a> {
    place: &'a SearchRoot<'a>,
    root: &'a Path,
    seen: BTreeSet<PathBuf>,
    /// Directories to look at, each with its depth.
    left: VecDeque<(PathBuf, usize)>,
    /// Entries that may still be looked at.
    entries: usize,
    /// Directories were left out because there are too many.
    is_cut: bool,
    warnings: Vec<String>,
}

impl<'a> Search<'a> {
    fn new(place: &'a SearchRoot<'a>, root: &'a Path, start: PathBuf) -> Self {
        Self {
            place,
            root,
            seen: BTreeSet::from([start.clone()]),
            left: VecDeque::from([(start, 0)]),
            entries: SEARCH_ENTRIES,
            is_cut: false,
            warnings: Vec::new(),
        }
    }

    /// Queues the directories in a directory.
    fn descend(&mut self, directory: &Path, depth: usize) -> Result<()> {
        if depth == SEARCH_DEPTH {
            return Ok(());
        }
        let (found, looked) = match subdirectories(directory, self.entries) {
            Ok(found) => found,
            // One closed directory must not take the other skills away. The start is all that was asked for.
            Err(error) if depth > 0 => {
                self.warn(&format!("{} cannot be read and is left out: {error}", directory.display()));
                return Ok(());
            }
            Err(error) => return Err(at(directory)(error).into()),
        };
        self.entries -= looked;
        self.is_cut |= self.entries == 0;
        for path in found {
            self.queue(&path, depth + 1);
        }
        Ok(())
    }

    /// Queues a directory, or the one that a link leads to.
    fn queue(&mut self, path: &Path, depth: usize) {
        // Many links lead to files, such as that from `CLAUDE.md` to `AGENTS.md`.
        let Some(real) = fs::canonicalize(path).ok().filter(|real| real.is_dir()) else { return };
        if !real.starts_with(self.root) {
            self.warn_of_way_out(path, &real);
        } else if self.seen.len() == SEARCH_DIRECTORIES {
            self.is_cut = true;
        } else if self.seen.insert(real.clone()) {
            self.left.push_back((real, depth));
        }
    }

    /// Warns of a link that leads out of the source to a skill.
    fn warn_of_way_out(&mut self, link: &Path, real: &Path) {
        if !real.starts_with(self.place.home) && real.join(MARK).is_file() {
            self.warn(&format!(
                "{} is a link that leads out of the source and is left out; name where it leads as a source of its own",
                link.display()
            ));
        }
    }

    fn warn(&mut self, warning: &str) {
        if self.warnings.len() < SEARCH_WARNINGS {
            self.warnings.push(format!("{}: {warning}", self.place.origin));
        }
    }
}

/// Directories and links in a directory, by name, and how many entries were looked at: at most so many.
fn subdirectories(directory: &Path, most: usize) -> io::Result<(Vec<PathBuf>, usize)> {
    let (mut found, mut looked) = (Vec::new(), 0);
    for entry in fs::read_dir(directory)?.take(most) {
        let entry = entry?;
        looked += 1;
        let kind = entry.file_type()?;
        let passed_over = PASSED_OVER.iter().any(|name| entry.file_name() == *name);
        if (kind.is_dir() || kind.is_symlink()) && !passed_over {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok((found, looked))
}

/// Returns the directory's name. A root has one only where people gave it one: the cache's have not.
fn own_name(directory: &Path, inner: &Path) -> Option<String> {
    let named = if inner.as_os_str().is_empty() { directory } else { inner };
    let name = named.file_name()?.to_str()?;
    let is_commit = inner.as_os_str().is_empty() && name.len() >= 40;
    (!is_commit).then(|| name.to_owned())
}

/// Returns whether a directory may have this name: not hidden, not climbing, not like an option.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    name.len() <= NAME_CHARS
        && name.chars().all(plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Returns the lines between the two marks at the beginning of a file; none if it does not begin with one.
fn read_front_matter(file: &Path) -> io::Result<Vec<String>> {
    Ok(front_matter(&read_plain(file, FRONT_MATTER_BYTES)?))
}

fn front_matter(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim_end);
    if lines.next() != Some("---") {
        return Vec::new();
    }
    lines.take_while(|line| *line != "---").map(str::to_owned).collect()
}

/// Panics unless a name that is taken from these bytes, as a `SKILL.md`, is one plain name of a directory.
#[cfg(feature = "testing")]
pub fn names_are_plain(data: &[u8]) {
    let lines = front_matter(data);
    let value = field(&lines, "description");
    assert!(value.is_none_or(|value| !value.is_empty() && !value.contains('\n')));
    let Some(name) = field(&lines, "name").filter(|name| is_name(name)) else { return };
    let mut parts = Path::new(&name).components();
    assert!(matches!(parts.next(), Some(std::path::Component::Normal(part)) if part == name.as_str()));
    assert_eq!(parts.next(), None);
}

/// Returns the value of a field: of one line, or that it has more.
fn field(front_matter: &[String], name: &str) -> Option<String> {
    let values = front_matter.iter().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let value = values.into_iter().next()?.trim();
    let quoted = |mark: char| value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn fields_are_read_as_people_write_them() {
        let front = lines("name: review\ndescription: \"a: b\"\nempty:\nlong: >\n  more\nnames: no");
        assert_eq!(field(&front, "name").as_deref(), Some("review"));
        assert_eq!(field(&front, "description").as_deref(), Some("a: b"));
        assert_eq!(field(&front, "empty"), None);
        assert_eq!(field(&front, "long").as_deref(), Some(">"));
        assert_eq!(field(&front, "absent"), None);
        assert_eq!(field(&lines("name: 'it'"), "name").as_deref(), Some("it"));
    }

    #[test]
    fn names_are_names_of_directories() {
        for good in ["review", "pdf-2", "a.b_c", "X"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", ".", "..", ".git", "-x", "a/b", "../a", "a b", "a\0", "ä", &"x".repeat(65)] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}
