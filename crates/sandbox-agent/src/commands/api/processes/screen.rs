//! Terminal modes that a program has switched on, and would switch off at its end. A client that detaches earlier has to.

/// Switches to the other screen and back; what lies between is lost for readers who only see the normal one.
const ENTER: [&[u8]; 3] = [b"\x1b[?1049h", b"\x1b[?1047h", b"\x1b[?47h"];
const LEAVE: [&[u8]; 3] = [b"\x1b[?1049l", b"\x1b[?1047l", b"\x1b[?47l"];
/// The longest of these, less one: so much of a sequence may have come already.
const CARRY: usize = 7;

/// Mouse reports, pasting in brackets, application keys, a hidden cursor and colors off.
const CALM: &[u8] = b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>\x1b[?25h\x1b[0m";

/// Watches what is printed.
#[derive(Debug, Default)]
pub(super) struct Screen {
    other: bool,
    carry: Vec<u8>,
}

impl Screen {
    /// Notes what was printed.
    pub(super) fn printed(&mut self, bytes: &[u8]) {
        self.carry.extend_from_slice(bytes);
        let last = |sequences: &[&[u8]]| sequences.iter().filter_map(|one| rfind(&self.carry, one)).max();
        match (last(&ENTER), last(&LEAVE)) {
            (None, None) => {}
            (entered, left) => self.other = entered > left,
        }
        let excess = self.carry.len().saturating_sub(CARRY);
        self.carry.drain(..excess);
    }

    /// Returns the sequences that restore the terminal.
    pub(super) fn reset(&self) -> Vec<u8> {
        let back = if self.other { LEAVE[0] } else { b"" };
        [CALM, back].concat()
    }
}

fn rfind(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).rposition(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_screen_is_left_if_it_was_entered_however_it_was_cut() {
        let mut screen = Screen::default();
        for byte in b"text\x1b[?1049hmore" {
            screen.printed(&[*byte]);
        }
        assert!(screen.reset().ends_with(LEAVE[0]));
        screen.printed(b"x\x1b[?1049l\x1b[?47h\x1b[?47l");
        assert!(!screen.reset().ends_with(LEAVE[0]));
        assert!(!Screen::default().reset().is_empty());
    }
}
