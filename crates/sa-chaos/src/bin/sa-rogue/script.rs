//! One turn: the commands of a prompt, run in order.

use crate::Shared;
use crate::dialect::{Ending, Prompt};
use crate::wire::{note_process, write_line};
use std::process::{Command, Stdio};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// The end of a wait.
#[derive(PartialEq, Eq)]
enum Wait {
    Over,
    Cancelled,
}

/// A prompt that is being worked on.
pub(crate) struct Turn {
    shared: Arc<Shared>,
    prompt: Prompt,
    answers: usize,
}

impl Turn {
    pub(crate) fn new(shared: &Arc<Shared>, prompt: Prompt) -> Self {
        Self { shared: Arc::clone(shared), prompt, answers: 1 }
    }

    /// Runs all commands and answers the prompt.
    pub(crate) fn run(mut self) {
        let text = self.prompt.text.clone();
        self.prompt.voice.begin();
        let ending = match text.lines().all(|line| self.command(line) == Wait::Over) {
            true => Ending::Completed,
            false => Ending::Cancelled,
        };
        for _ in 0..self.answers {
            self.prompt.voice.end(ending);
        }
        if text.contains("late-update") {
            self.prompt.voice.say("said after the end");
        }
    }

    fn command(&mut self, line: &str) -> Wait {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbers: Vec<usize> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
        let number = |place: usize| numbers.get(place).copied().unwrap_or(1);
        let voice = &mut self.prompt.voice;
        match name {
            "stream" | "flood" => {
                let width = number(1);
                (1..=number(0)).for_each(|at| voice.say(&format!("{:x<width$}", format!("{at} "))));
            }
            "sleep" | "silent" | "ignore-cancel" => {
                return self.sleep(Duration::from_millis(number(0) as u64));
            }
            "hang" => return self.sleep(Duration::from_secs(3600)),
            "crash" | "abort" => std::process::exit(9),
            "fork" => self.fork("sleep 600", number(0)),
            "fork-stubborn" => self.fork(
                "trap '' TERM; setsid sleep 600 & setsid sh -c \"trap '' TERM; sleep 600; sleep 600\"",
                number(0),
            ),
            "permission" | "edit" => {
                let id = voice.ask();
                let wait = self.await_answer(&id);
                self.prompt.voice.ran();
                return wait;
            }
            "ask-and-withdraw" => {
                let id = voice.ask();
                voice.withdraw(&id);
            }
            "ask-and-end" => drop(voice.ask()),
            "answer-twice" => self.answers = 2,
            "foreign-session" => voice.speak_of_nobody(),
            "garbage" if rest == "text" => write_line("no JSON at all"),
            "garbage" if rest == "json" => write_line(r#"{"neither":["this","nor that"],"id":{}}"#),
            "late-update" => {}
            _ => voice.say(if name == "say" { rest } else { line }),
        }
        Wait::Over
    }

    fn await_answer(&self, id: &str) -> Wait {
        let mut state = self.shared.state();
        loop {
            if state.cancelled.contains(&self.prompt.session) {
                return Wait::Cancelled;
            }
            if state.answered.remove(id) {
                return Wait::Over;
            }
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn sleep(&self, length: Duration) -> Wait {
        let end = Instant::now() + length;
        let mut state = self.shared.state();
        loop {
            if state.cancelled.contains(&self.prompt.session) {
                return Wait::Cancelled;
            }
            let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                return Wait::Over;
            };
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Starts processes that outlive the turn.
    fn fork(&self, command: &str, count: usize) {
        for _ in 0..count.min(4) {
            let mut shell = Command::new("sh");
            shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if let Ok(child) = shell.spawn() {
                note_process(&self.prompt.directory, child.id());
            }
        }
    }
}
