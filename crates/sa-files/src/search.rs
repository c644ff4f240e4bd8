//! Searching for names and contents. A search looks for so long and no longer, and says where to go on.

use crate::entry::{Kind, kind};
use crate::error::FilesError;
use crate::files::{Files, Located, Shared};
use crate::limits::FilesLimits;
use crate::rules::Rules;
use crate::tree::{Found, Step, Tree, Visitor};
use globset::{GlobBuilder, GlobMatcher};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use rustix::fs::{Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is shown of a line.
const SHOWN_BYTES: usize = 500;
/// Size of the automaton that a pattern may need.
const PATTERN_BYTES: usize = 10 * 1024 * 1024;

/// What is sought. Without a name and contents everything is found.
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
    /// Only what comes after this path.
    pub after: Option<PathBuf>,
}

/// The results of a search.
#[derive(Debug, Default)]
pub struct Results {
    /// In the order of their paths.
    pub matches: Vec<Hit>,
    /// Where the next search goes on, if this one did not get to the end.
    pub next: Option<PathBuf>,
    /// Entries that were looked at.
    pub searched: u64,
    /// Files that could not be searched.
    pub skipped: u64,
}

/// An entry, or a line of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// The line, in a search for contents.
    pub line: Option<Line>,
    /// The file may have further lines that are not among the results.
    pub more: bool,
}

/// A line with a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: u64,
    /// Where the first match begins, in bytes from 1.
    pub column: u64,
    /// Its text, without its end, perhaps cut.
    pub text: String,
}

impl Files {
    /// Searches a directory and all below it. Dropping the future ends the search.
    pub async fn search(&self, path: &OsStr, query: Query) -> Result<Results, FilesError> {
        let located = self.locate(path)?;
        let abandoned = Abandoned::default();
        let flag = Arc::clone(&abandoned.0);
        let seat = self.seat_search()?;
        let shared = Arc::clone(self.shared());
        let searching = tokio::task::spawn_blocking(move || {
            let _seat = seat;
            search(&shared, &located, &query, flag)
        });
        let results = searching.await;
        drop(abandoned);
        results.unwrap_or_else(|_| {
            Err(FilesError::Io { path: "search".to_owned(), reason: "it ended early".to_owned() })
        })
    }
}

/// Tells the search when nobody waits for it any more.
#[derive(Default)]
struct Abandoned(Arc<AtomicBool>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn search(
    shared: &Shared,
    located: &Located,
    query: &Query,
    abandoned: Arc<AtomicBool>,
) -> Result<Results, FilesError> {
    let limits = &shared.limits;
    let mut search = Search {
        name: query.name.as_deref().map(|name| Name::new(name, query.ignore_case)).transpose()?,
        content: query.content.as_deref().map(|text| Content::new(text, query, limits)).transpose()?,
        after: query.after.as_deref(),
        most: query.limit.unwrap_or(limits.search_results).min(limits.search_results),
        deadline: Instant::now() + Duration::from_millis(limits.search_ms),
        entries: limits.search_entries,
        abandoned,
        last: None,
        results: Results::default(),
    };
    let tree = Tree::open(shared, &located.beneath, &located.absolute)?;
    let rules = || Rules::above(&shared.root, &located.beneath, &located.absolute);
    tree.walk(shared, (!query.with_ignored).then(rules), &mut search)?;
    Ok(search.results)
}

struct Search<'a> {
    name: Option<Name>,
    content: Option<Content>,
    after: Option<&'a Path>,
    most: usize,
    deadline: Instant,
    entries: u64,
    abandoned: Arc<AtomicBool>,
    /// The last entry that was searched to its end.
    last: Option<PathBuf>,
    results: Results,
}

