//! The processes of an agent, as its state machine starts and ends them.

use crate::process::children::{ChildId, Effect};
use std::collections::VecDeque;
use std::time::Duration;

/// Orders about processes that the driver has not carried out. `L` are the parameters of a process.
#[derive(Debug)]
pub struct Processes<L> {
    effects: VecDeque<Effect<L>>,
    last: u64,
}

impl<L> Processes<L> {
    pub fn start(&mut self, launch: L) -> ChildId {
        self.last += 1;
        let child = ChildId(self.last);
        self.effects.push_back(Effect::Start { child, launch: Box::new(launch) });
        child
    }

    /// Writes a line, its end included, to a process.
    pub fn write(&mut self, child: ChildId, line: Vec<u8>) {
        self.effects.push_back(Effect::Write { child, line });
    }

    /// Closes the standard input of a process, and stops it if it does not exit within `drain`.
    pub fn end(&mut self, child: ChildId, drain: Duration) {
        self.effects.push_back(Effect::End { child, drain });
    }

    /// Takes the next order for the driver.
    pub(crate) fn next_effect(&mut self) -> Option<Effect<L>> {
        self.effects.pop_front()
    }
}

impl<L> Default for Processes<L> {
    fn default() -> Self {
        Self { effects: VecDeque::new(), last: 0 }
    }
}
