//! A sign that something is being waited for.

use crate::style::{Color, Line, Style};
use crate::wording::duration;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Milliseconds that a picture stays.
const FRAME_MS: u64 = 100;

/// Draws the spinner with a word on what is being waited for and the time that has passed.
pub fn spinner(what: &str, elapsed_ms: u64, hint: &str) -> Line {
    let index = usize::try_from(elapsed_ms / FRAME_MS).unwrap_or_default() % FRAMES.len();
    let frame = FRAMES.get(index).copied().unwrap_or_default();
    let mut line = Line::styled(frame, Style::of(Color::Cyan)).with(&format!(" {what}"), Style::PLAIN);
    if elapsed_ms >= 1000 {
        line = line.with(&format!(" {}", duration(elapsed_ms / 1000 * 1000).replace(".0s", "s")), Style::DIM);
    }
    if hint.is_empty() { line } else { line.with(&format!(" · {hint}"), Style::DIM) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shown_from_the_first_second_on() {
        assert_eq!(spinner("working", 250, "").text(), "⠹ working");
        assert_eq!(spinner("working", 65_400, "Ctrl-C cancels").text(), "⠼ working 1m 05s · Ctrl-C cancels");
    }
}
