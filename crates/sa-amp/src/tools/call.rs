//! Descriptions of tool calls, from their names and inputs.

use super::reach;
use agent_client_protocol_schema::v1::{Diff, ToolCallContent, ToolKind};
use sa_acp::{Described, ToolInput, absolute, fenced, humanized, one_line, paragraph, place, shown};
use serde_json::Value;
use std::path::Path;

/// Describes a call; `before` is the file that it changes as it is now, if it is known. Input that is missing or of another
/// shape than expected only makes the description poorer.
pub(crate) fn call(name: &str, input: &Value, cwd: &Path, before: Option<&str>) -> Described {
    let call = ToolInput { tool: name, value: input, cwd };
    match name {
        "Bash" | "shell_command" => call.command(reach::command_line(name, input)),
        "Read" | "read_file" | "look_at" | "view_image" => file(call, ToolKind::Read, "Read"),
        "create_file" => edit(call, "Write", before),
        "edit_file" => edit(call, "Edit", before),
        "undo_edit" => file(call, ToolKind::Edit, "Undo the edit of"),
        "delete_file" => file(call, ToolKind::Delete, "Delete"),
        "apply_patch" => patch(call),
        "list_directory" => file(call, ToolKind::Search, "List"),
        "glob" | "Glob" | "Grep" | "finder" | "find_thread" => search(call),
        "read_web_page" | "web_search" => web(call),
        "Task" | "oracle" | "librarian" => agent(call),
        _ => other(call),
    }
}

/// The file that a tool is about to change, if it names one.
pub(crate) fn changed_file<'a>(name: &str, input: &'a Value) -> Option<&'a str> {
    matches!(name, "create_file" | "edit_file").then(|| input["path"].as_str()).flatten()
}

fn file(call: ToolInput<'_>, kind: ToolKind, verb: &str) -> Described {
    call.file(kind, verb, &["path", "absolutePath", "file"], call.value["read_range"][0].as_u64())
}

fn edit(call: ToolInput<'_>, verb: &str, before: Option<&str>) -> Described {
    let mut described = file(call, ToolKind::Edit, verb);
    described.content.extend(diff(call, before));
    described
}

/// The file before and after; only the changed piece where the file is not known, or was changed in the meantime.
fn diff(call: ToolInput<'_>, before: Option<&str>) -> Option<ToolCallContent> {
    let path = absolute(call.value["path"].as_str()?, call.cwd);
    if let Some(content) = call.value["content"].as_str() {
        let old = before.filter(|old| *old != content).map(str::to_owned);
        return Some(Diff::new(path, content).old_text(old).into());
    }
    let (old, new) = (call.value["old_str"].as_str()?, call.value["new_str"].as_str()?);
    let diff = match before.filter(|before| !old.is_empty() && before.contains(old)) {
        Some(before) => {
            let all = call.value["replace_all"] == true;
            let after = if all { before.replace(old, new) } else { before.replacen(old, new, 1) };
            Diff::new(path, after).old_text(before.to_owned())
        }
        None => Diff::new(path, new).old_text(Some(old.to_owned()).filter(|old| !old.is_empty())),
    };
    Some(diff.into())
}

fn patch(call: ToolInput<'_>) -> Described {
    let Some(patch) = call.text(&["patchText", "patch", "input"]) else {
        return call.described(ToolKind::Edit, "Edit files");
    };
    let headers = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
    let paths: Vec<_> =
        patch.lines().filter_map(|line| headers.iter().find_map(|head| line.strip_prefix(head))).collect();
    let title = match paths.as_slice() {
        [only] => format!("Edit {}", shown(only, call.cwd)),
        several => format!("Edit {} files", several.len()),
    };
    Described {
        locations: paths.iter().map(|path| place(path, None, call.cwd)).collect(),
        content: vec![paragraph(fenced("diff", patch))],
        ..call.described(ToolKind::Edit, title)
    }
}

fn search(call: ToolInput<'_>) -> Described {
    let what = call.text(&["pattern", "filePattern", "query"]).map(one_line);
    let title = match (call.tool, what) {
        ("glob" | "Glob", Some(what)) => format!("Find `{what}`"),
        (_, Some(what)) => format!("Search for `{what}`"),
        (_, None) => "Search".to_owned(),
    };
    let path = call.text(&["path"]);
    let title = match path {
        Some(path) => format!("{title} in {}", shown(path, call.cwd)),
        None => title,
    };
    let locations = path.map(|path| place(path, None, call.cwd)).into_iter().collect();
    Described { locations, ..call.described(ToolKind::Search, title) }
}

fn web(call: ToolInput<'_>) -> Described {
    let title = match (call.text(&["url"]), call.text(&["objective", "query"])) {
        (Some(url), _) => format!("Fetch {}", one_line(url)),
        (None, Some(query)) => format!("Search the web for “{}”", one_line(query)),
        (None, None) => humanized(call.tool),
    };
    call.described(ToolKind::Fetch, title)
}

fn agent(call: ToolInput<'_>) -> Described {
    let title = call.text(&["description", "task", "query", "prompt"]).map(one_line);
    let prompt = call.text(&["prompt", "task", "query"]).map(paragraph);
    Described {
        content: prompt.into_iter().collect(),
        ..call.described(ToolKind::Think, title.unwrap_or_else(|| humanized(call.tool)))
    }
}

fn other(call: ToolInput<'_>) -> Described {
    if let Some((server, tool)) = call.tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        return call.described(ToolKind::Other, format!("{} ({})", one_line(tool), one_line(server)));
    }
    let what = call.text(&["description", "title", "name", "query", "path"]);
    let title = what.map(|what| one_line(&format!("{}: {what}", humanized(call.tool))));
    call.described(ToolKind::Other, title.unwrap_or_else(|| humanized(call.tool)))
}
