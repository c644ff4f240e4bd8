//! Rules on whole files: size, first line, name.

use super::Finding;
use super::sources::{File, Sources};
use anyhow::Result;

/// Lines of a file that ship, at most.
const MOST_LINES: usize = 500;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 7] = ["utils", "util", "helpers", "helper", "misc", "common", "support"];

pub(super) fn check(sources: &Sources) -> Result<Vec<Finding>> {
    let written = sources.files.iter().filter(|file| !file.is_generated());
    let code = written.filter(|file| file.extension() == "rs" || file.is_script() || file.is_style());
    Ok(code.flat_map(|file| [too_long(file), headless(file), ill_named(file)]).flatten().collect())
}

fn too_long(file: &File) -> Option<Finding> {
    let lines = file.production().count();
    let long = lines > MOST_LINES && !file.is_test();
    long.then(|| {
        Finding::new(&file.path, format!("{lines} production lines; {MOST_LINES} at most, so split it"))
    })
}

fn headless(file: &File) -> Option<Finding> {
    let headless = file.extension() == "rs" && !file.text.starts_with("//!");
    headless.then(|| Finding::at(&file.path, 1, "the first line must be `//!` and say what the file holds"))
}

fn ill_named(file: &File) -> Option<Finding> {
    let parts = file.path.split('/').map(|part| part.split_once('.').map_or(part, |(stem, _)| stem));
    let bad = parts.into_iter().find(|part| EMPTY_NAMES.contains(part))?;
    Some(Finding::new(&file.path, format!("`{bad}` does not say what is inside; name it after its content")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn long_files_are_found_unless_tests_or_generated() {
        let messages = |path, text: &str| Sources::messages(check, path, text);
        let long = format!("//! x\n{}", "x;\n".repeat(500));
        assert_eq!(messages("crates/a/src/b.rs", &long).len(), 1);
        assert_eq!(messages("crates/a/tests/b.rs", &long).len(), 0);
        assert_eq!(messages("packages/a/src/b.ts", &"x;\n".repeat(501)).len(), 1);
        assert_eq!(messages("apps/a/src/b.tsx", &"x;\n".repeat(501)).len(), 1);
        assert_eq!(messages("apps/a/src/b.css", &"x{}\n".repeat(501)).len(), 1);
        assert_eq!(messages("packages/a/src/b.gen.ts", &"x;\n".repeat(501)).len(), 0);
        assert_eq!(messages("packages/a/src/b.test.ts", &"x;\n".repeat(501)).len(), 0);
        assert_eq!(messages("crates/a/src/b.rs", &"//! x\n".repeat(500)).len(), 0);
    }

    #[test]
    fn a_file_says_what_it_holds() {
        let messages = |path, text: &str| Sources::messages(check, path, text);
        assert_eq!(messages("crates/a/src/b.rs", "//! Holds b.\n").len(), 0);
        let [one] = &messages("crates/a/src/b.rs", "use x;\n")[..] else { panic!("one finding") };
        assert!(one.starts_with("crates/a/src/b.rs:1: "), "{one}");
    }

    #[test]
    fn empty_names_are_found_in_folders_and_files() {
        let messages = |path, text: &str| Sources::messages(check, path, text);
        assert_eq!(messages("crates/a/src/utils.rs", "//! x\n").len(), 1);
        assert_eq!(messages("crates/a/tests/common/mod.rs", "//! x\n").len(), 1);
        assert_eq!(messages("packages/a/src/helpers.test.ts", "").len(), 1);
        assert_eq!(messages("crates/a/src/community.rs", "//! x\n").len(), 0);
    }
}
