//! Plain American English in everything that people read: pages, command help (through the generated reference), error
//! messages, and comments.

use super::Finding;
use super::sources::{File, Sources};
use anyhow::Result;

/// An expression, and what to write instead.
struct Banned {
    text: &'static str,
    instead: &'static str,
}

const fn banned(text: &'static str, instead: &'static str) -> Banned {
    Banned { text, instead }
}

// Matched as whole words, in any case.
const BANNED: [Banned; 38] = [
    banned("amongst", "among"),
    banned("anew", "again"),
    banned("at an end", "over"),
    banned("behaviour", "behavior"),
    banned("beside", "next to"),
    banned("besides", "in addition to"),
    banned("catalogue", "catalog"),
    banned("centre", "center"),
    banned("colour", "color"),
    banned("colours", "colors"),
    banned("customise", "customize"),
    banned("defence", "defense"),
    banned("favour", "favor"),
    banned("for ever", "forever"),
    banned("for want of", "without"),
    banned("go on", "continue"),
    banned("goes on", "continues"),
    banned("going on", "continuing"),
    banned("heed", "follow"),
    banned("heeded", "followed"),
    banned("honour", "honor"),
    banned("initialise", "initialize"),
    banned("licence", "license"),
    banned("licences", "licenses"),
    banned("normalise", "normalize"),
    banned("normalised", "normalized"),
    banned("organise", "organize"),
    banned("recognise", "recognize"),
    banned("recognised", "recognized"),
    banned("recognises", "recognizes"),
    banned("see there", "a link"),
    banned("serialise", "serialize"),
    banned("spelt", "spelled"),
    banned("time-out", "timeout"),
    banned("time-outs", "timeouts"),
    banned("told", "report, notify or reply"),
    banned("whilst", "while"),
    banned("whoever", "everyone who, or name the reader"),
];

// In comments, in addition to the list above: metaphors that have a term.
const METAPHORS: [Banned; 8] = [
    banned("desk", "outbox or transaction"),
    banned("farewell", "drain"),
    banned("seat", "slot"),
    banned("seats", "slots"),
    banned("surroundings", "context"),
    banned("tell", "report, notify, reply or distinguish"),
    banned("tells", "reports, notifies, replies or distinguishes"),
    banned("telling", "reporting"),
];

/// Words that no sentence begins with, unless it is a question.
const OPENINGS: [&str; 3] = ["What", "Whether", "Whoever"];

/// Words that no doc comment begins with: a function's begins with a verb, a type's with a noun.
const DOC_OPENINGS: [&str; 11] =
    ["How", "It", "Its", "What", "When", "Where", "Whether", "Which", "Who", "Whoever", "Why"];

/// The same for scripts, where "How to reach a daemon." describes an options type well.
const SCRIPT_DOC_OPENINGS: [&str; 5] = ["It", "Its", "What", "Whether", "Whoever"];

/// The marks of comments in a language.
struct Comments {
    /// Longer marks come before those they begin with.
    marks: &'static [&'static str],
    doc: &'static str,
    doc_openings: &'static [&'static str],
}

const RUST: Comments = Comments { marks: &["///", "//!", "//"], doc: "///", doc_openings: &DOC_OPENINGS };
const SCRIPT: Comments =
    Comments { marks: &["/**", "/*", "*", "//"], doc: "/**", doc_openings: &SCRIPT_DOC_OPENINGS };

/// Folders whose pages are read by users, and pages at the root.
const FOLDERS: [&str; 6] = ["docs/", "examples/", "packages/", "skills/", "clients/", "interop/"];
const PAGES: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "AGENTS.md", "CLAUDE.md"];

/// Generated pages, whose lines are as long as they come.
const WIDE: [&str; 4] =
    ["docs/cli.md", "docs/compatibility.md", "docs/http-api.md", "docs/typescript-api.md"];

/// Characters on a line of a page.
const MAX_WIDTH: usize = 100;

