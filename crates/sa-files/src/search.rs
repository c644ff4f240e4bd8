//! Searches names and contents for a limited time. The result says where to continue.

mod patterns;
mod resume;

use crate::entry::{encoded, kind};
use crate::error::{FilesError, Result, text};
use crate::files::{Files, Located, Shared};
use crate::root::open_file;
use crate::rules::Rules;
use crate::tree::{Step, Tree, TreeEntry, Visitor};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkMatch};
use patterns::{Content, Name};
use resume::{resume_path, resume_text};
use sa_api::{FsEntryType, FsMatch, FsSearchResponse};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

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
    /// The `next` of the results before.
    pub after: Option<OsString>,
}

impl Files {
    /// Searches a directory and all below it. Dropping the future ends the search.
    pub async fn search(&self, path: &OsStr, mut query: Query) -> Result<FsSearchResponse> {
        let after = query.after.take().map(resume_path).transpose()?;
        let located = self.locate(path)?;
        // Ends the search when nobody waits for it any more.
        let abandoned = CancellationToken::new();
        let _guard = abandoned.clone().drop_guard();
        let slot = self.reserve_search()?;
        let shared = Arc::clone(self.shared());
        let searching = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            search(&shared, &located, &query, after.as_deref(), abandoned)
        });
        searching.await.unwrap_or_else(|_| {
            Err(FilesError::Io { path: "search".to_owned(), reason: "it ended early".to_owned() })
        })
    }
}

fn search(
    shared: &Shared,
    located: &Located,
    query: &Query,
    after: Option<&Path>,
    abandoned: CancellationToken,
) -> Result<FsSearchResponse> {
    let limits = &shared.limits;
    let deadline = Instant::now() + Duration::from_millis(limits.search_ms);
    let mut search = Search {
        name: query.name.as_deref().map(|name| Name::new(name, query.ignore_case)).transpose()?,
        content: query.content.as_deref().map(|text| Content::new(text, query, limits)).transpose()?,
        after,
        most: query.limit.unwrap_or(limits.search_results).min(limits.search_results),
        time: Time { deadline, abandoned },
        entries: limits.search_entries,
        last: None,
        bytes: 0,
        results: FsSearchResponse { matches: Vec::new(), next: None, searched: 0, skipped: 0 },
    };
    let tree = Tree::open(shared, located)?;
    let rules = || Rules::above(&shared.root, located);
    tree.walk(shared, (!query.with_ignored).then(rules), &mut search)?;
    Ok(search.results)
}

/// The deadline of a search, and its caller.
struct Time {
    deadline: Instant,
    abandoned: CancellationToken,
}

impl Time {
    fn is_up(&self) -> bool {
        self.abandoned.is_cancelled() || Instant::now() >= self.deadline
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
    results: FsSearchResponse,
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
        self.results.next = self.last.as_deref().map(resume_text);
        Step::Stop
    }

    fn look(&mut self, found: &TreeEntry<'_>) {
        let encoded_path = encoded(found.path);
        let path_bytes = found.path.as_os_str().len() + encoded_path.as_ref().map_or(0, String::len);
        let entry = FsMatch {
            path: text(found.path),
            entry_type: kind(found.stat),
            line: None,
            column: None,
            text: None,
            more: false,
            encoded_path,
        };
        let Some(content) = &mut self.content else {
            self.bytes += path_bytes;
            self.results.matches.push(entry);
            return;
        };
        if entry.entry_type != FsEntryType::File {
            return;
        }
        // A page ends between files; one with very many lines is cut, as the page is full then.
        let mut lines = Lines {
            matcher: &content.matcher,
            most: self.most,
            time: &self.time,
            entry,
            path_bytes,
            bytes: self.bytes,
            lines: Vec::new(),
            is_cut: false,
        };
        let file = open_file(found.dir, found.name).map_err(io::Error::from);
        let searched = file.and_then(|file| {
            let reader = Timed { file, time: &self.time };
            content.searcher.search_reader(&content.matcher, reader, &mut lines)
        });
        if searched.is_err() {
            self.results.skipped += 1;
        }
        let ran_out = matches!(&searched, Err(error) if error.kind() == io::ErrorKind::TimedOut);
        let Lines { mut lines, bytes, is_cut, .. } = lines;
        if let Some(last) = lines.last_mut() {
            last.more = is_cut || ran_out;
        }
        self.bytes = bytes;
        self.results.matches.append(&mut lines);
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
    time: &'a Time,
    /// The file.
    entry: FsMatch,
    path_bytes: usize,
    /// Paths and lines among the results, with those of this file.
    bytes: usize,
    lines: Vec<FsMatch>,
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
        self.bytes += self.path_bytes + text.len();
        self.lines.push(FsMatch {
            line: Some(found.line_number().unwrap_or_default()),
            column: Some(start as u64 + 1),
            text: Some(text),
            ..self.entry.clone()
        });
        self.is_cut = self.lines.len() >= self.most || self.bytes >= PAGE_BYTES || self.time.is_up();
        Ok(!self.is_cut)
    }
}
