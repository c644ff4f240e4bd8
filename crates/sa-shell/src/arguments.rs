//! Arguments that become commands: what a program puts in by itself, and what it runs as a script.

use super::programs::{completes, interprets, runs_files, starts_others};
use super::word::Word;

/// Text that a program runs as a command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Interpreted {
    /// Text that is not in the line: the program's input, or what a shell fills in.
    Anything,
    /// All arguments together.
    Text(String),
    Nothing,
}

/// The most texts for which `xargs` and its like put something in. With more of them, every word is a gap.
const MAX_MARKS: usize = 16;

/// The words of a command with gaps where `xargs` and its like put in what they read or find.
#[derive(Debug)]
pub(crate) struct Completed<'a> {
    given: &'a [Word],
    words: Vec<Word>,
    /// The first program behind `xargs` or its like that starts another one.
    starter: Option<usize>,
}

impl<'a> Completed<'a> {
    pub(crate) fn new(given: &'a [Word]) -> Self {
        let is = |word: &Word, test: fn(&str) -> bool| word.name().text().is_some_and(test);
        let mut words = given.to_vec();
        let Some(at) = given.iter().position(|word| is(word, completes)) else {
            return Self { given, words, starter: None };
        };
        let starter = given.iter().skip(at + 1).position(|word| is(word, starts_others));
        let marks = marks(given.get(at + 1..).unwrap_or_default());
        let mut gap = Word::default();
        gap.push_any();
        for word in words.iter_mut().skip(at + 1) {
            *word = match &marks {
                Some(marks) => marks.iter().fold(word.clone(), |word, mark| word.without(mark)),
                None => gap.clone(),
            };
        }
        if given.get(at).is_some_and(|word| word.name().text() != Some("find")) {
            words.push(gap);
        }
        Self { given, words, starter: starter.map(|behind| at + 1 + behind) }
    }

    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }

    /// Returns whether a word may be a program. One that was completed may be if another program starts it.
    pub(crate) fn may_be_program(&self, at: usize) -> bool {
        let is_action = |word: &Word| {
            word.text().is_some_and(|text| text.starts_with("-exec") || text.starts_with("-ok"))
        };
        self.words.get(at) == self.given.get(at)
            || at.checked_sub(1).and_then(|before| self.given.get(before)).is_some_and(is_action)
            || self.starter.is_some_and(|starter| starter < at)
    }
}

/// Returns the texts that are replaced in the arguments of `xargs` and its like; `None` if there are too many of them.
fn marks(arguments: &[Word]) -> Option<Vec<String>> {
    let mut marks = vec!["{}"];
    for (index, word) in arguments.iter().enumerate() {
        let text = word.text().unwrap_or_default();
        let next = arguments.get(index + 1).and_then(Word::text);
        let attached = ["--replace=", "-I", "-i", "-J"].iter().find_map(|option| text.strip_prefix(option));
        let mark = attached.filter(|mark| !mark.is_empty()).or(next.filter(|_| matches!(text, "-I" | "-J")));
        marks.extend(mark.filter(|mark| !mark.is_empty()));
    }
    marks.sort_unstable();
    marks.dedup();
    (marks.len() <= MAX_MARKS).then(|| marks.into_iter().map(str::to_owned).collect())
}

/// Returns what a program, the first of these words, runs as a command line.
pub(crate) fn interpreted(name: &str, words: &[Word]) -> Interpreted {
    let arguments = words.get(1..).unwrap_or_default();
    let found = if runs_files(name) {
        script(name, arguments).is_some_and(is_unknown)
    } else if name == "env" {
        splits_unread_text(arguments)
    } else if name == "alias" {
        // The name is replaced before the line that uses it is read.
        arguments.iter().any(|word| word.text().is_none_or(|text| text.contains('=')))
    } else {
        false
    };
    if found {
        return Interpreted::Anything;
    }
    if !interprets(name) || arguments.is_empty() {
        return Interpreted::Nothing;
    }
    let texts: Option<Vec<&str>> = arguments.iter().map(Word::text).collect();
    texts.map_or(Interpreted::Anything, |texts| Interpreted::Text(texts.join(" ")))
}

/// The source of the commands that a shell runs.
enum Source<'a> {
    Input,
    File(&'a Word),
    Text(&'a Word),
}

fn is_unknown(source: Source<'_>) -> bool {
    match source {
        Source::Input => true,
        Source::Text(word) => word.text().is_none(),
        Source::File(word) => match word.text() {
            Some(path) => path.starts_with("/dev/") || path.starts_with("/proc/"),
            // A path whose end is known is a script.
            None => match word.end().rsplit_once('/') {
                Some((_, name)) => name == "stdin" || name.chars().all(|c| c.is_ascii_digit()),
                None => true,
            },
        },
    }
}

/// Returns the source of a shell's commands, or of `.`; `None` if it runs none.
fn script<'a>(name: &str, arguments: &'a [Word]) -> Option<Source<'a>> {
    if matches!(name, "." | "source") {
        return arguments.iter().find(|word| word.text() != Some("--")).map(Source::File);
    }
    let (mut takes_text, mut takes_input) = (false, false);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let option = word.start();
        if !option.starts_with(['-', '+']) {
            return Some(match (takes_text, takes_input) {
                (true, _) => Source::Text(word),
                (_, true) => Source::Input,
                _ => Source::File(word),
            });
        }
        match word.text() {
            Some("--version" | "--help") => return None,
            Some("--rcfile" | "--init-file") => drop(words.next()),
            Some(long) if long.starts_with("--") => {}
            Some(letters) => {
                takes_text |= letters.contains('c') && letters.starts_with('-');
                takes_input |= letters.contains('s') && letters.starts_with('-');
                if letters.ends_with(['o', 'O']) {
                    words.next();
                }
            }
            None => return Some(Source::Input),
        }
    }
    (!takes_text).then_some(Source::Input)
}

/// Returns whether `env` cuts a text into words by rules of its own that are not read here.
fn splits_unread_text(arguments: &[Word]) -> bool {
    let splits = |word: &Word| {
        let option = word.start();
        option.starts_with("--s") || (option.starts_with('-') && option.contains('S'))
    };
    let is_unread = |word: &Word| word.text().is_none_or(|text| text.contains(['\\', '$']));
    arguments.iter().any(splits) && arguments.iter().any(is_unread)
}
