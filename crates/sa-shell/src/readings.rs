//! Everything that a command line may run, as phrases: for rules about what must not run.

use super::lexer::Line;
use super::programs::{evaluates, is_keyword, starts_others};
use super::word::{Piece, Word};

/// Command lines within command lines are followed this deep.
const MAX_DEPTH: usize = 4;

/// Phrases together are at most this long, in bytes. A line with more of them may run anything.
const MAX_BYTES: usize = 1 << 20;

/// Letters that make one command several in any of the usual shells, quoted or not: shells differ in what ends a quote.
const OPERATORS: [char; 10] = [';', '&', '|', '`', '<', '>', '(', ')', '\n', '\r'];

/// The phrases that a command line may run: each begins with a program, and has its arguments with one space between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readings {
    phrases: Vec<Phrase>,
    bytes: usize,
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

    fn line(&mut self, text: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return self.anything();
        }
        // Words continue behind such an end of a line, which must not be taken for the end of a command.
        let joined = text.replace("\\\n", "");
        if joined.len() < text.len() {
            self.line(&joined, depth);
        }
        self.whole(text, depth);
        // A part may begin or end within quotes, so that alone it is broken. Redirections are read as such, and as ends.
        let is_end = |c: char| OPERATORS.contains(&c) && c != '<' && c != '>';
        for part in text.split(is_end).chain(text.split(OPERATORS)).filter(|part| part.len() < text.len()) {
            for command in Line::read(part).commands() {
                self.command(command, depth);
            }
        }
    }

    fn whole(&mut self, text: &str, depth: usize) {
        let line = Line::read(text);
        if line.is_broken() {
            self.anything();
        }
        for command in line.commands() {
            self.command(command, depth);
        }
    }

    fn anything(&mut self) {
        self.phrases.push(Phrase::Gaps(vec![Piece::Any]));
    }

    fn command(&mut self, words: &[Word], depth: usize) {
        let mut starts_here = true;
        let mut is_script = false;
        for (at, word) in words.iter().enumerate() {
            let name = word.file_name().unwrap_or_else(|| word.clone());
            let text = name.text().unwrap_or_default();
            if is_script && let Some(script) = word.text() {
                self.script(script, depth);
            }
            if !starts_here {
                continue;
            }
            self.phrase(words.get(at..).unwrap_or_default());
            is_script |= evaluates(text);
            starts_here = is_keyword(text) || word.assigned().is_some() || starts_others(text) || is_script;
            // All arguments of a program that starts another may be that one.
            if starts_others(text) {
                for rest in at + 1..words.len() {
                    self.phrase(words.get(rest..).unwrap_or_default());
                }
                is_script |= words.iter().skip(at).any(|word| word.text().is_some_and(evaluates));
                starts_here = false;
            }
            if self.bytes > MAX_BYTES {
                return self.anything();
            }
        }
    }

    /// Reads an argument that may be a command line, or an assignment of one.
    fn script(&mut self, text: &str, depth: usize) {
        let is_line = |text: &str| text.contains(|c: char| !c.is_ascii_alphanumeric() && !"/._-".contains(c));
        if is_line(text) {
            self.line(text, depth + 1);
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
        let mut pieces: Vec<Piece> = program.pieces().to_vec();
        for word in arguments {
            pieces.push(Piece::Text(" ".to_owned()));
            pieces.extend_from_slice(word.pieces());
        }
        let length = |piece: &Piece| if let Piece::Text(text) = piece { text.len() } else { 1 };
        self.bytes += pieces.iter().map(length).sum::<usize>();
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
    for letter in &phrase {
        let mut next = vec![false; pattern.len() + 1];
        next[0] = row[0] && letter.is_none();
        for (i, wanted) in pattern.iter().enumerate() {
            next[i + 1] = match (wanted, letter) {
                (None, _) => row[i + 1] || next[i] || (letter.is_none() && row[i]),
                (Some(_), None) => row[i + 1] || next[i],
                (Some(wanted), Some(letter)) => row[i] && wanted == letter,
            };
        }
        row = next;
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
mod tests {
    use super::may_run as may;
    use super::*;

    #[test]
    fn a_pattern_meets_a_phrase_with_gaps_if_some_text_fits_both() {
        let gaps = |phrase: &str| -> Vec<Piece> {
            phrase.chars().map(|c| if c == '*' { Piece::Any } else { Piece::Text(c.into()) }).collect()
        };
        for (pattern, phrase) in
            [("rm *", "*"), ("rm *", "r* x"), ("a*c", "ab*"), ("", "*"), ("*", ""), ("a*b*c", "*x*")]
        {
            assert!(meets(pattern, &gaps(phrase)), "{pattern} {phrase}");
        }
        for (pattern, phrase) in [("rm *", "ls *"), ("a", ""), ("a*c", "*b"), ("rm", "*x")] {
            assert!(!meets(pattern, &gaps(phrase)), "{pattern} {phrase}");
        }
    }

    #[test]
    fn programs_are_found_behind_whatever_stands_before_them() {
        for line in [
            "rm -rf x",
            "rm\t-rf x",
            "X=1 rm x",
            "/bin/rm x",
            "if true; then rm x; fi",
            "{ rm x; }",
            "sudo rm x",
            r"r\m x",
            "'rm' x",
            "r''m x",
            "ls | xargs rm -f",
            "find . -exec rm {} +",
            "sh -c 'rm x'",
            "eval \"rm x\"",
            "echo $(r\\m x)",
            "env -i A=b rm x",
            "sudo -u me -- rm x",
            "2>/dev/null rm x",
            ">f rm x",
            "$x y",
            "r{m,} x",
            "r? x",
            "$'\\x72m' x",
            "r\\\nm x",
            "# don't\nX=1 rm x",
            "bash -lc \"sh -c 'rm x'\"",
            "rm x'",
            "alias y=rm z",
            "case a in a) rm x;; esac",
            "timeout 5 rm x",
            "bash <<E\nX=1 rm x\nE",
            "cat <<-E\n\tit's\n\tE\nr\\m x",
            "a & rm x",
            "`rm x`",
            "trap 'rm x' EXIT",
            "function f { rm x; }; f",
            "noglob rm x",
            "\"$RM\" x",
        ] {
            assert!(may("rm *", line), "{line}");
        }
    }

    #[test]
    fn options_before_a_subcommand_do_not_hide_it_and_text_is_no_command() {
        for line in [
            "git push",
            "git -C x push",
            "git --no-pager -c a=b push --force",
            "git $x",
            "/usr/bin/git 'push'",
        ] {
            assert!(may("git push*", line), "{line}");
        }
        for line in [
            "ls -l",
            "cat rm x",
            "npm run build && npm test",
            "echo \"$HOME\" farm x",
            "git commit -m 'rm x'",
            "cat > f <<'E'\nit's (fine)\nE\nls",
        ] {
            assert!(!may("rm *", line), "{line}");
        }
    }
}
