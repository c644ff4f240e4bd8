//! Plays a direction in a dialect: events, pauses and faults, each made when it is taken.

use crate::conversation::tokens;
use crate::dialect::{Dialect, Event, Tokens};
use crate::direct::{Cue, Direction, Kind};
use crate::script::{Fault, Usage};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;

/// The next action of the server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Send(Event),
    Wait(Duration),
    /// Sends what is no valid event.
    Garble(Event),
    /// Drops the connection.
    Cut,
    /// Says nothing more until the client leaves.
    Hang,
    /// Breaks off with an error: its events, its type and its text.
    Break {
        events: Vec<Event>,
        kind: Option<String>,
        message: String,
    },
}

/// An answer while it is sent.
pub(crate) struct Player {
    dialect: Box<dyn Dialect>,
    cues: std::vec::IntoIter<Cue>,
    chunks: Box<dyn Iterator<Item = String> + Send>,
    ready: VecDeque<Action>,
    state: State,
    /// The text that is being sent, as far as it was.
    open: Option<(Kind, String)>,
    chunk: Option<usize>,
    pace: Option<Duration>,
    step: usize,
    stop: Option<String>,
    called: bool,
    given: Usage,
    input: u64,
    /// Bytes of everything that was sent, and of its thoughts alone.
    told: (usize, usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Playing,
    Over,
}

impl Player {
    /// `input` is the number of tokens in the request, if the script does not say otherwise.
    pub(crate) fn new(direction: Direction, dialect: Box<dyn Dialect>, input: u64) -> Self {
        Self {
            dialect,
            cues: direction.cues.into_iter(),
            chunks: Box::new(std::iter::empty()),
            ready: VecDeque::new(),
            state: State::Fresh,
            open: None,
            chunk: None,
            pace: None,
            step: direction.step,
            stop: direction.stop,
            called: false,
            given: direction.usage,
            input,
            told: (0, 0),
        }
    }

    /// The answer as one document. Only after the last action.
    pub(crate) fn message(&self) -> Value {
        self.dialect.message()
    }

    fn tokens(&self) -> Tokens {
        let (all, thought) = self.told;
        Tokens {
            input: self.given.input.unwrap_or(self.input),
            output: self.given.output.unwrap_or_else(|| tokens(all)),
            cache_read: self.given.cache_read.unwrap_or(0),
            cache_write: self.given.cache_write.unwrap_or(0),
            reasoning: self.given.reasoning.unwrap_or_else(|| tokens(thought)),
        }
    }

    fn tell(&mut self, say: impl FnOnce(&mut dyn Dialect, &mut Vec<Event>)) {
        let mut events = Vec::new();
        say(self.dialect.as_mut(), &mut events);
        self.ready.extend(events.into_iter().map(Action::Send));
    }

    fn close(&mut self) {
        if let Some((kind, text)) = self.open.take() {
            self.tell(|dialect, out| dialect.close(kind, &text, out));
        }
    }

    /// Opens a text unless one of its kind is open; returns whether one was.
    fn open(&mut self, kind: Kind) -> bool {
        if self.open.as_ref().is_some_and(|(open, _)| *open == kind) {
            return true;
        }
        self.close();
        self.open = Some((kind, String::new()));
        self.tell(|dialect, out| dialect.open(kind, out));
        false
    }

    fn delta(&mut self, chunk: &str) {
        let Some((kind, text)) = &mut self.open else { return };
        text.push_str(chunk);
        let kind = *kind;
        if let Some(pace) = self.pace {
            self.ready.push_back(Action::Wait(pace));
        }
        self.told.0 += chunk.len();
        if kind == Kind::Think {
            self.told.1 += chunk.len();
        }
        self.tell(|dialect, out| dialect.delta(kind, chunk, out));
    }

    fn play(&mut self, cue: Cue) {
        match cue {
            Cue::Text(kind, text) => {
                let more = self.open(kind);
                let text = if more { format!("\n{text}") } else { text };
                self.chunks = Box::new(chunks(&text, self.chunk).into_iter());
            }
            Cue::Repeat { count, bytes } => {
                self.open(Kind::Say);
                self.chunks = Box::new((1..=count).map(move |number| numbered(number, bytes)));
            }
            Cue::Call(call) => {
                self.close();
                self.called = true;
                self.told.0 += call.name.len() + crate::dialect::json_input(&call.input).to_string().len();
                let step = self.step;
                self.tell(|dialect, out| dialect.call(&call, step, out));
            }
            Cue::Compaction => {
                self.close();
                self.tell(|dialect, out| dialect.compaction(out));
            }
            Cue::Chunk(characters) => self.chunk = Some(characters),
            Cue::Slow(pause) => self.pace = Some(pause),
            Cue::Pause(pause) => self.ready.push_back(Action::Wait(pause)),
            // A failure comes in place of an answer, which then has no player.
            Cue::Fault(Fault::Fail(_)) => {}
            Cue::Fault(Fault::Malformed) => {
                let event = self.dialect.malformed();
                self.ready.push_back(Action::Garble(event));
            }
            Cue::Fault(Fault::Cut) => self.break_off(Action::Cut),
            Cue::Fault(Fault::Hang) => self.break_off(Action::Hang),
            Cue::Fault(Fault::Error { kind, message }) => {
                let message = if message.is_empty() { "scripted error".to_owned() } else { message };
                let mut events = Vec::new();
                self.dialect.error(kind.as_deref(), &message, &mut events);
                self.break_off(Action::Break { events, kind, message });
            }
        }
    }

    fn break_off(&mut self, action: Action) {
        self.state = State::Over;
        self.ready.push_back(action);
    }

    fn finish(&mut self) {
        self.close();
        self.state = State::Over;
        let usual = if self.called { "tool_use" } else { "end_turn" };
        let stop = self.stop.take().unwrap_or_else(|| usual.to_owned());
        let tokens = self.tokens();
        self.tell(|dialect, out| dialect.end(&stop, &tokens, out));
    }
}

impl Iterator for Player {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        loop {
            if let Some(action) = self.ready.pop_front() {
                return Some(action);
            }
            match self.state {
                State::Over => return None,
                State::Fresh => {
                    self.state = State::Playing;
                    let tokens = Tokens { output: 1, reasoning: 0, ..self.tokens() };
                    self.tell(|dialect, out| dialect.begin(&tokens, out));
                }
                State::Playing => match (self.chunks.next(), self.cues.as_slice().is_empty()) {
                    (Some(chunk), _) => self.delta(&chunk),
                    (None, false) => {
                        if let Some(cue) = self.cues.next() {
                            self.play(cue);
                        }
                    }
                    (None, true) => self.finish(),
                },
            }
        }
    }
}

/// Returns the pieces in which a text is sent: so many characters, or else word by word.
fn chunks(text: &str, characters: Option<usize>) -> Vec<String> {
    match characters {
        Some(characters) => crate::dialect::pieces(text, characters),
        None => text.split_inclusive(char::is_whitespace).map(str::to_owned).collect(),
    }
}

/// A chunk that starts with its number and a space, filled up to a size.
fn numbered(number: usize, bytes: usize) -> String {
    let mut text = format!("{number} ");
    text.extend(std::iter::repeat_n('x', bytes.saturating_sub(text.len())));
    text
}
