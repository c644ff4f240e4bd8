//! Words that say that something is not done, or not tested.

use super::Finding;
use super::sources::{File, Sources};
use anyhow::Result;

/// The kind of text in which a word counts.
#[derive(Clone, Copy)]
enum Place {
    Rust,
    Script,
    /// Every file, as a whole word.
    Anywhere,
}

struct Word {
    text: &'static str,
    place: Place,
    instead: &'static str,
}

// In two halves each, so that this file does not hold them itself.
const WORDS: [Word; 8] = [
    Word { text: concat!("to", "do!"), place: Place::Rust, instead: "write it" },
    Word { text: concat!("unimple", "mented!"), place: Place::Rust, instead: "write it" },
    Word { text: concat!("#[ig", "nore"), place: Place::Rust, instead: "a test runs or goes" },
    Word { text: concat!(".sk", "ip("), place: Place::Script, instead: "a test runs or goes" },
    Word { text: concat!(".on", "ly("), place: Place::Script, instead: "all tests run" },
    Word { text: concat!("TO", "DO"), place: Place::Anywhere, instead: "do it, or open an issue" },
    Word { text: concat!("FIX", "ME"), place: Place::Anywhere, instead: "fix it, or open an issue" },
    Word { text: concat!("XX", "X"), place: Place::Anywhere, instead: "say what is wrong, or fix it" },
];

pub(super) fn check(sources: &Sources) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in sources.files.iter().filter(|file| !file.is_generated()) {
        for word in WORDS.iter().filter(|word| word.place.covers(file)) {
            let lines = file.text.lines().enumerate();
            for (at, _) in lines.filter(|(_, line)| word.place.holds(line, word.text)) {
                let message = format!("`{}` must not stay: {}", word.text, word.instead);
                findings.push(Finding::at(&file.path, at + 1, message));
            }
        }
    }
    Ok(findings)
}

impl Place {
    fn covers(self, file: &File) -> bool {
        match self {
            Self::Rust => file.extension() == "rs",
            Self::Script => file.is_script(),
            Self::Anywhere => true,
        }
    }

    fn holds(self, line: &str, text: &str) -> bool {
        match self {
            Self::Rust | Self::Script => line.contains(text),
            Self::Anywhere => {
                let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                words.into_iter().any(|word| word == text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn unfinished_code_is_found_where_it_counts() {
        let places = |path, text: &str| Sources::places(check, path, text);
        let unfinished = concat!("x\n  to", "do!()\n");
        assert_eq!(places("a.rs", unfinished), ["a.rs:2"]);
        assert_eq!(places("a.md", unfinished), [""; 0]);
        assert_eq!(places("a.ts", concat!("it.sk", "ip(\"x\")\n")), ["a.ts:1"]);
        assert_eq!(places("a.rs", "iter.skip(1)\n"), [""; 0]);
    }

    #[test]
    fn marks_are_whole_words() {
        let places = |path, text: &str| Sources::places(check, path, text);
        assert_eq!(places("a.md", concat!("- TO", "DO: it\n")), ["a.md:1"]);
        assert_eq!(places("a.md", concat!("MASTO", "DON, XX", "XX, a mkstemp suffix\n")), [""; 0]);
        assert_eq!(places("package-lock.json", concat!("\"XX", "X\"\n")), [""; 0]);
    }
}
