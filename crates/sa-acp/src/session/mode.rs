//! Permission modes of an agent.

use crate::protocol::errors::invalid;
use crate::session::offer::{Choice, mode_option, mode_state};
use agent_client_protocol_schema::v1::{Error, SessionConfigOption, SessionModeState};

/// A permission mode with its id, its name and its description.
pub type ModeRow<M> = (M, &'static str, &'static str, &'static str);

/// The permission modes of agents that have no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BasicMode {
    /// Asks before changes.
    Default,
    /// Changes nothing.
    Plan,
    /// Never asks.
    Bypass,
}

/// Returns the basic modes, with descriptions of the first two.
pub const fn basic_modes(default: &'static str, plan: &'static str) -> [ModeRow<BasicMode>; 3] {
    [
        (BasicMode::Default, "default", "Default", default),
        (BasicMode::Plan, "plan", "Plan", plan),
        (BasicMode::Bypass, "bypass", "Bypass permissions", "Never asks"),
    ]
}

/// The permission modes that a session offers, and the current one.
#[derive(Debug, Clone)]
pub struct Modes<M: 'static> {
    offered: Vec<&'static ModeRow<M>>,
    current: M,
    /// The mode that the client knows.
    reported: M,
}

impl<M: Copy + PartialEq> Modes<M> {
    /// Returns the modes of the table that `is_offered` picks.
    pub fn new(table: &'static [ModeRow<M>], current: M, is_offered: impl Fn(M) -> bool) -> Self {
        let offered = table.iter().filter(|(mode, ..)| is_offered(*mode)).collect();
        Self { offered, current, reported: current }
    }

    pub fn current(&self) -> M {
        self.current
    }

    pub fn set(&mut self, mode: M) {
        self.current = mode;
    }

    pub fn offers(&self, mode: M) -> bool {
        self.offered.iter().any(|(offered, ..)| *offered == mode)
    }

    /// Returns the offered mode of that id.
    pub fn find(&self, id: &str) -> Result<M, Error> {
        let row = self.offered.iter().find(|(_, known, ..)| *known == id);
        row.map(|(mode, ..)| *mode).ok_or_else(|| invalid(format!("no mode {id}")))
    }

    /// Returns the id by which clients know an offered mode.
    pub fn id(&self, mode: M) -> &'static str {
        self.offered.iter().find(|(known, ..)| *known == mode).map_or("default", |(_, id, ..)| id)
    }

    /// Returns the id of the current mode if the client does not know of it yet.
    pub fn take_change(&mut self) -> Option<&'static str> {
        let is_new = self.reported != self.current;
        self.reported = self.current;
        is_new.then(|| self.id(self.current))
    }

    /// Returns the modes for clients that do not know options.
    pub fn state(&self) -> SessionModeState {
        mode_state(self.id(self.current), self.choices())
    }

    /// Returns the modes as an option.
    pub fn option(&self) -> SessionConfigOption {
        mode_option(self.id(self.current), self.choices())
    }

    fn choices(&self) -> impl Iterator<Item = Choice<'static>> {
        self.offered.iter().map(|(_, id, name, about)| (*id, *name, *about))
    }
}
