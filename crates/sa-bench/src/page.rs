//! Parts of a documentation page that runs write.
//!
//! A block begins with `<!-- figures: start stream -->`, which names what is in it, and ends with
//! `<!-- end of figures -->`.

use anyhow::{Context, Result, bail};

const BEGIN: &str = "<!-- figures: ";
const END: &str = "<!-- end of figures -->";
const CLOSE: &str = "-->";

/// Replaces the content of each block for which there is a new one. `content` gets the names of a block and what is in it.
///
/// # Errors
///
/// A block has no end.
pub fn replace_blocks(text: &str, content: impl Fn(&[&str], &str) -> Option<String>) -> Result<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find(BEGIN) {
        let (before, block) = rest.split_at(begin);
        let Some((head, _)) = block.split_once(CLOSE) else { bail!("'{block}' has no '{CLOSE}'") };
        let (old, after) = block.split_once(END).with_context(|| format!("'{head}' has no '{END}'"))?;
        let names: Vec<&str> = head.trim_start_matches(BEGIN).split_whitespace().collect();
        let (_, inside) = old.split_once(CLOSE).unwrap_or((old, ""));
        out.push_str(before);
        match content(&names, inside) {
            Some(content) => out.push_str(&format!("{head}{CLOSE}\n{content}")),
            None => out.push_str(old),
        }
        out.push_str(END);
        rest = after;
    }
    Ok(out + rest)
}

/// Puts a row into the table of a block: in the place of the one with the same first cells, or at the end.
pub fn with_row(block: &str, row: &[String], same: usize) -> String {
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim().trim_start_matches('|').trim_end_matches('|');
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let is_same = |line: &&str| line.starts_with('|') && cells(line).get(..same) == row.get(..same);
    let new = format!("| {} |", row.join(" | "));
    let lines: Vec<&str> = block.trim().lines().collect();
    let found = lines.iter().any(&is_same);
    let kept = lines.iter().map(|line| if is_same(line) { new.as_str() } else { line });
    let all: Vec<&str> = kept.chain((!found).then_some(new.as_str())).collect();
    format!("\n{}\n\n", all.join("\n"))
}

/// Three significant digits or a whole number, and thousands grouped.
pub fn number(value: f64) -> String {
    let decimals = if value.fract() == 0.0 || value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text
        .split_once('.')
        .map_or((text.as_str(), String::new()), |(whole, rest)| (whole, format!(".{rest}")));
    let digits = whole.chars().count();
    let grouped: String = whole
        .chars()
        .enumerate()
        .flat_map(|(index, digit)| {
            let comma = index > 0 && (digits - index) % 3 == 0;
            comma.then_some(',').into_iter().chain(std::iter::once(digit))
        })
        .collect();
    grouped + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_replaced_or_added() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        let table = "\n| Run | Seed | Result |\n|---|---:|---|\n| a | 1 | old |\n\n";
        let replaced = with_row(table, &row(["a", "1", "new"]), 2);
        assert_eq!(replaced, table.replace("old", "new"));
        let added = with_row(table, &row(["a", "2", "more"]), 2);
        assert_eq!(added, table.replace("old |\n", "old |\n| a | 2 | more |\n"));
    }
}
