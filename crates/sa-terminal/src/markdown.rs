//! Markdown that arrives in pieces. Blocks that are complete become lines at once and never change; the block that is
//! still being written can be drawn again and again until it is complete.

mod blocks;
mod table;

use crate::clean::clean;
use crate::style::Line;
use pulldown_cmark::{Event, Options, Parser};

/// Longest block that is held back, in bytes. A longer one is split at a line's end.
const LONGEST_BLOCK: usize = 16 * 1024;

/// A text in Markdown, as far as it was written.
#[derive(Debug)]
pub struct Markdown {
    width: usize,
    /// Source of the blocks that are not complete.
    pending: String,
    /// Length of the source at which it is looked at next. A long block is not read again for each of its lines.
    next_look: usize,
    /// A block was rendered already, so the next one needs a blank line before it.
    has_blocks: bool,
}

impl Markdown {
    /// An empty text, wrapped to so many columns.
    pub fn new(width: usize) -> Self {
        Self { width, pending: String::new(), next_look: 0, has_blocks: false }
    }

    /// Renders a whole text.
    pub fn render(text: &str, width: usize) -> Vec<Line> {
        let mut markdown = Self::new(width);
        let mut lines = markdown.push(text);
        lines.extend(markdown.finish());
        lines
    }

    /// Changes the width, for what is not rendered yet.
    pub fn set_width(&mut self, width: usize) {
        self.width = width;
    }

    /// Appends a piece and returns the lines of the blocks that are complete now.
    pub fn push(&mut self, piece: &str) -> Vec<Line> {
        // Two characters that arrive apart are one line break.
        if piece.starts_with('\n') && self.pending.ends_with('\u{fffd}') {
            self.pending.pop();
        }
        self.pending.push_str(&clean(piece));
        if self.pending.len() < self.next_look || !piece.contains('\n') {
            return Vec::new();
        }
        let split = complete_until(&self.pending);
        let lines = if split == 0 && self.pending.len() > LONGEST_BLOCK {
            self.split_long_block()
        } else {
            self.render_until(split)
        };
        self.next_look = self.pending.len() + self.pending.len() / 4;
        lines
    }

    /// Renders the rest.
    pub fn finish(&mut self) -> Vec<Line> {
        self.render_until(self.pending.len())
    }

    /// Renders the block that is being written, as it looks so far.
    pub fn unfinished(&self) -> Vec<Line> {
        let mut lines = blocks::render(&self.pending, self.width);
        if self.has_blocks && !lines.is_empty() {
            lines.insert(0, Line::new());
        }
        lines
    }

    fn render_until(&mut self, split: usize) -> Vec<Line> {
        let rest = self.pending.split_off(split);
        let source = std::mem::replace(&mut self.pending, rest);
        let mut lines = blocks::render(&source, self.width);
        if lines.is_empty() {
            return lines;
        }
        if std::mem::replace(&mut self.has_blocks, true) {
            lines.insert(0, Line::new());
        }
        lines
    }

    /// Renders a block that became too long up to its last line break. Fenced code continues as fenced code.
    fn split_long_block(&mut self) -> Vec<Line> {
        let split = self.pending.rfind('\n').map_or(self.pending.len(), |at| at + 1);
        let first_line = self.pending.lines().next().unwrap_or_default().to_owned();
        let is_fence = first_line.starts_with("```") || first_line.starts_with("~~~");
        let lines = self.render_until(split);
        if is_fence {
            self.pending.insert_str(0, &format!("{first_line}\n"));
            self.has_blocks = false;
        }
        lines
    }
}

/// Returns where the last block begins: whatever follows, the blocks before it do not change. An unfinished line is not
/// looked at, as its first characters can be mistaken for another block.
fn complete_until(source: &str) -> usize {
    let whole_lines = source.rfind('\n').map_or(0, |at| at + 1);
    let (mut depth, mut last_start) = (0_usize, 0);
    for (event, range) in
        Parser::new_ext(source.get(..whole_lines).unwrap_or_default(), options()).into_offset_iter()
    {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    last_start = range.start;
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => last_start = range.start,
            _ => {}
        }
    }
    // The block may be indented; what stands before it on its line belongs to it.
    source.get(..last_start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

#[cfg(test)]
mod tests;
