//! Diffs: what an edit is about to change, and what it did change.

use agent_client_protocol_schema::v1::{Diff, ToolCallContent, ToolCallLocation};
use sa_acp::{absolute, place};
use serde_json::Value;
use std::path::Path;

/// Files up to this many bytes are shown whole, before and after; of larger ones only the changed places.
const WHOLE: usize = 256 << 10;

/// Changes that `Edit` and `MultiEdit` ask for. Each is shown by itself: the file around it is not known yet.
pub(super) fn asked<'a>(
    path: &str,
    edits: impl Iterator<Item = &'a Value>,
    cwd: &Path,
) -> Vec<ToolCallContent> {
    let diff = |edit: &Value| {
        let new = edit["new_string"].as_str()?;
        let old = edit["old_string"].as_str().filter(|old| !old.is_empty());
        Some(Diff::new(absolute(path, cwd), new).old_text(old.map(str::to_owned)).into())
    };
    edits.filter_map(diff).collect()
}

/// Returns the file that `Write` asks for. Its earlier content is known only afterwards.
pub(super) fn written(path: &str, content: &str, cwd: &Path) -> ToolCallContent {
    Diff::new(absolute(path, cwd), content).into()
}

/// Returns what changed, and where, from the structured result of a tool that edits.
pub(super) fn done(structured: &Value, cwd: &Path) -> Option<(Vec<ToolCallContent>, Vec<ToolCallLocation>)> {
    let path = structured["filePath"].as_str().or(structured["notebook_path"].as_str())?;
    let hunks = Hunk::all(&structured["structuredPatch"]);
    let locations = match hunks.as_slice() {
        [] => vec![place(path, None, cwd)],
        hunks => hunks.iter().map(|hunk| place(path, Some(hunk.first_change()), cwd)).collect(),
    };
    let diffs = match before_and_after(structured, &hunks) {
        Some((old, new)) => vec![Diff::new(absolute(path, cwd), new).old_text(old).into()],
        None => hunks.iter().map(|hunk| hunk.diff(path, cwd)).collect(),
    };
    Some((diffs, locations))
}

/// The file before and after, if both are known and not too large.
fn before_and_after(structured: &Value, hunks: &[Hunk<'_>]) -> Option<(Option<String>, String)> {
    let keys = ["originalFile", "originalFileContents", "original_file"];
    let old = keys.iter().find_map(|key| structured[*key].as_str());
    let new = structured["content"].as_str().or(structured["updated_file"].as_str());
    if old.map_or(0, str::len).max(new.map_or(0, str::len)) > WHOLE && !hunks.is_empty() {
        return None;
    }
    match (old, new) {
        (old, Some(new)) => Some((old.map(str::to_owned), new.to_owned())),
        (Some(old), None) => Some((Some(old.to_owned()), edited(old, structured, hunks)?)),
        // `Edit` with nothing to look for makes a file.
        (None, None) if structured["oldString"] == "" => {
            Some((None, structured["newString"].as_str()?.to_owned()))
        }
        (None, None) => None,
    }
}

/// Returns the file after `Edit`. The patch is what was really done, but not always exact to the last character:
/// lines at the end may lack their mark, and tabs are drawn as spaces. The replacement is exact, but not always what
/// was done: people may have changed it.
fn edited(old: &str, structured: &Value, hunks: &[Hunk<'_>]) -> Option<String> {
    match (patched(old, hunks), replaced(old, structured)) {
        (Some(patched), Some(replaced)) if patched.trim_end() == replaced.trim_end() => Some(replaced),
        (patched, replaced) => patched.or(replaced),
    }
}

/// The old text with one string in place of another.
fn replaced(old: &str, structured: &Value) -> Option<String> {
    let from = structured["oldString"].as_str().filter(|from| !from.is_empty() && old.contains(from))?;
    let to = structured["newString"].as_str()?;
    let all = structured["replaceAll"] == true;
    Some(if all { old.replace(from, to) } else { old.replacen(from, to, 1) })
}

/// One changed stretch of a file.
struct Hunk<'a> {
    old_start: u64,
    new_start: u64,
    /// Each with its mark: ` `, `-` or `+`.
    lines: Vec<&'a str>,
}

impl<'a> Hunk<'a> {
    fn all(patch: &'a Value) -> Vec<Self> {
        let hunk = |value: &'a Value| {
            Some(Self {
                old_start: value["oldStart"].as_u64()?,
                new_start: value["newStart"].as_u64()?,
                lines: value["lines"].as_array()?.iter().filter_map(Value::as_str).collect(),
            })
        };
        patch.as_array().map(|hunks| hunks.iter().filter_map(hunk).collect()).unwrap_or_default()
    }

    /// The line of the new file at which the change begins.
    fn first_change(&self) -> u64 {
        let same = self.lines.iter().take_while(|line| line.starts_with(' ')).count();
        self.new_start.max(1).saturating_add(same as u64)
    }

    /// The lines of one side: those with `mark`, and those that both have.
    fn side(&self, mark: char) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter_map(move |line| line.strip_prefix([' ', mark]))
    }

    fn diff(&self, path: &str, cwd: &Path) -> ToolCallContent {
        let text = |mark| self.side(mark).flat_map(|line| [line, "\n"]).collect::<String>();
        Diff::new(absolute(path, cwd), text('+')).old_text(text('-')).into()
    }
}

/// The old text with the hunks applied; `None` where they do not fit it.
fn patched(old: &str, hunks: &[Hunk<'_>]) -> Option<String> {
    if hunks.is_empty() {
        return None;
    }
    let mut lines = old.split_inclusive('\n');
    let mut line = 1;
    let mut new = String::with_capacity(old.len());
    for hunk in hunks {
        while line < hunk.old_start {
            new.push_str(lines.next()?);
            line += 1;
        }
        let mut before = ' ';
        for marked in &hunk.lines {
            let mut chars = marked.chars();
            let mark = chars.next()?;
            let text = chars.as_str();
            match mark {
                '+' => {
                    new.push_str(text);
                    new.push('\n');
                }
                ' ' | '-' => {
                    let current = lines.next().filter(|line| line.trim_end_matches(['\r', '\n']) == text)?;
                    line += 1;
                    if mark == ' ' {
                        new.push_str(current);
                    }
                }
                // "\ No newline at end of file" speaks of the line before it.
                '\\' if before == '+' => _ = new.pop(),
                '\\' => {}
                _ => return None,
            }
            before = mark;
        }
    }
    new.extend(lines);
    Some(new)
}
