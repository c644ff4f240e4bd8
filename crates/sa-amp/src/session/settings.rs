//! What a client can set about a session: the permission mode, which is kept here, and the agent mode, which is the CLI's.

use super::Session;
use crate::core::Core;
use crate::launch::Asking;
use agent_client_protocol_schema::v1::{
    Error, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionModeState,
};
use sa_acp::{choice, humanised, invalid, mode_option, mode_state};

const DEFAULT: &str = "default";
const PLAN: &str = "plan";
const BYPASS: &str = "bypass";

static MODES: [(&str, &str, &str); 3] = [
    (DEFAULT, "Default", "Asks before edits, commands and other changes"),
    (PLAN, "Plan", "Reads only; whatever would change something is refused"),
    (BYPASS, "Bypass permissions", "Never asks"),
];

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
    mode: &'static str,
    /// `None` for the one that the CLI has by itself.
    agent_mode: Option<String>,
}

impl Settings {
    pub(super) fn new(allow_bypass: bool) -> Self {
        Self { allow_bypass, mode: DEFAULT, agent_mode: None }
    }

    pub(super) fn is_plan(&self) -> bool {
        self.mode == PLAN
    }

    pub(super) fn is_bypass(&self) -> bool {
        self.mode == BYPASS
    }

    pub(super) fn fixed(&self) -> Fixed {
        let asking = match self.mode {
            PLAN => Asking::Plan,
            BYPASS => Asking::Bypass,
            _ => Asking::Default,
        };
        Fixed { agent_mode: self.agent_mode.clone(), asking }
    }

    fn offered(&self) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
        let allow_bypass = self.allow_bypass;
        MODES.iter().filter(move |(id, _, _)| *id != BYPASS || allow_bypass)
    }

    /// The modes, as clients know them that do not know options.
    pub(super) fn modes(&self) -> SessionModeState {
        mode_state(self.mode, self.offered().copied())
    }
}

impl Session {
    /// The complete list of options.
    pub(super) fn options(&self, core: &Core) -> Vec<SessionConfigOption> {
        let mut options = vec![mode_option(self.settings.mode, self.settings.offered().copied())];
        if !core.agent_modes.is_empty() {
            let mut choices = vec![choice((DEFAULT, "Default", "As Amp has it by itself"))];
            choices.extend(
                core.agent_modes
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

    fn set_mode(&mut self, core: &mut Core, mode: &str) -> Result<(), Error> {
        let known = self.settings.offered().find(|(id, _, _)| *id == mode);
        let (mode, _, _) = known.ok_or_else(|| invalid(format!("no mode {mode}")))?;
        if self.settings.mode != *mode {
            self.settings.mode = mode;
            let options = self.options(core);
            core.client.mode_changed(&self.conversation.id, mode, options);
            self.ask_anew(core);
        }
        Ok(())
    }

    pub(super) fn set_option(&mut self, core: &mut Core, option: &str, value: &str) -> Result<(), Error> {
        match option {
            "mode" => self.set_mode(core, value),
            "agent_mode" if value == DEFAULT => {
                self.settings.agent_mode = None;
                Ok(())
            }
            "agent_mode" if core.agent_modes.iter().any(|mode| mode == value) => {
                self.settings.agent_mode = Some(value.to_owned());
                Ok(())
            }
            "agent_mode" => Err(invalid(format!("no choice {value} of {option}"))),
            _ => Err(invalid(format!("no option {option}"))),
        }
    }
}
