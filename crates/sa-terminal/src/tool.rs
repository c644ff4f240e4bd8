//! Tool calls: a command with its output and exit code, an edit with its diff, everything else as one line.

use crate::clean::clean_output;
use crate::diff::{Changes, compare};
use crate::style::{Color, Line, Span, Style};
use crate::wrap::{Break, Margin, wrap};
use sa_api::sessions::{Location, MessagePart, ToolContent, ToolKind, ToolStatus};
use serde_json::{Map, Value};

/// Lines of output that stay on the screen when a command has ended.
const OUTPUT_LINES: usize = 8;
/// Lines of output that are shown while a command runs.
const LIVE_LINES: usize = 4;
/// Lines of a failure's text.
const FAILURE_LINES: usize = 4;
/// Bytes of a running tool's output that are remembered.
const TAIL_BYTES: usize = 8 * 1024;
const INDENT: &str = "  ";

/// A tool call, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Tool {
    pub(crate) id: String,
    /// Message that the call is part of.
    pub(crate) message_id: String,
    /// Nesting: 0 for the agent's own calls, 1 for those of its sub-agents.
    pub(crate) depth: usize,
    name: Option<String>,
    title: String,
    kind: ToolKind,
    pub(crate) status: ToolStatus,
    input: Option<Value>,
    locations: Vec<Location>,
    is_error: bool,
    content: Vec<ToolContent>,
    output: Option<Value>,
    exit_code: Option<i64>,
    tail: String,
    /// The heading was shown, as what sub-agents do comes below it.
    is_announced: bool,
}

impl Tool {
    pub(crate) fn new(id: &str, message_id: &str, depth: usize) -> Self {
        Self { id: id.to_owned(), message_id: message_id.to_owned(), depth, ..Self::default() }
    }

    /// Takes the newest state over.
    pub(crate) fn update(&mut self, part: &MessagePart, metadata: &Map<String, Value>) {
        match part {
            MessagePart::ToolCall { name, title, kind, status, input, locations, .. } => {
                self.name.clone_from(name);
                self.title.clone_from(title);
                self.kind = *kind;
                self.status = *status;
                self.input.clone_from(input);
                self.locations.clone_from(locations);
            }
            MessagePart::ToolResult { is_error, content, output, .. } => {
                self.is_error = *is_error;
                self.content.clone_from(content);
                self.output.clone_from(output);
            }
            _ => {}
        }
        let exit = metadata.get("_meta").and_then(|meta| meta.pointer("/terminal_exit/exit_code"));
        let code = exit.or_else(|| self.output.as_ref()?.get("exitCode")).and_then(Value::as_i64);
        self.exit_code = code.or(self.exit_code);
    }

    /// Appends to the output of a running call.
    pub(crate) fn push_output(&mut self, text: &str) {
        self.tail.push_str(text);
        if self.tail.len() > 2 * TAIL_BYTES {
            let cut = self.tail.len() - TAIL_BYTES;
            let cut = (cut..self.tail.len()).find(|at| self.tail.is_char_boundary(*at)).unwrap_or(0);
            self.tail.drain(..cut);
        }
    }

