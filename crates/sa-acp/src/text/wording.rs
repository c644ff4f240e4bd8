//! How text is put before people: short titles, fenced blocks, paths as seen from the session's folder.

use agent_client_protocol_schema::v1::{ContentBlock, TextContent, ToolCallContent, ToolCallLocation};
use std::path::{Path, PathBuf};

/// Characters of a title, at most.
const TITLE: usize = 120;

/// Text as the content of a tool call.
pub fn paragraph(words: impl Into<String>) -> ToolCallContent {
    ContentBlock::Text(TextContent::new(words)).into()
}

/// Returns the first line of a text, short enough for a title. `…` stands for the omitted part.
pub fn one_line(text: &str) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let mut clean = line.chars().filter(|c| !is_deceptive(*c)).map(|c| if c.is_control() { ' ' } else { c });
    let mut title: String = clean.by_ref().take(TITLE).collect();
    title.truncate(title.trim_end().len());
    if clean.next().is_some() || line.len() < text.len() {
        title.push('…');
    }
    title
}

/// Returns whether [`one_line`] shows all of a text.
pub fn fits_one_line(text: &str) -> bool {
    one_line(text) == text.trim()
}

/// Marks that reorder text on screen: a title is what people consent to, so it reads as it is.
fn is_deceptive(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A block of code. Its fence is longer than every run of backticks in it.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// The name of a tool nobody described, as words: `ReportFindings` is "Report findings".
pub fn humanized(name: &str) -> String {
    let mut words = String::new();
    let mut before = None;
    for c in name.chars() {
        let starts_word = c.is_uppercase() && before.is_some_and(char::is_lowercase);
        if c == '_' || c == '-' || starts_word {
            words.push(' ');
        }
        match (before, c) {
            (_, '_' | '-') => {}
            (Some(_), _) if starts_word => words.extend(c.to_lowercase()),
            (None, _) => words.extend(c.to_uppercase()),
            _ => words.push(c),
        }
        before = Some(c);
    }
    one_line(&words)
}

/// `high` as `High`.
pub fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A path as it is shown: relative to the session's folder where it lies in it.
pub fn shown(path: &str, cwd: &Path) -> String {
    let inside = Path::new(path).strip_prefix(cwd).ok();
    let inside = inside.filter(|inside| !inside.as_os_str().is_empty());
    one_line(&inside.map_or_else(|| path.to_owned(), |inside| inside.display().to_string()))
}

/// A path as ACP wants it: absolute.
pub fn absolute(path: &str, cwd: &Path) -> PathBuf {
    cwd.join(path)
}

/// A place in a file.
pub fn place(path: &str, line: Option<u64>, cwd: &Path) -> ToolCallLocation {
    let line = line.filter(|line| *line > 0).and_then(|line| u32::try_from(line).ok());
    ToolCallLocation::new(absolute(path, cwd)).line(line)
}

/// Returns the name of an MCP server as a part of the names of its tools, which allow few characters.
pub fn tool_prefix(server: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = server.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if name.is_empty() { "server".to_owned() } else { name }
}
