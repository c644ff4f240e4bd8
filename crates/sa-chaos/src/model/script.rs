//! The scripts that clients send, and the output that a finished turn must have.

use crate::dice::Dice;

/// Returns the nonce that a script begins with: the word after `say`.
pub(super) fn nonce(text: &str) -> Option<&str> {
    let line = text.strip_prefix("say ")?.lines().next()?;
    line.starts_with('n').then_some(line)
}

/// Lines that the demo agent runs, by how often they are sent.
const LINES: [(u64, &str); 24] = [
    (12, ""),
    (12, "stream 12 40"),
    (5, "stream 25 200 every 5"),
    (4, "flood 60 90"),
    (3, "big 90000"),
    (4, "think Let us see.\nplan"),
    (8, "permission Ship it"),
    (8, "question single"),
    (4, "question multi"),
    (3, "question text"),
    (4, "edit notes.txt"),
    (3, "tool read Look"),
    (3, "sleep 120"),
    (2, "hang"),
    (2, "ignore-cancel 300"),
    (2, "silent 200"),
    (2, "garbage text\ngarbage json\ngarbage response"),
    (1, "garbage utf8\ngarbage long 5000"),
    (1, "garbage nolf"),
    (2, "stop refusal"),
    (2, "error"),
    (2, "crash 3"),
    (1, "abort"),
    (1, "permission One\nquestion single\npermission Two"),
];

/// Lines that `sa-rogue` understands in addition; the demo agent says them back.
const ROGUE: [(u64, &str); 7] = [
    (4, "fork 2"),
    (3, "fork-stubborn 2"),
    (4, "ask-and-withdraw"),
    (4, "answer-twice"),
    (3, "late-update"),
    (2, "foreign-session"),
    (2, "ask-and-end"),
];

/// Makes up a script of a few lines that begins with the nonce.
pub(crate) fn write(dice: &mut Dice, nonce: &str, agent: &str) -> String {
    let mut text = format!("say {nonce}");
    for _ in 0..dice.between(1, 3) {
        let line = if agent.starts_with("rogue") && dice.chance(50) {
            dice.weighted(&ROGUE)
        } else {
            dice.weighted(&LINES)
        };
        if let Some(line) = line.filter(|line| !line.is_empty()) {
            text.push('\n');
            text.push_str(line);
        }
    }
    text
}

/// Names the first part of the output that a turn which ended by itself lacks.
pub(super) fn missing(script: &str, said: &[&str]) -> Option<String> {
    script.lines().find_map(|line| {
        let expected = match line.split_once(' ') {
            Some(("say", text)) => text.to_owned(),
            Some(("stream", numbers)) => chunks(numbers),
            _ => return None,
        };
        (!said.iter().any(|text| text.contains(&expected))).then(|| format!("the output of `{line}`"))
    })
}

/// Numbered chunks as `stream N BYTES` writes them.
fn chunks(numbers: &str) -> String {
    let mut numbers = numbers.split(' ').filter_map(|number| number.parse::<usize>().ok());
    let (count, bytes) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    (1..=count).map(|number| format!("{:x<bytes$}", format!("{number} "))).collect()
}

#[cfg(test)]
mod tests {
    use super::{missing, nonce};

    #[test]
    fn a_chunk_that_is_missing_is_found() {
        let script = "say n1\nstream 3 4 every 5\nhang";
        assert_eq!(nonce(script), Some("n1"));
        assert_eq!(missing(script, &["n1", "1 xx2 xx3 xx"]), None);
        assert!(missing(script, &["n1", "1 xx3 xx"]).is_some_and(|what| what.contains("stream")));
        assert!(missing(script, &["1 xx2 xx3 xx"]).is_some_and(|what| what.contains("say")));
    }
}
