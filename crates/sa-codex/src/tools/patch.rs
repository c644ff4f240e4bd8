//! Changes of files.

use super::status;
use crate::native::item::{Change, FileChange};
use agent_client_protocol_schema::v1::{Diff, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind};
use sa_acp::{Described, Disk, Outcome, absolute, paragraph, shown, sides};
use serde_json::{Value, json};
use std::path::Path;

/// Returns a file before and after. The diff of the CLI is the whole file if it is added or deleted.
fn diff(change: &Change, cwd: &Path, disk: &dyn Disk) -> ToolCallContent {
    let path = absolute(&change.path, cwd);
    let diff = match change.kind.r#type.as_str() {
        "add" => Diff::new(path, change.diff.clone()),
        "delete" => Diff::new(path, "").old_text(change.diff.clone()),
        _ => {
            let moved = change.kind.move_path.as_deref().map(|to| absolute(to, cwd));
            let file = disk.read(&path).or_else(|| disk.read(moved.as_ref()?));
            let sides = sides(&change.diff, file);
            Diff::new(moved.unwrap_or(path), sides.new).old_text(sides.old)
        }
    };
    ToolCallContent::Diff(diff)
}

/// Returns where a file is, and where it will be.
fn paths(change: &Change) -> impl Iterator<Item = &str> {
    std::iter::once(change.path.as_str()).chain(change.kind.move_path.as_deref())
}

fn verb(change: &Change) -> &'static str {
    match (change.kind.r#type.as_str(), &change.kind.move_path) {
        ("add", _) => "Create",
        ("delete", _) => "Delete",
        (_, Some(_)) => "Move",
        _ => "Edit",
    }
}

pub(super) fn describe(change: &FileChange, cwd: &Path, disk: &dyn Disk) -> Described {
    let changes = &change.changes;
    let title = match changes.as_slice() {
        [] => "Edit files".to_owned(),
        [only] => match &only.kind.move_path {
            Some(to) => format!("Move {} to {}", shown(&only.path, cwd), shown(to, cwd)),
            None => format!("{} {}", verb(only), shown(&only.path, cwd)),
        },
        several => format!("Edit {} files", several.len()),
    };
    let all = |word: &str| !changes.is_empty() && changes.iter().all(|change| verb(change) == word);
    let kind = match () {
        () if all("Delete") => ToolKind::Delete,
        () if all("Move") => ToolKind::Move,
        () => ToolKind::Edit,
    };
    let about =
        |change: &Change| json!({ "path": change.path, "kind": change.kind.r#type, "diff": change.diff });
    Described {
        name: "apply_patch".to_owned(),
        kind,
        title,
        locations: changes
            .iter()
            .flat_map(paths)
            .map(|path| ToolCallLocation::new(absolute(path, cwd)))
            .collect(),
        content: changes.iter().map(|change| diff(change, cwd, disk)).collect(),
        input: json!({ "changes": changes.iter().map(about).collect::<Vec<_>>() }),
    }
}

pub(super) fn outcome(change: &FileChange) -> Outcome {
    let status = match status(change.status.as_deref()) {
        ToolCallStatus::InProgress => ToolCallStatus::Failed,
        status => status,
    };
    // The diffs that were reported before stay.
    let content = match change.status.as_deref() {
        Some("declined") => vec![paragraph("It was rejected or interrupted.")],
        _ => Vec::new(),
    };
    let output = change.status.as_deref().map_or(Value::Null, |status| json!({ "status": status }));
    Outcome::new(status, content, output)
}