impl Visitor for Search<'_> {
    fn entry(&mut self, found: &Found<'_>) -> Result<Step, FilesError> {
        let is_dir = kind(found.stat) == Kind::Directory;
        if let Some(after) = self.after
            && found.path <= after
        {
            // What is below an earlier directory comes earlier, too.
            return Ok(if is_dir && after.starts_with(found.path) { Step::On } else { Step::Past });
        }
        if self.is_over() {
            self.results.next = self.last.clone().or_else(|| self.after.map(Path::to_owned));
            return Ok(Step::Stop);
        }
        self.results.searched += 1;
        if self.name.as_ref().is_none_or(|name| name.fits(found)) {
            self.look(found);
        }
        self.last = Some(found.path.to_owned());
        Ok(Step::On)
    }

    fn unreadable(&mut self, _: FilesError) -> Result<(), FilesError> {
        self.results.skipped += 1;
        Ok(())
    }
}

impl Search<'_> {
    /// At least one entry is always searched, so that going on gets somewhere.
    fn is_over(&self) -> bool {
        self.last.is_some()
            && (self.results.matches.len() >= self.most
                || self.results.searched >= self.entries
                || Instant::now() >= self.deadline
                || self.abandoned.load(Ordering::Relaxed))
    }

    fn look(&mut self, found: &Found<'_>) {
        let (path, kind) = (found.path.to_owned(), kind(found.stat));
        let Some(content) = &mut self.content else {
            self.results.matches.push(Hit { path, kind, line: None, more: false });
            return;
        };
        if kind != Kind::File {
            return;
        }
        // A page ends between files; one with very many lines is cut, as the page is full then.
        let mut lines = Lines { matcher: &content.matcher, most: self.most, lines: Vec::new() };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let searched = rustix::fs::openat(found.dir, found.name, flags, Mode::empty())
            .map_err(io::Error::from)
            .and_then(|fd| content.searcher.search_file(&content.matcher, &File::from(fd), &mut lines));
        if searched.is_err() {
            self.results.skipped += 1;
        }
        let cut = lines.lines.len() >= self.most;
        let hits = lines.lines.into_iter().map(|line| Hit {
            path: path.clone(),
            kind,
            line: Some(line),
            more: false,
        });
        self.results.matches.extend(hits);
        if cut && let Some(last) = self.results.matches.last_mut() {
            last.more = true;
        }
    }
}

/// A pattern for names.
struct Name {
    glob: GlobMatcher,
    whole: bool,
}

impl Name {
    fn new(pattern: &str, ignore_case: bool) -> Result<Self, FilesError> {
        let glob = GlobBuilder::new(pattern).case_insensitive(ignore_case).literal_separator(true).build();
        let glob =
            glob.map_err(|error| FilesError::Invalid(format!("the pattern for names is wrong: {error}")))?;
        Ok(Self { glob: glob.compile_matcher(), whole: pattern.contains('/') })
    }

    fn fits(&self, found: &Found<'_>) -> bool {
        if self.whole { self.glob.is_match(found.relative) } else { self.glob.is_match(found.name) }
    }
}

/// A pattern for lines.
struct Content {
    matcher: RegexMatcher,
    searcher: Searcher,
}

impl Content {
    fn new(pattern: &str, query: &Query, limits: &FilesLimits) -> Result<Self, FilesError> {
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(query.ignore_case)
            .fixed_strings(query.literal)
            .line_terminator(Some(b'\n'))
            .size_limit(PATTERN_BYTES)
            .build(pattern)
            .map_err(|error| FilesError::Invalid(format!("the pattern for contents is wrong: {error}")))?;
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .heap_limit(Some(limits.search_line_bytes))
            .binary_detection(BinaryDetection::quit(0))
            .build();
        Ok(Self { matcher, searcher })
    }
}

/// Collects the lines of one file.
struct Lines<'a> {
    matcher: &'a RegexMatcher,
    most: usize,
    lines: Vec<Line>,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let bytes = found.bytes().trim_ascii_end();
        let start = self.matcher.find(found.bytes()).ok().flatten().map_or(0, |place| place.start());
        let shown = bytes.get(..SHOWN_BYTES).unwrap_or(bytes);
        self.lines.push(Line {
            number: found.line_number().unwrap_or_default(),
            column: start as u64 + 1,
            text: String::from_utf8_lossy(shown).into_owned(),
        });
        Ok(self.lines.len() < self.most)
    }
}
