//! Settings files as people write them: JSON with comments and commas too many.

use serde_json::Value;

/// Reads such a file. An empty one is an empty object.
pub(crate) fn read(text: &str) -> Result<Value, serde_json::Error> {
    let plain = plain(text);
    if plain.trim().is_empty() {
        Ok(Value::Object(serde_json::Map::new()))
    } else {
        serde_json::from_str(&plain)
    }
}

/// The text without comments, and without commas that nothing follows.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('"', _) => {
                plain.push('"');
                while let Some(inner) = letters.next() {
                    plain.push(inner);
                    match inner {
                        '\\' => plain.extend(letters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => {
                while letters.peek().is_some_and(|next| *next != '\n') {
                    letters.next();
                }
            }
            ('/', Some('*')) => {
                letters.next();
                let mut before = ' ';
                for inner in letters.by_ref() {
                    if before == '*' && inner == '/' {
                        break;
                    }
                    before = inner;
                }
            }
            (']' | '}', _) => {
                let kept = plain.trim_end();
                if kept.ends_with(',') {
                    plain.truncate(kept.len() - 1);
                }
                plain.push(letter);
            }
            _ => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comments_and_spare_commas_are_passed_over() {
        let text = "{ // one\n \"a\": \"// no, \\\" /* comment */\", /* two\n */ \"b\": [1, 2, ], }";
        assert_eq!(read(text).ok(), Some(json!({ "a": "// no, \" /* comment */", "b": [1, 2] })));
        assert_eq!(read(" // nothing\n").ok(), Some(json!({})));
        assert!(read("{ a }").is_err());
    }
}
