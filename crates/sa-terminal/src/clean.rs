//! Text of agents, made safe to print. An agent repeats what web pages and files contain, so
//! nothing in it may steer the terminal, hide text or change the direction of writing.

use std::borrow::Cow;

/// Stands in for a character that is not printed.
const REPLACEMENT: char = '\u{fffd}';
const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// Returns the text with every character replaced that is not plain text. Line feeds and tabs stay. A line break of two
/// characters becomes one.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c == '\r' || is_unsafe(c)) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    Cow::Owned(text.chars().map(|c| if is_unsafe(c) { REPLACEMENT } else { c }).collect())
}

/// Returns the output of a command as it would stand on the screen: without escape sequences, and with the last state
/// of lines that were rewritten after a carriage return.
pub fn clean_output(text: &str) -> String {
    let stripped = strip_sequences(text).replace("\r\n", "\n");
    let lines = stripped.split('\n').map(|line| {
        let line = line.trim_end_matches('\r');
        line.rsplit('\r').next().unwrap_or(line)
    });
    let joined = lines.collect::<Vec<_>>().join("\n");
    clean(&joined).into_owned()
}

/// Returns true for characters that steer terminals (C0, C1, DEL), that change the direction of writing or that
/// are invisible and can carry hidden text.
pub(crate) fn is_unsafe(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' => true,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

/// Removes CSI, OSC and the other escape sequences. One that never ends removes the rest of the text.
fn strip_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ESCAPE => match rest.next() {
                Some('[') => skip_control_sequence(&mut rest),
                Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut rest),
                // A sequence of intermediate characters and a final one, such as ESC ( B.
                Some(' '..='/') => {
                    while rest.next_if(|c| (' '..='/').contains(c)).is_some() {}
                    rest.next();
                }
                _ => {}
            },
            '\u{9b}' => skip_control_sequence(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut rest),
            other => kept.push(other),
        }
    }
    kept
}

fn skip_control_sequence(rest: &mut impl Iterator<Item = char>) {
    rest.find(|c| ('@'..='~').contains(c));
}

/// Skips up to BEL or the string terminator.
fn skip_string(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(c) = rest.next() {
        match c {
            BELL | '\u{9c}' => return,
            ESCAPE => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        let attacks = [
            "\u{1b}]52;c;ZXZpbA==\u{7}",          // writes to the clipboard
            "\u{1b}[2J\u{1b}[H",                  // clears the screen
            "\u{9b}31m",                          // CSI as a single C1 character
            "\u{9d}0;title\u{9c}",                // OSC as a single C1 character
            "\u{1b}P+q544e\u{1b}\\",              // asks the terminal, which types its answer
            "abc\u{202e}fdp.exe",                 // writes backwards
            "\u{2066}hidden\u{2069}",             // isolates
            "a\u{8}b\rc\u{7f}\u{0}",              // overwrites
            "\u{e0041}\u{e007f}\u{feff}\u{2063}", // invisible text
        ];
        for attack in attacks {
            for text in [clean(attack).into_owned(), clean_output(attack)] {
                let unsafe_left = text.chars().filter(|c| is_unsafe(*c) || *c == '\u{1b}').count();
                assert_eq!(unsafe_left, 0, "{attack:?} became {text:?}");
            }
        }
        assert_eq!(clean("a\n\tb\u{1b}[31m\rc"), "a\n\tb\u{fffd}[31m\u{fffd}c");
    }

    #[test]
    fn ordinary_text_is_not_copied() {
        for text in ["plain\n\ttext", "grün 日本語 👩‍👩‍👧", "e\u{301}"] {
            assert!(matches!(clean(text), Cow::Borrowed(same) if same == text));
        }
        assert_eq!(clean("a\r\nb"), "a\nb");
    }

    #[test]
    fn output_looks_as_it_did_on_the_screen() {
        assert_eq!(clean_output("\u{1b}[1;31mred\u{1b}[0m\u{1b}(B ok"), "red ok");
        assert_eq!(clean_output("10%\r50%\r100%\r\ndone\r\n"), "100%\ndone\n");
        assert_eq!(clean_output("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7}"), "link");
        assert_eq!(clean_output("a\u{1b}]52;c;never ends"), "a");
    }
}
