//! The patterns of a search: a glob for names, a regular expression for lines. Both are bounded before they are
//! built, as building them takes stack and memory by their form, and errors name what is wrong.

use super::Query;
use crate::error::{FilesError, Result};
use crate::limits::FilesLimits;
use crate::tree::TreeEntry;
use globset::{GlobBuilder, GlobSet};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

/// Longest pattern for names.
const NAME_BYTES: usize = 1024;
/// Braces that may be inside each other in a pattern for names. They are converted by recursion.
const NAME_NESTING: usize = 8;
/// Longest pattern for contents.
const CONTENT_BYTES: usize = 8 * 1024;
/// Groups and repetitions that may be inside each other in a pattern for contents.
const CONTENT_NESTING: u32 = 100;
/// Size of the program that a pattern for contents may become, and of the states that are kept of it.
const PROGRAM_BYTES: usize = 10 * 1024 * 1024;

/// A pattern for names.
pub(super) struct Name {
    glob: GlobSet,
    /// Set if the pattern matches paths relative to the start of the search.
    is_for_paths: bool,
}

impl Name {
    pub(super) fn new(pattern: &str, ignore_case: bool) -> Result<Self> {
        if pattern.len() > NAME_BYTES {
            return Err(refused(format!("`name` is longer than {NAME_BYTES} bytes")));
        }
        if nesting(pattern) > NAME_NESTING {
            return Err(refused(format!("braces in `name` are nested more than {NAME_NESTING} deep")));
        }
        let wrong = |error: globset::Error| refused(format!("`name` is not a glob: {}", error.kind()));
        let glob = GlobBuilder::new(pattern).case_insensitive(ignore_case).literal_separator(true).build();
        let glob = GlobSet::new([glob.map_err(wrong)?]).map_err(wrong)?;
        Ok(Self { glob, is_for_paths: pattern.contains('/') })
    }

    pub(super) fn fits(&self, found: &TreeEntry<'_>) -> bool {
        if self.is_for_paths { self.glob.is_match(found.relative) } else { self.glob.is_match(found.name) }
    }
}

/// Returns the depth of nested braces. In brackets and behind a backslash they are plain characters.
fn nesting(pattern: &str) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' => now += 1,
            b'}' => now = now.saturating_sub(1),
            b'\\' => drop(bytes.next()),
            b'[' => {
                let first = bytes.next();
                if matches!(first, Some(b'!' | b'^')) {
                    bytes.next();
                }
                // The first byte of a set does not end it.
                bytes.find(|byte| *byte == b']');
            }
            _ => {}
        }
        most = most.max(now);
    }
    most
}

/// A pattern for lines.
pub(super) struct Content {
    pub(super) matcher: RegexMatcher,
    pub(super) searcher: Searcher,
}

impl Content {
    pub(super) fn new(pattern: &str, query: &Query, limits: &FilesLimits) -> Result<Self> {
        if pattern.len() > CONTENT_BYTES {
            return Err(refused(format!("`content` is longer than {CONTENT_BYTES} bytes")));
        }
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(query.ignore_case)
            .fixed_strings(query.literal)
            .line_terminator(Some(b'\n'))
            .nest_limit(CONTENT_NESTING)
            .size_limit(PROGRAM_BYTES)
            .dfa_size_limit(PROGRAM_BYTES)
            .build(pattern)
            .map_err(|error| refused(format!("`content` is not a valid regular expression: {error}")))?;
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .heap_limit(Some(limits.search_line_bytes))
            .binary_detection(BinaryDetection::quit(0))
            .build();
        Ok(Self { matcher, searcher })
    }
}

fn refused(why: String) -> FilesError {
    FilesError::Invalid(why)
}
