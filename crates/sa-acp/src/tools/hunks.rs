//! Unified diffs of one file: `@@ -1,2 +1,2 @@` and lines that stay, go and come. Headers before them do no harm.

/// A file before and after a change.
#[derive(Debug, PartialEq, Eq)]
pub struct Sides {
    /// Before.
    pub old: String,
    /// After.
    pub new: String,
}

/// One hunk: the lines before and after, each with its end.
#[derive(Debug, Default)]
struct Hunk {
    /// The position before and after the change, from 0.
    old_start: usize,
    new_start: usize,
    old: Vec<String>,
    new: Vec<String>,
}

/// The file on both sides of a change: the one on the disk with the change, or if it has it already without it; or when it
/// is another file by now, only the change itself.
pub fn sides(diff: &str, file: Option<String>) -> Sides {
    let hunks = read(diff);
    if let Some(file) = file {
        if let Some(new) = replaced(&file, &hunks, |hunk| (hunk.old_start, &hunk.old, &hunk.new)) {
            return Sides { old: file, new };
        }
        if let Some(old) = replaced(&file, &hunks, |hunk| (hunk.new_start, &hunk.new, &hunk.old)) {
            return Sides { old, new: file };
        }
    }
    let all = |of: fn(&Hunk) -> &Vec<String>| hunks.iter().flat_map(of).map(String::as_str).collect();
    Sides { old: all(|hunk| &hunk.old), new: all(|hunk| &hunk.new) }
}

fn read(diff: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in diff.split_inclusive('\n') {
        if let Some(places) = line.strip_prefix("@@") {
            let (old_start, new_start) = starts(places);
            hunks.push(Hunk { old_start, new_start, ..Hunk::default() });
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        let mut letters = line.chars();
        let (sign, text) = (letters.next(), letters.as_str());
        match sign {
            Some('-') => hunk.old.push(text.to_owned()),
            Some('+') => hunk.new.push(text.to_owned()),
            // "\ No newline at end of file" is about the line before.
            Some('\\') => {
                for side in [&mut hunk.old, &mut hunk.new] {
                    if let Some(last) = side.last_mut() {
                        last.truncate(last.trim_end_matches('\n').len());
                    }
                }
            }
            _ => {
                hunk.old.push(text.to_owned());
                hunk.new.push(text.to_owned());
            }
        }
    }
    hunks
}

/// The places in `-1,2 +1,2 @@`, from 0. A place without lines is counted from the line before it.
fn starts(places: &str) -> (usize, usize) {
    let place = |sign: char| {
        let word = places.split_whitespace().find_map(|word| word.strip_prefix(sign))?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        let start: usize = start.parse().ok()?;
        Some(if count == "0" { start } else { start.saturating_sub(1) })
    };
    (place('-').unwrap_or_default(), place('+').unwrap_or_default())
}

/// The file with one side of every hunk replaced by the other; `None` if that side is not where it should be.
fn replaced<'a>(
    file: &str,
    hunks: &'a [Hunk],
    pick: impl Fn(&'a Hunk) -> (usize, &'a Vec<String>, &'a Vec<String>),
) -> Option<String> {
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let (mut result, mut done) = (String::new(), 0);
    for hunk in hunks {
        let (start, from, to) = pick(hunk);
        if start < done || lines.get(start..start + from.len())? != from.as_slice() {
            return None;
        }
        result.extend(lines.get(done..start)?.iter().copied());
        result.extend(to.iter().map(String::as_str));
        done = start + from.len();
    }
    result.extend(lines.get(done..)?.iter().copied());
    (!hunks.is_empty()).then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "@@ -1,2 +1,2 @@\n one\n-two\n+deux\n@@ -5,0 +5,1 @@\n+six\n";

    fn told(diff: &str, file: Option<&str>) -> (String, String) {
        let sides = sides(diff, file.map(str::to_owned));
        (sides.old, sides.new)
    }

    #[test]
    fn a_change_is_shown_in_its_file_before_and_after_it_is_made() {
        let (old, new) = ("one\ntwo\n3\n4\n5\n", "one\ndeux\n3\n4\n5\nsix\n");
        let diff = "@@ -1,2 +1,2 @@\n one\n-two\n+deux\n@@ -5,0 +6,1 @@\n+six\n";
        assert_eq!(told(diff, Some(old)), (old.to_owned(), new.to_owned()));
        assert_eq!(told(diff, Some(new)), (old.to_owned(), new.to_owned()));
    }

    #[test]
    fn without_its_file_a_change_is_all_there_is() {
        let expected = ("one\ntwo\n".to_owned(), "one\ndeux\nsix\n".to_owned());
        assert_eq!(told(DIFF, None), expected);
        assert_eq!(told(DIFF, Some("something\nelse\n")), expected);
        assert_eq!(told("", Some("x")), (String::new(), String::new()));
        assert_eq!(told("no diff at all", Some("x")), (String::new(), String::new()));
    }

    #[test]
    fn a_missing_line_end_is_kept() {
        let diff = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n";
        assert_eq!(told(diff, Some("a")), ("a".to_owned(), "b".to_owned()));
    }
}
