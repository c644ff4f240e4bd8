//! Everything that a command line may run, as phrases: for rules about what must not run.

use super::arguments::{Completed, Interpreted, interpreted};
use super::lexer::{Line, MAX_LINE};
use super::programs::{evaluates, indexes, is_keyword, starts_others, takes_name};
use super::word::{Piece, Word};

/// Command lines within command lines are followed this deep.
const MAX_DEPTH: usize = 6;

/// Phrases together are at most this long, in bytes. A line with more of them may run anything.
const MAX_BYTES: usize = 1 << 20;

/// Texts that are read for one command are together at most this long, in bytes: parts of a line are read again on their own,
/// and so are lines within lines. A command that takes more may run anything.
const MAX_WORK: usize = 4 << 20;

/// Letters that make one command several in any of the usual shells, quoted or not: shells differ in what ends a quote.
const OPERATORS: [char; 10] = [';', '&', '|', '`', '<', '>', '(', ')', '\n', '\r'];

/// The phrases that a command line may run: each begins with a program, and has its arguments with one space between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readings {
    phrases: Vec<Phrase>,
    bytes: usize,
    work: usize,
    /// Anything may run, so that nothing more is to be found.
    is_anything: bool,
}

/// A phrase of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phrase {
    Text(String),
    Gaps(Vec<Piece>),
}

impl Readings {
    /// Reads a command line.
    pub fn of_line(text: &str) -> Self {
        let mut readings = Self::default();
        readings.line(text, 0);
        readings
    }

    /// Reads a command that is given as its words.
    pub fn of_words(words: &[String]) -> Self {
        let mut readings = Self::default();
        if words.iter().map(|word| word.len() + 1).sum::<usize>() > MAX_BYTES {
            readings.anything();
            return readings;
        }
        let words: Vec<_> = words.iter().map(Word::of).collect();
        readings.command(&words, 0);
        readings
    }

    /// Returns whether a pattern may match one of the phrases; `*` in it stands for any letters. `matches` decides on a phrase that is
    /// known to the letter.
    pub fn any(&self, pattern: &str, matches: impl Fn(&str) -> bool) -> bool {
        self.phrases.iter().any(|phrase| match phrase {
            Phrase::Text(text) => matches(text),
            Phrase::Gaps(pieces) => meets(pattern, pieces),
        })
    }

    /// Reads a line. Everything that leads from one line to another adds to the depth.
    fn line(&mut self, text: &str, depth: usize) {
        if self.is_anything {
            return;
        }
        if depth > MAX_DEPTH || text.len() > MAX_LINE {
            return self.anything();
        }
        // Words continue behind such an end of a line, which must not be taken for the end of a command.
        let joined = text.replace("\\\n", "");
        if joined.len() < text.len() {
            self.line(&joined, depth + 1);
        }
        let whole = self.read(text);
        if whole.is_broken() {
            return self.anything();
        }
        self.commands(&whole, depth);
        // A part may begin or end within quotes, so that alone it is broken. Redirections are read as such, and as ends.
        let is_end = |c: char| OPERATORS.contains(&c) && c != '<' && c != '>';
        for part in text.split(is_end).chain(text.split(OPERATORS)).filter(|part| part.len() < text.len()) {
            if self.is_anything {
                return;
            }
            let part = self.read(part);
            self.commands(&part, depth);
        }
    }

    /// Takes a text apart, if it is not too much for one command.
    fn read(&mut self, text: &str) -> Line {
        self.work += text.len() + 1;
        if self.work > MAX_WORK {
            self.anything();
        }
        if self.is_anything { Line::default() } else { Line::read(text) }
    }

    fn commands(&mut self, line: &Line, depth: usize) {
        if line.evaluates() {
            self.anything();
        }
        let decoded = line.decoded().iter().filter(|text| substitutes(text));
        for text in line.inner().iter().chain(decoded) {
            self.line(text, depth + 1);
        }
        for command in line.commands() {
            self.command(command, depth);
        }
    }

    fn anything(&mut self) {
        self.is_anything = true;
        self.phrases = vec![Phrase::Gaps(vec![Piece::Any])];
    }

    fn command(&mut self, given: &[Word], depth: usize) {
        if self.is_anything {
            return;
        }
        let completed = Completed::new(given);
        let words = completed.words();
        let mut place = Place::Program;
        let (mut has_scripts, mut has_indexes) = (false, false);
        for (at, word) in words.iter().enumerate() {
            if self.is_anything {
                return;
            }
            // This array holds the aliases.
            if word.start().starts_with("BASH_ALIASES") {
                return self.anything();
            }
            let name = word.name();
            let text = name.text().unwrap_or_default();
            if let Some(argument) = word.text() {
                if has_scripts {
                    self.script(argument, depth);
                } else if has_indexes && substitutes(argument) {
                    self.line(argument, depth + 1);
                }
            }
            place = match place {
                Place::Name => {
                    place = Place::Named;
                    continue;
                }
                Place::Named if text == "in" => Place::Argument,
                Place::Named => Place::Program,
                place => place,
            };
            if place == Place::Argument || !completed.may_be_program(at) {
                continue;
            }
            let (rest, value) = (words.get(at..).unwrap_or_default(), word.assigned());
            self.phrase(rest);
            // There may be nothing to complete it with.
            if words.len() > given.len() {
                self.phrase(given.get(at..).unwrap_or_default());
            }
            if let Some(text) = value.as_ref().and_then(Word::text).filter(|text| substitutes(text)) {
                self.line(text, depth + 1);
            }
            match interpreted(text, rest) {
                Interpreted::Anything => self.anything(),
                Interpreted::Text(line) => self.line(&line, depth + 1),
                Interpreted::Nothing => {}
            }
            has_scripts |= evaluates(text);
            has_indexes |= indexes(text);
            place = match place {
                Place::Wrapped => Place::Wrapped,
                _ if is_lookup(rest) => Place::Argument,
                _ if takes_name(text) => Place::Name,
                _ if starts_others(text) => Place::Wrapped,
                _ if is_keyword(text) || value.is_some() => Place::Program,
                _ => Place::Argument,
            };
        }
    }

