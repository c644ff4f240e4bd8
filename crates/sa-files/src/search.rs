//! Searches names and contents for a limited time. The result says where to continue.

mod patterns;
mod resume;

use crate::entry::kind;
use crate::error::{FilesError, Result};
use crate::files::{Files, Located, Shared};
use crate::rules::Rules;
use crate::tree::{Step, Tree, TreeEntry, Visitor};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkMatch};
use patterns::{Content, Name};
pub use resume::{resume_path, resume_text};
use rustix::fs::{Mode, OFlags};
use sa_api::FsEntryType;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bytes of a line that are shown.
const SHOWN_BYTES: usize = 500;
/// Paths and lines of one page of results. A page always has at least one.
const PAGE_BYTES: usize = 16 * 1024 * 1024;

/// The criteria of a search. Without a name and contents everything is found.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// A glob: with a slash for the path from where the search begins, else for the name.
    pub name: Option<String>,
    /// A regular expression for a line.
    pub content: Option<String>,
    /// Take `content` as it is written.
    pub literal: bool,
    /// Capital letters are the same as small ones.
    pub ignore_case: bool,
    /// Also what `.gitignore` and the like exclude.
    pub with_ignored: bool,
    /// At most so many results.
    pub limit: Option<usize>,
    pub after: Option<PathBuf>,
}

/// The results of a search.
#[derive(Debug, Default)]
pub struct Results {
    /// In the order of their paths.
    pub matches: Vec<Hit>,
    /// The start of the next search, if this one did not get to the end.
    pub next: Option<PathBuf>,
    /// Entries that were looked at.
    pub searched: u64,
    /// Files that could not be searched.
    pub skipped: u64,
}

/// An entry, or a line of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub path: PathBuf,
    /// The kind of the file.
    pub kind: FsEntryType,
    /// The line, in a search for contents.
    pub line: Option<MatchedLine>,
    /// The file may have further lines that are not among the results.
    pub more: bool,
}

/// A line with a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedLine {
    pub number: u64,
    /// The start of the first match, in bytes from 1.
    pub column: u64,
    /// The text, without its end, perhaps cut.
    pub text: String,
}

impl Files {
    /// Searches a directory and all below it. Dropping the future ends the search.
    pub async fn search(&self, path: &OsStr, query: Query) -> Result<Results> {
        let located = self.locate(path)?;
        let abandoned = Abandoned::default();
        let flag = Arc::clone(&abandoned.0);
        let slot = self.reserve_search()?;
        let shared = Arc::clone(self.shared());
        let searching = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            search(&shared, &located, &query, flag)
        });
        let results = searching.await;
        drop(abandoned);
        results.unwrap_or_else(|_| {
            Err(FilesError::Io { path: "search".to_owned(), reason: "it ended early".to_owned() })
        })
    }
}

/// Ends the search when nobody waits for it any more.
#[derive(Default)]
struct Abandoned(Arc<AtomicBool>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn search(shared: &Shared, located: &Located, query: &Query, abandoned: Arc<AtomicBool>) -> Result<Results> {
    let limits = &shared.limits;
    let deadline = Instant::now() + Duration::from_millis(limits.search_ms);
    let mut search = Search {
        name: query.name.as_deref().map(|name| Name::new(name, query.ignore_case)).transpose()?,
        content: query.content.as_deref().map(|text| Content::new(text, query, limits)).transpose()?,
        after: query.after.as_deref(),
        most: query.limit.unwrap_or(limits.search_results).min(limits.search_results),
        time: Time { deadline, abandoned },
        entries: limits.search_entries,
        last: None,
        bytes: 0,
        results: Results::default(),
    };
    let tree = Tree::open(shared, &located.beneath, &located.absolute)?;
    let rules = || Rules::above(&shared.root, &located.beneath, &located.absolute);
    tree.walk(shared, (!query.with_ignored).then(rules), &mut search)?;
    Ok(search.results)
}

/// The deadline of a search, and its caller.
struct Time {
    deadline: Instant,
    abandoned: Arc<AtomicBool>,
}

impl Time {
    fn is_up(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }
}

struct Search<'a> {
    name: Option<Name>,
    content: Option<Content>,
    after: Option<&'a Path>,
    most: usize,
    time: Time,
    entries: u64,
    /// The last entry that was searched to its end.
    last: Option<PathBuf>,
    /// Paths and lines among the results.
    bytes: usize,
    results: Results,
}

