//! The terminal that a command runs on: its size, and modes in which keys arrive as they are typed.

use rustix::process::getpgrp;
use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcgetpgrp, tcgetwinsize,
    tcsetattr,
};
use sa_api::ProcessTerminalSize;
use std::io;

pub(crate) fn size() -> Option<ProcessTerminalSize> {
    let size = tcgetwinsize(stdout()).or_else(|_| tcgetwinsize(stderr())).ok()?;
    (size.ws_col > 0 && size.ws_row > 0)
        .then_some(ProcessTerminalSize { cols: size.ws_col, rows: size.ws_row })
}

/// A changed mode of the terminal, for as long as this lives.
pub(crate) struct RawMode {
    before: Termios,
}

impl RawMode {
    /// Enters raw mode, in which nothing is interpreted; does nothing when standard input is no terminal.
    pub(crate) fn enter() -> io::Result<Option<Self>> {
        Self::change(Termios::make_raw)
    }

    /// Lets keys arrive one by one and without an echo. Ctrl-C and Ctrl-Z are keys, too; output is as it was.
    /// Does nothing for a command in the background, which would be stopped for it.
    pub(crate) fn enter_keys() -> io::Result<Option<Self>> {
        if tcgetpgrp(stdin()).is_ok_and(|group| group != getpgrp()) {
            return Ok(None);
        }
        Self::change(|modes| {
            modes
                .local_modes
                .remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN);
            // Enter and Ctrl-J are different keys, and Ctrl-S does not stop the output.
            modes.input_modes.remove(rustix::termios::InputModes::ICRNL | rustix::termios::InputModes::IXON);
            modes.special_codes[SpecialCodeIndex::VMIN] = 1;
            modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        })
    }

    fn change(change: impl FnOnce(&mut Termios)) -> io::Result<Option<Self>> {
        if !isatty(stdin()) {
            return Ok(None);
        }
        let before = tcgetattr(stdin())?;
        let mut changed = before.clone();
        change(&mut changed);
        tcsetattr(stdin(), OptionalActions::Now, &changed)?;
        Ok(Some(Self { before }))
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // Fails if the terminal is gone, and then nobody sees its mode.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}
