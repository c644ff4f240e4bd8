//! `sa-rogue`: an agent that breaks rules on request, for sessions under test.
//!
//! It speaks ACP. Started as an adapter starts a vendor's CLI, it speaks the protocol of that CLI instead, so that the
//! adapter is under test, too. A prompt is a script, one command in each line. Processes that it starts, and it itself,
//! are written to the file `pids` of the session's directory, so that a test can see what outlives a session.

mod dialect;
mod script;
mod wire;

use dialect::{Dialect, Incoming};
use script::Turn;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::BufRead;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// State that turns share with the reader of the input.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Sessions whose turn is to end.
    cancelled: BTreeSet<String>,
    /// Requests of this agent that were answered, and whose answer was not taken yet.
    answered: BTreeSet<String>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut dialect = <dyn Dialect>::by_arguments(&arguments);
    let shared = Arc::new(Shared::default());
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        match dialect.read(&message) {
            Incoming::Prompt(prompt) => {
                shared.change(|state| state.cancelled.retain(|one| *one != prompt.session));
                let turn = Turn::new(&shared, prompt);
                std::thread::spawn(move || turn.run());
            }
            Incoming::Cancel(session) => shared.change(|state| state.cancelled.extend([session])),
            Incoming::Answer(id) => shared.change(|state| state.answered.extend([id])),
            Incoming::Handled => {}
        }
    }
}
