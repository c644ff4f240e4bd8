//! What a client can set about a session: the permission mode, which is kept here, and the agent mode, which is the CLI's.

use super::Session;
use crate::core::Core;
use crate::launch::Asking;
use agent_client_protocol_schema::v1::{
    Error, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionModeState,
};
use sa_acp::{Mode as _, ModeRow, SetRequest, choice, humanised, invalid, mode_option, mode_state};

/// The choice of the CLI's own agent mode.
const DEFAULT: &str = "default";

/// The permission mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Default,
    Plan,
    Bypass,
}

impl sa_acp::Mode for Mode {
    const ALL: &'static [ModeRow<Self>] = &[
        (Mode::Default, "default", "Default", "Asks before edits, commands and other changes"),
        (Mode::Plan, "plan", "Plan", "Reads only; whatever would change something is refused"),
        (Mode::Bypass, "bypass", "Bypass permissions", "Never asks"),
    ];
}

/// What a process is started with and keeps until it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fixed {
    pub(super) agent_mode: Option<String>,
    pub(super) asking: Asking,
}

/// See the module's comment.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    allow_bypass: bool,
    mode: Mode,
    /// `None` for the one that the CLI has by itself.
    agent_mode: Option<String>,
}

impl Settings {
    pub(super) fn new(allow_bypass: bool) -> Self {
        Self { allow_bypass, mode: Mode::Default, agent_mode: None }
    }

    pub(super) fn is_plan(&self) -> bool {
        self.mode == Mode::Plan
    }

    pub(super) fn is_bypass(&self) -> bool {
        self.mode == Mode::Bypass
    }

    pub(super) fn fixed(&self) -> Fixed {
        let asking = match self.mode {
            Mode::Plan => Asking::Plan,
            Mode::Bypass => Asking::Bypass,
            Mode::Default => Asking::Default,
        };
        Fixed { agent_mode: self.agent_mode.clone(), asking }
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns whether a mode can be switched to.
    fn offers(&self, mode: Mode) -> bool {
        self.allow_bypass || mode != Mode::Bypass
    }

    /// The modes, as clients know them that do not know options.
    pub(super) fn modes(&self) -> SessionModeState {
        mode_state(self.mode.id(), Mode::choices(|mode| self.offers(mode)))
    }
}

impl Session {
    /// The complete list of options.
    pub(super) fn options(&self, core: &Core) -> Vec<SessionConfigOption> {
        let modes = Mode::choices(|mode| self.settings.offers(mode));
        let mut options = vec![mode_option(self.settings.mode.id(), modes)];
        if !core.agent_modes().is_empty() {
            let mut choices = vec![choice((DEFAULT, "Default", "As Amp has it by itself"))];
            choices.extend(
                core.agent_modes()
                    .iter()
                    .map(|mode| SessionConfigSelectOption::new(mode.clone(), humanised(mode))),
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

    pub(super) fn set_option(&mut self, core: &Core, request: &SetRequest) -> Result<(), Error> {
        let SetRequest { option, value, .. } = request;
        match &**option {
            "mode" => {
                let mode = Mode::from_id(value).filter(|mode| self.settings.offers(*mode));
                self.settings.mode = mode.ok_or_else(|| invalid(format!("no mode {value}")))?;
            }
            "agent_mode" if value == DEFAULT => self.settings.agent_mode = None,
            "agent_mode" if core.agent_modes().contains(value) => {
                self.settings.agent_mode = Some(value.clone());
            }
            "agent_mode" => return Err(invalid(format!("no choice {value} of {option}"))),
            _ => return Err(invalid(format!("no option {option}"))),
        }
        Ok(())
    }
}