    /// Returns the heading before the first thing that a sub-agent of this call does.
    pub(crate) fn announce(&mut self, width: usize) -> Option<Vec<Line>> {
        if std::mem::replace(&mut self.is_announced, true) {
            return None;
        }
        let heading = self.heading(&Line::styled("○ ", Style::of(Color::Green))).fit(width);
        Some(indented(vec![heading], self.depth))
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.status, ToolStatus::Completed | ToolStatus::Failed)
    }

    /// The call while it runs.
    pub(crate) fn running(&self, width: usize) -> Vec<Line> {
        let mut lines = vec![self.heading(&Line::styled("◌ ", Style::of(Color::Yellow))).fit(width)];
        if self.kind == ToolKind::Execute {
            let text = self.shown_output();
            let all: Vec<&str> = text.lines().collect();
            lines.extend(all.iter().rev().take(LIVE_LINES).rev().map(|line| output_line(line, width)));
        }
        indented(lines, self.depth)
    }

    /// The call after its end, or as it was when its turn ended.
    pub(crate) fn ended(&self, width: usize) -> Vec<Line> {
        let failed = self.status == ToolStatus::Failed || self.is_error;
        if self.is_announced && !failed {
            return Vec::new();
        }
        let bad_exit = self.exit_code.is_some_and(|code| code != 0);
        let mark = match (failed || bad_exit, self.has_ended()) {
            (true, _) => Line::styled("✗ ", Style::of(Color::Red)),
            (false, true) => Line::styled("● ", Style::of(Color::Green)),
            (false, false) => Line::styled("○ ", Style::DIM),
        };
        let mut heading = self.heading(&mark);
        let mut details = Vec::new();
        if self.kind == ToolKind::Execute {
            details.extend(self.command_output(width));
            match self.exit_code {
                Some(code) if code != 0 => {
                    details.push(Line::styled(&format!("{INDENT}exit code {code}"), Style::of(Color::Red)));
                }
                None if failed => {
                    details.push(Line::styled(&format!("{INDENT}failed"), Style::of(Color::Red)))
                }
                _ => {}
            }
        } else {
            for content in &self.content {
                let ToolContent::Diff { old_text, new_text, .. } = content else { continue };
                let Changes { added, removed, lines } = changes(old_text.as_deref(), new_text, width);
                heading = heading
                    .with(&format!(" +{added}"), Style::of(Color::Green))
                    .with(&format!(" -{removed}"), Style::of(Color::Red));
                details.extend(lines);
            }
            if failed {
                details.extend(self.failure(width));
            }
        }
        let mut lines = vec![heading.fit(width)];
        lines.extend(details);
        indented(lines, self.depth)
    }

    fn heading(&self, mark: &Line) -> Line {
        let line = mark.clone();
        match self.command() {
            Some(command) => {
                let more = if command.trim().contains('\n') { " …" } else { "" };
                let first = command.trim().lines().next().unwrap_or_default();
                line.with("$ ", Style::DIM).with(&format!("{first}{more}"), Style::BOLD)
            }
            None => {
                let title = self.title.replace('`', "");
                let title =
                    if title.trim().is_empty() { self.name.clone().unwrap_or_default() } else { title };
                let line = line.with(title.trim(), Style::PLAIN);
                // Titles often name the file already.
                match self.locations.first() {
                    Some(location) if !title.contains(file_name(&location.path)) => {
                        line.with(&format!(" {}", location.path), Style::DIM)
                    }
                    _ => line,
                }
            }
        }
    }

    /// The command line of a call that runs one.
    fn command(&self) -> Option<String> {
        if self.kind != ToolKind::Execute {
            return None;
        }
        match self.input.as_ref()?.get("command")? {
            Value::String(command) => Some(command.clone()),
            Value::Array(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                Some(words.join(" "))
            }
            _ => None,
        }
    }

    fn shown_output(&self) -> String {
        let mut text = String::new();
        for content in &self.content {
            if let ToolContent::Text { text: part, .. } = content {
                text.push_str(without_fence(part));
                text.push('\n');
            }
        }
        if text.trim().is_empty() {
            text.clone_from(&self.tail);
        }
        if text.trim().is_empty()
            && let Some(output) =
                self.output.as_ref().and_then(|output| output.get("output")).and_then(Value::as_str)
        {
            output.clone_into(&mut text);
        }
        clean_output(text.trim_end())
    }

    fn command_output(&self, width: usize) -> Vec<Line> {
        let text = self.shown_output();
        let all: Vec<&str> = text.lines().collect();
        let hidden = all.len().saturating_sub(OUTPUT_LINES);
        let mut lines = Vec::new();
        if hidden > 0 {
            let word = if hidden == 1 { "line" } else { "lines" };
            lines.push(Line::styled(&format!("{INDENT}… {hidden} {word} above"), Style::DIM));
        }
        lines.extend(all.iter().skip(hidden).map(|line| output_line(line, width)));
        lines
    }

    fn failure(&self, width: usize) -> Vec<Line> {
        let text = self.shown_output();
        let style = Style::of(Color::Red);
        let shown = text.lines().filter(|line| !line.trim().is_empty()).take(FAILURE_LINES);
        shown.map(|line| Line::styled(&format!("{INDENT}{line}"), style).fit(width)).collect()
    }
}

/// Lines below those of the sub-agents' tools that they belong to.
pub(crate) fn indented(lines: Vec<Line>, depth: usize) -> Vec<Line> {
    let margin = Line::styled(&"│ ".repeat(depth), Style::DIM);
    lines.into_iter().map(|line| line.after(&margin)).collect()
}

/// The change of a file, below the heading of its tool.
fn changes(old: Option<&str>, new: &str, width: usize) -> Changes {
    let mut changes = compare(old.unwrap_or_default(), new, width.saturating_sub(INDENT.len()));
    changes.lines = changes.lines.into_iter().map(|line| line.after(&Line::plain(INDENT))).collect();
    changes
}

/// The preview of a call that needs a permission: its command, or its diff.
pub(crate) fn preview(
    kind: ToolKind,
    input: Option<&Value>,
    parts: &[MessagePart],
    width: usize,
) -> Vec<Line> {
    let mut lines = Vec::new();
    let command = input.and_then(|input| input.get("command")).and_then(Value::as_str);
    if let Some(command) = command.filter(|_| kind == ToolKind::Execute) {
        // The whole command is shown: a part of it could hide what the rest does.
        for (index, line) in command.trim().lines().enumerate() {
            let prompt = if index == 0 { "$ " } else { "  " };
            let margin = Margin::hanging(Line::styled(&format!("{INDENT}{prompt}"), Style::DIM));
            let span = Span::new(line, Style::BOLD);
            lines.extend(wrap(&[span], width, &margin, Break::Anywhere));
        }
    }
    for part in parts {
        if let MessagePart::File { path, diff: Some(diff), .. } = part {
            let path = path.as_deref().unwrap_or("a file");
            lines.push(Line::styled(&format!("{INDENT}{path}"), Style::BOLD).fit(width));
            lines.extend(changes(diff.old_text.as_deref(), &diff.new_text, width).lines);
        }
    }
    lines
}

fn output_line(text: &str, width: usize) -> Line {
    Line::styled(&format!("{INDENT}{text}"), Style::DIM).fit(width)
}

/// Agents put output into a fenced block, so that it is shown as it is.
fn without_fence(text: &str) -> &str {
    let trimmed = text.trim();
    let Some(inner) = trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    inner.split_once('\n').map_or("", |(_, body)| body)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
