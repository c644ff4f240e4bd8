//! Markdown as a terminal of 80 or fewer columns shows it.
#![allow(clippy::unwrap_used)]

use super::Markdown;
use crate::style::{Colors, Line};
use proptest::prelude::*;

const SAMPLE: &str = "\
# Retry with *backoff*

The helper **retried** `fetch()` without a pause, see [the docs](https://example.com/retry) or <https://example.com>.
A second line with ~~old~~ text.

## Steps

1. Read `retry.ts`
2. Change it:
   - add a `delay`
   - keep the limit at 3, because callers rely on it and the tests check it
3. Run the tests

- [x] done
- [ ] open

> A quote with a long line that has to be wrapped, because it does not fit on one line of this terminal.
>
> - and a list

```ts
export function delay(ms: number) {
\treturn new Promise((resolve) => setTimeout(resolve, ms)); // a comment beyond the edge
}
```

| name | value | note |
|:-----|------:|------|
| one  |     1 | 日本語 |
| two  |    22 | a cell with rather many words that need more than one line in this table |

---

Setext
======

    indented code

Last.";

fn painted(lines: &[Line], colors: Colors) -> String {
    lines.iter().map(|line| line.paint(colors)).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_kind_of_block_has_its_look() {
    insta::assert_snapshot!("plain_60", painted(&Markdown::render(SAMPLE, 60), Colors::Off));
    let colored = painted(&Markdown::render(SAMPLE, 60), Colors::On).replace('\u{1b}', "␛");
    insta::assert_snapshot!("colored_60", colored);
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [20, 33, 60, 80, 132] {
        for line in Markdown::render(SAMPLE, width) {
            assert!(line.width() <= width.max(30), "{} > {width}: {}", line.width(), line.text());
        }
    }
}

#[test]
fn what_is_unfinished_is_shown_and_replaced() {
    let mut markdown = Markdown::new(80);
    assert!(markdown.push("A **bo").is_empty());
    assert_eq!(painted(&markdown.unfinished(), Colors::Off), "A **bo");
    assert!(markdown.push("ld** word\n").is_empty());
    assert_eq!(painted(&markdown.unfinished(), Colors::Off), "A bold word");
    assert_eq!(painted(&markdown.push("\nNext\n"), Colors::Off), "A bold word");
    assert_eq!(painted(&markdown.unfinished(), Colors::Off), "\nNext");
    assert_eq!(painted(&markdown.finish(), Colors::Off), "\nNext");
    assert!(markdown.unfinished().is_empty() && markdown.finish().is_empty());
}

#[test]
fn a_block_that_never_ends_is_shown_in_parts() {
    let mut markdown = Markdown::new(80);
    let mut shown = markdown.push("```\n");
    for number in 0..9000 {
        shown.extend(markdown.push(&format!("line {number}\n")));
    }
    assert!(shown.len() > 1000, "{}", shown.len());
    shown.extend(markdown.push("```\n"));
    shown.extend(markdown.finish());
    let expected: Vec<String> = (0..9000).map(|number| format!("  line {number}")).collect();
    assert_eq!(shown.iter().map(Line::text).collect::<Vec<_>>(), expected);
}

#[test]
fn entities_cannot_bring_control_characters_back() {
    let text = "a &#27;[31m &#x9b;2J `\u{1b}]52;c;eA==\u{7}` [l](http://x/\u{202e}y)\n\n| \u{1b}[H |\n|-|\n";
    let painted = painted(&Markdown::render(text, 80), Colors::Off);
    assert!(!painted.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{painted:?}");
}

proptest! {
    /// However a text is cut, the same lines come out.
    #[test]
    fn pieces_make_the_same_lines(cuts in prop::collection::vec(0..SAMPLE.len(), 0..40)) {
        let mut cuts = cuts;
        cuts.sort_unstable();
        let mut markdown = Markdown::new(60);
        let (mut lines, mut from) = (Vec::new(), 0);
        for cut in cuts {
            if SAMPLE.is_char_boundary(cut) {
                lines.extend(markdown.push(SAMPLE.get(from..cut).unwrap()));
                from = cut;
            }
        }
        lines.extend(markdown.push(SAMPLE.get(from..).unwrap()));
        lines.extend(markdown.finish());
        prop_assert_eq!(painted(&lines, Colors::On), painted(&Markdown::render(SAMPLE, 60), Colors::On));
    }
}

#[test]
fn byte_by_byte_makes_the_same_lines() {
    let mut markdown = Markdown::new(60);
    let mut lines = Vec::new();
    for c in SAMPLE.chars() {
        lines.extend(markdown.push(c.encode_utf8(&mut [0; 4])));
        let _ = markdown.unfinished();
    }
    lines.extend(markdown.finish());
    assert_eq!(painted(&lines, Colors::On), painted(&Markdown::render(SAMPLE, 60), Colors::On));
}
