//! Words in disguises that a shell takes off before it runs the command.

use proptest::prelude::*;
use proptest::sample::select;

/// Ways to write a letter or to put nothing next to it. `@` is the letter, `%` its number in hexadecimal, `&` in octal.
/// Some are known to one shell only; another shell then runs something else.
const LETTERS: [&str; 22] = [
    "@",
    "@",
    "@",
    "\\@",
    "'@'",
    "\"@\"",
    "''@",
    "@\"\"",
    "\\\n@",
    "@\\\n",
    "$'@'",
    "$\"@\"",
    "$'\\x%'",
    "$'\\&'",
    "$'\\u00%'",
    "${X}@",
    "@$X",
    "@\"$@\"",
    "@$*",
    "${X:-@}",
    "$(echo @)",
    "`echo @`",
];

/// A word as it may be written, so that some shell reads the same word.
pub(super) fn disguised(word: &'static str) -> BoxedStrategy<String> {
    let ways = proptest::collection::vec(select(LETTERS.to_vec()), word.chars().count());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    (ways, 0..4_u8)
        .prop_map(move |(ways, rate)| {
            // Often only a few letters are changed, so that the command stays short.
            let letters = word.chars().zip(ways).enumerate().map(|(at, (c, way))| {
                let changes = rate > 0 && at % usize::from(4 - rate) == 0;
                match (is_plain(c), changes) {
                    (true, true) => letter(c, way),
                    (true, false) => c.to_string(),
                    (false, _) => format!("'{}'", if c == '\'' { "\"'\"".to_owned() } else { c.to_string() }),
                }
            });
            letters.collect()
        })
        .boxed()
}

fn letter(c: char, way: &str) -> String {
    let code = u32::from(c);
    let way = way.replace('%', &format!("{code:02x}")).replace('&', &format!("{code:03o}"));
    way.replace('@', &c.to_string())
}
