//! What a tool call is about, from its name and its input.

use super::reach;
use agent_client_protocol_schema::v1::{Diff, ToolCallContent, ToolKind};
use sa_acp::{Described, absolute, fenced, fits_one_line, humanised, one_line, paragraph, place, shown};
use serde_json::Value;
use std::path::Path;

/// Describes a call; `before` is the file that it changes as it is now, if it is known. Input that is missing or of another
/// shape than expected only makes the description poorer.
pub(crate) fn call(name: &str, input: &Value, cwd: &Path, before: Option<&str>) -> Described {
    let call = Call { name, input, cwd };
    match name {
        "Bash" | "shell_command" => call.command(),
        "Read" | "read_file" | "look_at" | "view_image" => call.file(ToolKind::Read, "Read"),
        "create_file" => call.edit("Write", before),
        "edit_file" => call.edit("Edit", before),
        "undo_edit" => call.file(ToolKind::Edit, "Undo the edit of"),
        "delete_file" => call.file(ToolKind::Delete, "Delete"),
        "apply_patch" => call.patch(),
        "list_directory" => call.file(ToolKind::Search, "List"),
        "glob" | "Glob" | "Grep" | "finder" | "find_thread" => call.search(),
        "read_web_page" | "web_search" => call.web(),
        "Task" | "oracle" | "librarian" => call.agent(),
        _ => call.other(),
    }
}

/// The file that a tool is about to change, if it names one.
pub(crate) fn changed_file<'a>(name: &str, input: &'a Value) -> Option<&'a str> {
    matches!(name, "create_file" | "edit_file").then(|| input["path"].as_str()).flatten()
}

struct Call<'a> {
    name: &'a str,
    input: &'a Value,
    cwd: &'a Path,
}

impl<'a> Call<'a> {
    fn described(&self, kind: ToolKind, title: impl Into<String>) -> Described {
        Described::new(self.name, kind, title, self.input.clone())
    }

    /// The first of these members of the input that says something.
    fn text(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.input[*key].as_str().filter(|text| !text.trim().is_empty()))
    }

    fn command(&self) -> Described {
        let Some(command) = reach::command_line(self.name, self.input).filter(|line| !line.trim().is_empty())
        else {
            return self.described(ToolKind::Execute, "Run a command");
        };
        // What is consented to is shown whole.
        let whole = (!fits_one_line(command)).then(|| paragraph(fenced("sh", command)));
        Described {
            content: whole.into_iter().collect(),
            ..self.described(ToolKind::Execute, format!("`{}`", one_line(command)))
        }
    }

    fn file(&self, kind: ToolKind, verb: &str) -> Described {
        let Some(path) = self.text(&["path", "absolutePath", "file"]) else {
            return self.described(kind, format!("{verb} file"));
        };
        let line = self.input["read_range"][0].as_u64();
        let title = format!("{verb} {}", shown(path, self.cwd));
        Described { locations: vec![place(path, line, self.cwd)], ..self.described(kind, title) }
    }

    fn edit(&self, verb: &str, before: Option<&str>) -> Described {
        let mut described = self.file(ToolKind::Edit, verb);
        described.content.extend(self.diff(before));
        described
    }

    /// The file before and after; only the changed piece where the file is not known, or was changed in the meantime.
    fn diff(&self, before: Option<&str>) -> Option<ToolCallContent> {
        let path = absolute(self.input["path"].as_str()?, self.cwd);
        if let Some(content) = self.input["content"].as_str() {
            let old = before.filter(|old| *old != content).map(str::to_owned);
            return Some(Diff::new(path, content).old_text(old).into());
        }
        let (old, new) = (self.input["old_str"].as_str()?, self.input["new_str"].as_str()?);
        let diff = match before.filter(|before| !old.is_empty() && before.contains(old)) {
            Some(before) => {
                let all = self.input["replace_all"] == true;
                let after = if all { before.replace(old, new) } else { before.replacen(old, new, 1) };
                Diff::new(path, after).old_text(before.to_owned())
            }
            None => Diff::new(path, new).old_text(Some(old.to_owned()).filter(|old| !old.is_empty())),
        };
        Some(diff.into())
    }

    fn patch(&self) -> Described {
        let Some(patch) = self.text(&["patchText", "patch", "input"]) else {
            return self.described(ToolKind::Edit, "Edit files");
        };
        let headers = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
        let paths: Vec<_> = patch
            .lines()
            .filter_map(|line| headers.iter().find_map(|head| line.strip_prefix(head)))
            .collect();
        let title = match paths.as_slice() {
            [only] => format!("Edit {}", shown(only, self.cwd)),
            several => format!("Edit {} files", several.len()),
        };
        Described {
            locations: paths.iter().map(|path| place(path, None, self.cwd)).collect(),
            content: vec![paragraph(fenced("diff", patch))],
            ..self.described(ToolKind::Edit, title)
        }
    }

    fn search(&self) -> Described {
        let what = self.text(&["pattern", "filePattern", "query"]).map(one_line);
        let title = match (self.name, what) {
            ("glob" | "Glob", Some(what)) => format!("Find `{what}`"),
            (_, Some(what)) => format!("Search for `{what}`"),
            (_, None) => "Search".to_owned(),
        };
        let path = self.text(&["path"]);
        let title = match path {
            Some(path) => format!("{title} in {}", shown(path, self.cwd)),
            None => title,
        };
        let locations = path.map(|path| place(path, None, self.cwd)).into_iter().collect();
        Described { locations, ..self.described(ToolKind::Search, title) }
    }

    fn web(&self) -> Described {
        let title = match (self.text(&["url"]), self.text(&["objective", "query"])) {
            (Some(url), _) => format!("Fetch {}", one_line(url)),
            (None, Some(query)) => format!("Search the web for “{}”", one_line(query)),
            (None, None) => humanised(self.name),
        };
        self.described(ToolKind::Fetch, title)
    }

    fn agent(&self) -> Described {
        let title = self.text(&["description", "task", "query", "prompt"]).map(one_line);
        let prompt = self.text(&["prompt", "task", "query"]).map(paragraph);
        Described {
            content: prompt.into_iter().collect(),
            ..self.described(ToolKind::Think, title.unwrap_or_else(|| humanised(self.name)))
        }
    }

    fn other(&self) -> Described {
        if let Some((server, tool)) = self.name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            return self.described(ToolKind::Other, format!("{} ({})", one_line(tool), one_line(server)));
        }
        let what = self.text(&["description", "title", "name", "query", "path"]);
        let title = what.map(|what| one_line(&format!("{}: {what}", humanised(self.name))));
        self.described(ToolKind::Other, title.unwrap_or_else(|| humanised(self.name)))
    }
}