pub(super) fn check(sources: &Sources) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in &sources.files {
        if is_page(file) {
            check_page(file, &mut findings);
        } else if file.extension() == "rs" {
            if !file.is_test() {
                check_errors(file, &mut findings);
            }
            if file.krate().is_some() {
                check_comments(file, &RUST, &mut findings);
            }
        } else if file.is_script() && !file.is_generated() {
            check_comments(file, &SCRIPT, &mut findings);
        }
    }
    Ok(findings)
}

fn is_page(file: &File) -> bool {
    let listed = PAGES.contains(&file.path.as_str());
    file.extension() == "md" && (listed || FOLDERS.iter().any(|folder| file.path.starts_with(folder)))
}

/// Checks the text of a page, without its code.
fn check_page(file: &File, findings: &mut Vec<Finding>) {
    let mut fenced = false;
    let is_wrapped = !WIDE.contains(&file.path.as_str());
    for (at, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let text = without_code(line);
            let opening = (!line.starts_with('#')).then(|| opening(&text)).flatten();
            let length = line.chars().count();
            let width = (is_wrapped && length > MAX_WIDTH && !is_unbreakable(line))
                .then(|| format!("{length} characters: wrap at {MAX_WIDTH}"));
            let words = problem(&text).into_iter().chain(opening).chain(width);
            findings.extend(words.map(|message| Finding::at(&file.path, at + 1, message)));
        }
    }
}

/// Returns whether a line of a page cannot be wrapped: a row of a table, HTML, or an address.
fn is_unbreakable(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['|', '<']) || line.contains("](") || line.contains("http")
}

/// Checks the messages of error types: the text in `#[error("…")]`.
fn check_errors(file: &File, findings: &mut Vec<Finding>) {
    for (at, line) in file.text.lines().enumerate() {
        let message = line.split_once("#[error(\"").map(|(_, rest)| rest);
        findings.extend(message.and_then(problem).map(|message| Finding::at(&file.path, at + 1, message)));
    }
}

/// Checks comments, without the code in them.
fn check_comments(file: &File, comments: &Comments, findings: &mut Vec<Finding>) {
    let (mut fenced, mut last) = (false, "");
    for (at, line) in file.text.lines().enumerate() {
        let line = line.trim_start();
        let marker = comments.marks.iter().find(|marker| line.starts_with(**marker)).copied().unwrap_or("");
        let is_first = marker != last;
        last = marker;
        let text = line.get(marker.len()..).unwrap_or_default().trim_start();
        if marker.is_empty() {
            fenced = false;
        } else if text.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let text = without_code(text);
            let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            let opens_doc = is_first && marker == comments.doc && comments.doc_openings.contains(&first);
            let doc = opens_doc
                .then(|| format!("a doc comment begins with `{first}`: begin with a verb or a noun"));
            let found = problem(&text).or_else(|| problem_in(&METAPHORS, &text));
            let found = found.into_iter().chain(doc.or_else(|| opening(&text)));
            findings.extend(found.map(|message| Finding::at(&file.path, at + 1, message)));
        }
    }
}

/// Removes inline code and the targets of links, in which anything may stand.
fn without_code(line: &str) -> String {
    let mut text = String::new();
    for (at, part) in line.split('`').enumerate() {
        text.push_str(if at % 2 == 0 { part } else { "code" });
    }
    let mut parts = text.split("](");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
    }
    kept
}

/// Returns which expression of a text must not be used.
fn problem(text: &str) -> Option<String> {
    problem_in(&BANNED, text)
}