impl Visitor for Search<'_> {
    fn entry(&mut self, found: &TreeEntry<'_>) -> Result<Step> {
        let is_dir = kind(found.stat) == FsEntryType::Directory;
        if let Some(after) = self.after
            && found.path <= after
        {
            // Entries below an earlier directory come earlier, too.
            return Ok(if is_dir && after.starts_with(found.path) { Step::On } else { Step::Past });
        }
        if self.is_over() {
            return Ok(self.stop());
        }
        self.results.searched += 1;
        if self.name.as_ref().is_none_or(|name| name.fits(found)) {
            self.look(found);
        }
        self.last = Some(found.path.to_owned());
        Ok(Step::On)
    }

    fn excluded(&mut self, path: &Path) -> Step {
        if self.after.is_some_and(|after| path <= after) {
            return Step::Past;
        }
        if self.is_over() {
            return self.stop();
        }
        self.last = Some(path.to_owned());
        Step::Past
    }

    fn unreadable(&mut self, _: &Path, _: FilesError) -> Result<()> {
        self.results.skipped += 1;
        Ok(())
    }
}

impl Search<'_> {
    /// At least one entry is always searched, so that the next page begins further on.
    fn is_over(&self) -> bool {
        self.last.is_some()
            && (self.results.matches.len() >= self.most
                || self.results.searched >= self.entries
                || self.bytes >= PAGE_BYTES
                || self.time.is_up())
    }

    fn stop(&mut self) -> Step {
        self.results.next = self.last.clone().or_else(|| self.after.map(Path::to_owned));
        Step::Stop
    }

    fn look(&mut self, found: &TreeEntry<'_>) {
        let (path, kind) = (found.path.to_owned(), kind(found.stat));
        let Some(content) = &mut self.content else {
            self.bytes += path.as_os_str().len();
            self.results.matches.push(Hit { path, kind, line: None, more: false });
            return;
        };
        if kind != FsEntryType::File {
            return;
        }
        // A page ends between files; one with very many lines is cut, as the page is full then.
        let mut lines = Lines {
            matcher: &content.matcher,
            most: self.most,
            room: PAGE_BYTES.saturating_sub(self.bytes),
            path_bytes: path.as_os_str().len(),
            time: &self.time,
            lines: Vec::new(),
            is_cut: false,
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let searched = rustix::fs::openat(found.dir, found.name, flags, Mode::empty())
            .map_err(io::Error::from)
            .and_then(|fd| {
                let reader = Timed { file: File::from(fd), time: &self.time };
                content.searcher.search_reader(&content.matcher, reader, &mut lines)
            });
        if searched.is_err() {
            self.results.skipped += 1;
        }
        let Lines { lines, is_cut, .. } = lines;
        for line in lines {
            self.bytes += path.as_os_str().len() + line.text.len();
            self.results.matches.push(Hit { path: path.clone(), kind, line: Some(line), more: false });
        }
        let ran_out = matches!(&searched, Err(error) if error.kind() == io::ErrorKind::TimedOut);
        if (is_cut || ran_out)
            && let Some(last) = self.results.matches.last_mut().filter(|last| last.path == path)
        {
            last.more = true;
        }
    }
}

/// A file that is read for as long as the search may take. One file can take longer than all others together.
struct Timed<'a> {
    file: File,
    time: &'a Time,
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.time.is_up() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the search took too long"));
        }
        self.file.read(buffer)
    }
}

/// Collects the lines of one file.
struct Lines<'a> {
    matcher: &'a RegexMatcher,
    most: usize,
    room: usize,
    path_bytes: usize,
    time: &'a Time,
    lines: Vec<MatchedLine>,
    /// There may be more of them.
    is_cut: bool,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let bytes = found.bytes().trim_ascii_end();
        let start = self.matcher.find(found.bytes()).ok().flatten().map_or(0, |place| place.start());
        let shown = bytes.get(..SHOWN_BYTES).unwrap_or(bytes);
        let text = String::from_utf8_lossy(shown).into_owned();
        self.room = self.room.saturating_sub(self.path_bytes + text.len());
        self.lines.push(MatchedLine {
            number: found.line_number().unwrap_or_default(),
            column: start as u64 + 1,
            text,
        });
        self.is_cut = self.lines.len() >= self.most || self.room == 0 || self.time.is_up();
        Ok(!self.is_cut)
    }
}