    /// Reads an argument that may be a command line, an assignment of one, or an option with one.
    fn script(&mut self, text: &str, depth: usize) {
        let is_line = |text: &str| text.contains(|c: char| !c.is_ascii_alphanumeric() && !"/._-".contains(c));
        if is_line(text) {
            self.line(text, depth + 1);
        }
        let long = text.strip_prefix("--").and_then(|option| option.split_once('=')).map(|(_, value)| value);
        let short = (2..5).filter_map(|letters| text.get(letters..)).filter(|_| text.starts_with('-'));
        for value in long.into_iter().chain(short).filter(|value| is_line(value)) {
            self.line(value, depth + 1);
        }
        if let Some(value) = Word::of(text).assigned().as_ref().and_then(Word::text) {
            self.line(value, depth + 1);
            // Arguments come where the name is used.
            let mut more = Word::default();
            more.push_any();
            self.phrase(&[Word::of(value), more]);
        }
    }

    /// Adds a phrase as it is, by its program's bare name, and without the options before what the program is to do.
    fn phrase(&mut self, words: &[Word]) {
        let Some((program, arguments)) = words.split_first() else { return };
        let mut programs = vec![program.clone()];
        programs.extend(program.file_name());
        if let Some(bare) = program.text().and_then(|text| text.strip_prefix('=')) {
            programs.push(Word::of(bare));
        }
        for program in programs {
            self.add(&program, arguments);
            for skipped in skips(arguments) {
                self.add(&program, arguments.get(skipped..).unwrap_or_default());
            }
        }
    }

    fn add(&mut self, program: &Word, arguments: &[Word]) {
        if self.is_anything {
            return;
        }
        let mut pieces: Vec<Piece> = program.pieces().to_vec();
        for word in arguments {
            pieces.push(Piece::Text(" ".to_owned()));
            pieces.extend_from_slice(word.pieces());
        }
        let length = |piece: &Piece| if let Piece::Text(text) = piece { text.len() } else { 1 };
        self.bytes += 1 + pieces.iter().map(length).sum::<usize>();
        if self.bytes > MAX_BYTES {
            return self.anything();
        }
        let text: Option<String> = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => Some(text.as_str()),
                Piece::Any => None,
            })
            .collect();
        self.phrases.push(text.map_or(Phrase::Gaps(pieces), Phrase::Text));
    }
}

/// The role of the next word of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The program.
    Program,
    /// The name of a variable or function, behind `for` and the like.
    Name,
    /// A command behind such a name, or `in` and values.
    Named,
    /// An argument of a program that starts another: an option, the other program, or one of its arguments.
    Wrapped,
    Argument,
}

/// Returns whether a text has a command in it, wherever a shell evaluates it.
fn substitutes(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}

/// Returns whether `command` is asked where a program is, and starts none.
fn is_lookup(words: &[Word]) -> bool {
    matches!(words, [command, option, ..] if command.text() == Some("command")
        && option.text().is_some_and(|text| text == "-v" || text == "-V"))
}

/// Returns how many of the first arguments may be options and their values.
fn skips(arguments: &[Word]) -> Vec<usize> {
    let is_option = |at: usize| arguments.get(at).is_some_and(|word: &Word| word.start().starts_with('-'));
    let (mut found, mut at) = (Vec::new(), 0);
    while is_option(at) {
        at += 1;
        found.push(at);
        if at < arguments.len() && !is_option(at) {
            found.push(at + 1);
            at += 1;
        }
    }
    found
}

/// Returns whether some text fits a pattern and a phrase with gaps.
fn meets(pattern: &str, pieces: &[Piece]) -> bool {
    let pattern: Vec<Option<char>> = pattern.chars().map(|c| (c != '*').then_some(c)).collect();
    let mut phrase: Vec<Option<char>> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => phrase.extend(text.chars().map(Some)),
            Piece::Any => phrase.push(None),
        }
    }
    // `row[i]`: the phrase so far and the first `i` letters of the pattern have a text in common.
    let mut row = vec![false; pattern.len() + 1];
    row[0] = true;
    for (i, letter) in pattern.iter().enumerate() {
        row[i + 1] = row[i] && letter.is_none();
    }
    let mut next = row.clone();
    for letter in &phrase {
        next[0] = row[0] && letter.is_none();
        for (i, wanted) in pattern.iter().enumerate() {
            next[i + 1] = match (wanted, letter) {
                (None, _) => row[i + 1] || next[i] || (letter.is_none() && row[i]),
                (Some(_), None) => row[i + 1] || next[i],
                (Some(wanted), Some(letter)) => row[i] && wanted == letter,
            };
        }
        std::mem::swap(&mut row, &mut next);
    }
    row.last().copied().unwrap_or_default()
}

/// Returns whether a pattern may match something that a line runs.
#[cfg(test)]
pub(crate) fn may_run(pattern: &str, line: &str) -> bool {
    let matches = |text: &str| meets(pattern, &[Piece::Text(text.to_owned())]);
    Readings::of_line(line).any(pattern, matches)
}

#[cfg(test)]
mod tests;