fn problem_in(list: &[Banned], text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let found = list.iter().find(|banned| has_word(&lower, banned.text))?;
    Some(format!("`{}`: write {}", found.text, found.instead))
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|rest| rest.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Returns whether a sentence of a line, or a cell of a table, begins with one of the `OPENINGS`.
fn opening(line: &str) -> Option<String> {
    let sentences = line.split('|').flat_map(|cell| cell.split_inclusive(['.', '?', '!']));
    for sentence in sentences {
        let start = sentence.trim_start_matches([' ', '-', '*', '>', '_', '[']);
        let first = start.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if OPENINGS.contains(&first) && !sentence.ends_with('?') {
            return Some(format!("a sentence begins with `{first}`: begin with its subject"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn expressions_are_found_in_pages_and_errors() {
        let messages = |path, text: &str| Sources::messages(check, path, text);
        assert_eq!(messages("docs/a.md", "The turn goes on.\n"), ["docs/a.md:1: `goes on`: write continues"]);
        assert_eq!(
            messages("src/a.rs", "#[error(\"the licence is missing\")]\n"),
            ["src/a.rs:1: `licence`: write license"]
        );
        assert_eq!(messages("notes/a.md", "The turn goes on.\n"), [""; 0]);
        assert_eq!(
            messages("crates/sa-x/src/a.rs", "// The turn goes on.\n"),
            ["crates/sa-x/src/a.rs:1: `goes on`: write continues"]
        );
    }

    #[test]
    fn doc_comments_begin_with_a_verb_or_a_noun() {
        let messages = |path, text: &str| Sources::messages(check, path, text);
        let check = |text: &str| messages("crates/sa-x/src/a.rs", text);
        for flagged in
            ["/// Its id.\n", "/// Whether it runs.\n", "// It ends. What is left, stays.\n", "/// Told.\n"]
        {
            assert_eq!(check(flagged).len(), 1, "{flagged}");
        }
        for fine in
            ["/// Returns the id.\n/// It is new.\n", "// It runs.\n", "/// ```text\n/// What\n/// ```\n"]
        {
            assert_eq!(check(fine), [""; 0], "{fine}");
        }
    }

    #[test]
    fn comments_of_scripts_count_too() {
        let messages = |text: &str| Sources::messages(check, "packages/x/src/a.ts", text);
        for flagged in ["// The turn goes on.\n", "/** What it says. */\n", "/**\n * It is told.\n */\n"] {
            assert_eq!(messages(flagged).len(), 1, "{flagged}");
        }
        for fine in ["/** How to reach a daemon. */\n", "const told = 1;\n", "// @generated\n// goes on\n"] {
            assert_eq!(messages(fine), [""; 0], "{fine}");
        }
    }

    #[test]
    fn code_and_links_are_free() {
        let messages = |path, text: &str| Sources::messages(check, path, text);
        let page = "Set `time-out` to `1`, see [it](time-out.md#anew).\n```sh\ngo on\n```\n";
        assert_eq!(messages("docs/a.md", page), [""; 0]);
    }

    #[test]
    fn lines_of_pages_are_wrapped() {
        let messages = |path, text: &str| Sources::messages(check, path, text);
        let long = "word ".repeat(21);
        assert_eq!(messages("docs/a.md", &long), ["docs/a.md:1: 105 characters: wrap at 100"]);
        for free in [format!("| {long}|"), format!("[{long}](a.md)"), format!("```\n{long}\n```")] {
            assert_eq!(messages("docs/a.md", &free), [""; 0], "{free}");
        }
        assert_eq!(messages("docs/cli.md", &long), [""; 0]);
    }

    #[test]
    fn words_are_whole() {
        let messages = |path, text: &str| Sources::messages(check, path, text);
        assert_eq!(messages("docs/a.md", "Retold, colourless, time-outlier\n"), [""; 0]);
    }

    #[test]
    fn sentences_begin_with_their_subject() {
        let messages = |path, text: &str| Sources::messages(check, path, text);
        let flagged = ["- What counts is this.", "It ends. Whether it does, shows.", "| a | What is sent |"];
        for line in flagged {
            assert_eq!(messages("docs/a.md", line).len(), 1, "{line}");
        }
        for line in ["## What you get", "What is it?", "Somewhat. That is what it is."] {
            assert_eq!(messages("docs/a.md", line), [""; 0], "{line}");
        }
    }
}
