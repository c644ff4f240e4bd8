//! The terminal that this command runs on: its size, and raw mode, in which each key goes to the process as it is.

use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};
use sa_api::ProcessTerminalSize;
use std::io;

/// The size of this terminal, if there is one.
pub(super) fn size() -> Option<ProcessTerminalSize> {
    let size = tcgetwinsize(stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0)
        .then_some(ProcessTerminalSize { cols: size.ws_col, rows: size.ws_row })
}

/// Raw mode, for as long as this lives.
pub(super) struct RawMode {
    before: Termios,
}

impl RawMode {
    /// Enters raw mode; does nothing when standard input is no terminal.
    pub(super) fn enter() -> io::Result<Option<Self>> {
        if !isatty(stdin()) {
            return Ok(None);
        }
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        Ok(Some(Self { before }))
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // There is nobody left to tell when the terminal is gone.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}
