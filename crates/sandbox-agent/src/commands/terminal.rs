//! A session on the terminal of `run` and `chat`: what is drawn, and what is typed.

mod asking;
mod keyboard;

pub(crate) use asking::{Asking, send};
pub(crate) use keyboard::{Keyboard, typed_bytes};

use crate::commands::raw_mode;
use crate::commands::render::print_bytes;
use sa_api::sessions::UniversalEvent;
use sa_terminal::{Colors, Line, Live, Motion, Screen, SessionView, Size, TextMode, spinner};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Time between two pictures of what changes.
const FRAME: Duration = Duration::from_millis(100);
/// Least time between two pictures when events arrive faster.
const SHORTEST_FRAME: Duration = Duration::from_millis(30);
/// The widest that text is wrapped to; longer lines are hard to read.
const WIDEST: usize = 120;
/// Width of lines that nobody reads on a terminal: they are not wrapped.
const UNBOUNDED: usize = 100_000;
const USUAL_SIZE: Size = Size { columns: 80, rows: 24 };

/// The user's choice of colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColorChoice {
    Auto,
    Never,
}

impl From<bool> for ColorChoice {
    fn from(no_color: bool) -> Self {
        if no_color { Self::Never } else { Self::Auto }
    }
}

/// The stream that a screen writes to.
#[derive(Debug)]
pub(crate) enum Stream {
    Stdout,
    /// Nobody has to read it.
    Stderr,
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout => io::stdout().write(bytes),
            Self::Stderr => Ok(io::stderr().write(bytes).unwrap_or(bytes.len())),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout => io::stdout().flush(),
            Self::Stderr => Ok(()),
        }
    }
}

/// The work that is being waited for.
struct Status {
    what: String,
    since: Instant,
    hint: &'static str,
}

/// A session on a terminal, or in a pipe.
pub(crate) struct Console {
    pub(crate) view: SessionView,
    screen: Screen<Stream>,
    is_terminal: bool,
    mode: TextMode,
    motion: Motion,
    status: Option<Status>,
    drawn: Option<Instant>,
    is_stale: bool,
}

/// Returns the times at which what changes is drawn again.
pub(crate) fn frames() -> Interval {
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    frames
}

/// Returns whether the kind of terminal can be drawn on, if there is one.
pub(crate) fn can_draw() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term != "dumb" && !term.is_empty())
}

impl Console {
    /// On a terminal everything is drawn on standard output. Otherwise it gets the text, and standard error the rest.
    pub(crate) fn new(agent: &str, colors: ColorChoice) -> Self {
        let on_stdout = io::stdout().is_terminal();
        let stream = if on_stdout { Stream::Stdout } else { Stream::Stderr };
        let is_terminal = on_stdout || io::stderr().is_terminal();
        let can_draw = is_terminal && can_draw();
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colors = match colors {
            ColorChoice::Auto if can_draw && !no_color => Colors::On,
            _ => Colors::Off,
        };
        let motion = if can_draw { Motion::Free } else { Motion::None };
        let mode = if on_stdout { TextMode::Rendered } else { TextMode::Verbatim };
        let size = if is_terminal { terminal_size() } else { Size { columns: UNBOUNDED, ..USUAL_SIZE } };
        let view = SessionView::new(agent, key_variable(agent).as_deref(), mode, text_width(size));
        let screen = Screen::new(stream, colors, motion, size);
        Self { view, screen, is_terminal, mode, motion, status: None, drawn: None, is_stale: false }
    }

    /// Columns that text is wrapped to.
    pub(crate) fn width(&self) -> usize {
        text_width(self.screen.size())
    }

    /// Takes the terminal's size over after it changed.
    pub(crate) fn on_resize(&mut self) {
        if self.is_terminal {
            let size = terminal_size();
            self.screen.resize(size);
            self.view.set_width(text_width(size));
            self.is_stale = true;
        }
    }

    /// Returns true if something can be drawn and drawn again, as questions need it.
    pub(crate) fn can_draw(&self) -> bool {
        self.motion == Motion::Free
    }

    /// Has pasted text marked.
    pub(crate) fn take_pastes(&mut self) -> io::Result<()> {
        self.screen.take_pastes()
    }

    /// Shows that something is being waited for.
    ///
    /// Where the text goes elsewhere, nothing is drawn: it may end up on the same terminal, behind a pipe.
    pub(crate) fn wait_for(&mut self, what: &str, hint: &'static str) {
        if self.mode == TextMode::Verbatim {
            return;
        }
        let since = match &self.status {
            Some(status) if status.what == what => status.since,
            _ => Instant::now(),
        };
        self.status = Some(Status { what: what.to_owned(), since, hint });
    }

    /// Nothing is being waited for.
    pub(crate) fn stop_waiting(&mut self) {
        self.status = None;
    }

    /// Returns true if the picture changes by itself or is out of date.
    pub(crate) fn needs_frame(&self) -> bool {
        self.is_stale || self.status.is_some()
    }

    /// Draws after an event, unless that was done a moment ago: then the next frame does.
    pub(crate) fn on_event(&mut self, lower: impl FnOnce(&SessionView, usize) -> Live) -> io::Result<()> {
        let is_early = self.drawn.is_some_and(|drawn| drawn.elapsed() < SHORTEST_FRAME);
        if is_early && self.is_terminal && self.mode == TextMode::Rendered {
            self.is_stale = true;
            return Ok(());
        }
        self.draw(lower)
    }

    /// Draws what is new, and below it what changes.
    pub(crate) fn draw(&mut self, lower: impl FnOnce(&SessionView, usize) -> Live) -> io::Result<()> {
        let text = self.view.take_text();
        if !text.is_empty() {
            print_bytes(text.as_bytes())?;
        }
        let done = self.view.take_lines();
        let changing = if self.mode == TextMode::Rendered { self.view.live() } else { Vec::new() };
        let mut live = Live { lines: changing, cursor: None };
        let below = lower(&self.view, self.width());
        if let Some(status) = &self.status {
            let elapsed = u64::try_from(status.since.elapsed().as_millis()).unwrap_or(u64::MAX);
            live.lines.push(Line::new());
            live.lines.push(spinner(&status.what, elapsed, status.hint));
        } else if !below.lines.is_empty() {
            live.lines.push(Line::new());
        }
        live.cursor = below.cursor.map(|(row, column)| (row + live.lines.len(), column));
        live.lines.extend(below.lines);
        self.is_stale = false;
        self.drawn = Some(Instant::now());
        self.screen.draw(&done, &live)
    }

    /// Shows an event, also one that asks somebody: other clients decide.
    pub(crate) fn show_all(&mut self, event: &UniversalEvent) -> io::Result<()> {
        self.view.show(event);
        self.view.show_request(&event.data);
        self.draw(|_, _| Live::default())
    }

    /// Draws what is left and gives the terminal back.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.status = None;
        self.draw(|_, _| Live::default())?;
        self.screen.finish()
    }
}

fn terminal_size() -> Size {
    raw_mode::size().map_or(USUAL_SIZE, |size| Size { columns: size.cols.into(), rows: size.rows.into() })
}

fn text_width(size: Size) -> usize {
    if size.columns == UNBOUNDED { UNBOUNDED } else { size.columns.clamp(20, WIDEST) }
}

/// The variable that takes a key for an agent that ships with the daemon.
pub(crate) fn key_variable(agent: &str) -> Option<String> {
    let catalog = sa_agents::Catalog::shipped().ok()?;
    Some(catalog.get(agent)?.token.as_ref()?.variable.clone())
}
