//! Changes of files, from requests for permission or results.

use agent_client_protocol_schema::v1::{Diff, ToolCallContent};
use sa_acp::{Disk, absolute, sides};
use serde_json::Value;
use std::path::Path;

/// The files that some metadata speak of, before and after. The file is either still as it was or already changed.
pub(crate) fn diffs(metadata: &Value, cwd: &Path, disk: &dyn Disk) -> Vec<ToolCallContent> {
    if let Some(files) = metadata["files"].as_array() {
        return files.iter().filter_map(|file| of_file(file, cwd, disk)).collect();
    }
    let path = metadata["filepath"].as_str().or_else(|| metadata["filediff"]["file"].as_str());
    let patch = metadata["diff"].as_str().or_else(|| metadata["filediff"]["patch"].as_str());
    let change = path.zip(patch).map(|(path, patch)| one(path, patch, cwd, disk));
    change.into_iter().collect()
}

/// One of several files of a patch.
fn of_file(file: &Value, cwd: &Path, disk: &dyn Disk) -> Option<ToolCallContent> {
    let text = |name: &str| file[name].as_str().filter(|text| !text.is_empty());
    let path = text("movePath").or_else(|| text("filePath")).or_else(|| text("relativePath"))?;
    Some(one(path, text("patch").or_else(|| text("diff"))?, cwd, disk))
}

fn one(path: &str, patch: &str, cwd: &Path, disk: &dyn Disk) -> ToolCallContent {
    let path = absolute(path, cwd);
    let sides = sides(patch, disk.read(&path));
    let diff = Diff::new(path, sides.new);
    // A file that was not there before has no text before.
    let is_new = sides.old.is_empty() && patch.contains("@@ -0,0 ");
    ToolCallContent::Diff(if is_new { diff } else { diff.old_text(sides.old) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug)]
    struct One(Option<&'static str>);

    impl Disk for One {
        fn is_directory(&self, _: &Path) -> bool {
            false
        }

        fn read(&self, _: &Path) -> Option<String> {
            self.0.map(str::to_owned)
        }
    }

    #[test]
    fn whole_files_are_shown_before_and_after() {
        let patch = "Index: /p/a\n===\n--- /p/a\n+++ /p/a\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n";
        let about = json!({ "filepath": "/p/a", "diff": patch });
        let expected =
            ToolCallContent::Diff(Diff::new("/p/a", "one\nzwei\n3\n").old_text("one\ntwo\n3\n".to_owned()));
        for file in ["one\ntwo\n3\n", "one\nzwei\n3\n"] {
            assert_eq!(diffs(&about, Path::new("/p"), &One(Some(file))), std::slice::from_ref(&expected));
        }
        let patch = "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+new\n";
        let about = json!({ "files": [{ "filePath": "b", "patch": patch }] });
        let expected = ToolCallContent::Diff(Diff::new("/p/b", "new\n"));
        assert_eq!(diffs(&about, Path::new("/p"), &One(None)), [expected]);
        assert!(diffs(&json!({}), Path::new("/p"), &One(None)).is_empty());
    }
}
