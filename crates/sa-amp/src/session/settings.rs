//! The settings of a session: the permission mode, which is kept here, and the agent mode, which is the CLI's.

use super::Session;
use crate::core::{Core, Host};
use agent_client_protocol_schema::v1::{
    Error, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption,
};
use sa_acp::{BasicMode as Mode, ModeRow, Modes, Setting, basic_modes, choice, humanized, invalid};

/// The choice of the CLI's own agent mode.
const DEFAULT: &str = "default";

static MODES: [ModeRow<Mode>; 3] = basic_modes(
    "Asks before edits, commands and other changes",
    "Reads only; whatever would change something is refused",
);

/// The settings that a process keeps until it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fixed {
    pub(super) agent_mode: Option<String>,
    pub(super) mode: Mode,
}

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(super) modes: Modes<Mode>,
    /// `None` for the one that the CLI has by itself.
    agent_mode: Option<String>,
}

impl Settings {
    pub(super) fn new(host: &Host) -> Self {
        let is_offered = |mode| host.allow_bypass || mode != Mode::Bypass;
        Self { modes: Modes::new(&MODES, Mode::Default, is_offered), agent_mode: None }
    }

    pub(super) fn is_plan(&self) -> bool {
        self.modes.current() == Mode::Plan
    }

    pub(super) fn is_bypass(&self) -> bool {
        self.modes.current() == Mode::Bypass
    }

    pub(super) fn fixed(&self) -> Fixed {
        Fixed { agent_mode: self.agent_mode.clone(), mode: self.modes.current() }
    }
}

impl Session {
    pub(super) fn options(&self, core: &Core) -> Vec<SessionConfigOption> {
        let mut options = vec![self.settings.modes.option()];
        if !core.agent_modes.known().is_empty() {
            let mut choices = vec![choice((DEFAULT, "Default", "As Amp has it by itself"))];
            choices.extend(
                core.agent_modes
                    .known()
                    .iter()
                    .map(|mode| SessionConfigSelectOption::new(mode.clone(), humanized(mode))),
            );
            let current = self.settings.agent_mode.clone().unwrap_or_else(|| DEFAULT.to_owned());
            options.push(
                SessionConfigOption::select("agent_mode", "Agent mode", current, choices)
                    .description("Chooses the model, its instructions and its tools".to_owned())
                    .category(SessionConfigOptionCategory::Model),
            );
        }
        options
    }

    pub(super) fn set_option(&mut self, core: &Core, setting: &Setting) -> Result<(), Error> {
        let (option, value) = (&*setting.option, setting.choice()?);
        match option {
            "mode" => self.settings.modes.set(self.settings.modes.find(value)?),
            "agent_mode" if value == DEFAULT => self.settings.agent_mode = None,
            "agent_mode" if core.agent_modes.known().iter().any(|known| known == value) => {
                self.settings.agent_mode = Some(value.to_owned());
            }
            "agent_mode" => return Err(invalid(format!("no choice {value} of {option}"))),
            _ => return Err(invalid(format!("no option {option}"))),
        }
        Ok(())
    }
}
