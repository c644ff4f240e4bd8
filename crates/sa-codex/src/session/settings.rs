//! What a client can set about a session: mode, model, effort. The CLI takes any model and any effort that it is told, so
//! what is chosen is checked here. It goes out with the next turn.

use super::Session;
use crate::core::Core;
use crate::native::answer::Model;
use crate::native::call::{Collaboration, CollaborationSettings, SandboxPolicy};
use agent_client_protocol_schema::v1::{
    Error, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionModeState,
};
use sa_acp::{Mode as _, ModeRow, capitalised, invalid, mode_option, mode_state};
use std::path::PathBuf;

/// The permission mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Default,
    Auto,
    ReadOnly,
    Plan,
    Bypass,
}

impl sa_acp::Mode for Mode {
    const ALL: &'static [ModeRow<Self>] = &[
        (Mode::Default, "default", "Default", "Asks before edits and commands"),
        (Mode::Auto, "auto", "Auto", "Edits and runs commands in the workspace, asks for more than that"),
        (Mode::ReadOnly, "read-only", "Read only", "Looks around by itself, asks before edits"),
        (Mode::Plan, "plan", "Plan", "Reads only, and makes a plan; leaving this mode needs approval"),
        (Mode::Bypass, "bypass", "Bypass permissions", "Never asks"),
    ];
}

impl Mode {
    /// Returns whether it is the CLI's sandbox that keeps commands from doing harm.
    fn needs_sandbox(self) -> bool {
        matches!(self, Self::Auto | Self::ReadOnly)
    }
}

/// One setting, to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Mode(Mode),
    Model(String),
    /// `None` for what the model has by itself.
    Effort(Option<String>),
}

/// The model's own default.
const DEFAULT: &str = "default";

/// See the module's comment.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    allow_bypass: bool,
    any_model: bool,
    sandbox: bool,
    mode: Mode,
    models: Vec<Model>,
    model: String,
    effort: Option<String>,
}

impl Settings {
    pub(super) fn new(core: &Core) -> Self {
        Self {
            allow_bypass: core.host.allow_bypass,
            any_model: core.host.any_model,
            sandbox: core.sandbox,
            mode: Mode::Default,
            models: core.models.clone(),
            model: String::new(),
            effort: None,
        }
    }

    /// Takes in what a thread has by itself.
    pub(super) fn learn(&mut self, model: String, effort: Option<String>) {
        (self.model, self.effort) = (model, effort);
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    pub(super) fn may_bypass(&self) -> bool {
        self.allow_bypass
    }

    pub(super) fn model(&self) -> &str {
        &self.model
    }

    pub(super) fn effort(&self) -> Option<&str> {
        self.effort.as_deref()
    }

    /// Returns whether commands that only look have to be let through: those that the CLI does not run by itself.
    pub(super) fn lets_look(&self) -> bool {
        self.mode == Mode::Default || (self.mode == Mode::Plan && !self.sandbox)
    }

    /// Returns whether everything that is asked about is refused.
    pub(super) fn refuses(&self) -> bool {
        self.mode == Mode::Plan
    }

    /// Returns when the CLI asks. What it is let do then runs outside of its sandbox. In plan mode it asks to be
    /// refused: what it is never to ask about it drops without a word, so that nobody would know of the attempt.
    pub(super) fn approval_policy(&self) -> &'static str {
        match self.mode {
            Mode::Default => "untrusted",
            Mode::Plan if !self.sandbox => "untrusted",
            Mode::Auto | Mode::ReadOnly | Mode::Plan => "on-request",
            Mode::Bypass => "never",
        }
    }

    /// Returns what commands may do without being asked about.
    pub(super) fn sandbox(&self) -> &'static str {
        match self.mode {
            Mode::Default | Mode::Bypass => "danger-full-access",
            Mode::Plan if !self.sandbox => "danger-full-access",
            Mode::Auto => "workspace-write",
            Mode::ReadOnly | Mode::Plan => "read-only",
        }
    }

    /// The same for a turn.
    pub(super) fn sandbox_policy(&self, directories: &[PathBuf]) -> SandboxPolicy {
        match self.sandbox() {
            "danger-full-access" => SandboxPolicy::DangerFullAccess,
            "workspace-write" => SandboxPolicy::WorkspaceWrite { writable_roots: directories.to_vec() },
            _ => SandboxPolicy::ReadOnly,
        }
    }

    /// How the model is told to work.
    pub(super) fn collaboration(&self) -> Collaboration<'_> {
        Collaboration {
            mode: if self.mode == Mode::Plan { "plan" } else { "default" },
            settings: CollaborationSettings {
                model: &self.model,
                reasoning_effort: self.effort.as_deref(),
                developer_instructions: None,
            },
        }
    }

    /// Returns what a client wants changed, if there is such a setting and it has such a value.
    pub(super) fn change(&self, option: &str, value: &str) -> Result<Change, Error> {
        match option {
            "mode" => self.check_mode(value),
            "model" => self.check_model(value),
            "reasoning_effort" if value == DEFAULT => Ok(Change::Effort(None)),
            "reasoning_effort" if self.has_effort(value) => Ok(Change::Effort(Some(value.to_owned()))),
            "reasoning_effort" => Err(invalid(format!("no choice {value} of {option}"))),
            _ => Err(invalid(format!("no option {option}"))),
        }
    }

    pub(super) fn check_mode(&self, mode: &str) -> Result<Change, Error> {
        let known = Mode::from_id(mode).filter(|mode| self.offers(*mode));
        known.map(Change::Mode).ok_or_else(|| invalid(format!("no mode {mode}")))
    }

    fn check_model(&self, model: &str) -> Result<Change, Error> {
        let listed = self.model == model || self.models.iter().any(|known| known.id == model);
        if listed || (self.any_model && !model.trim().is_empty()) {
            return Ok(Change::Model(model.to_owned()));
        }
        Err(invalid(format!("no model {model}")))
    }

    /// An effort that another model does not have is left behind.
    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Mode(mode) => self.mode = mode,
            Change::Model(model) => {
                self.model = model;
                if self.effort.as_ref().is_some_and(|effort| !self.has_effort(effort)) {
                    self.effort = None;
                }
            }
            Change::Effort(effort) => self.effort = effort,
        }
    }

    fn current_model(&self) -> Option<&Model> {
        self.models.iter().find(|model| model.id == self.model)
    }

    fn has_effort(&self, effort: &str) -> bool {
        let efforts = self.current_model().map(|model| model.supported_reasoning_efforts.as_slice());
        efforts.unwrap_or_default().iter().any(|known| known.reasoning_effort == effort)
    }

    /// Returns whether a mode can be switched to.
    fn offers(&self, mode: Mode) -> bool {
        (self.allow_bypass || mode != Mode::Bypass) && (self.sandbox || !mode.needs_sandbox())
    }

    /// The modes, as clients know them that do not know options.
    pub(crate) fn modes(&self) -> SessionModeState {
        mode_state(self.mode.id(), Mode::choices(|mode| self.offers(mode)))
    }

    /// The complete list of options.
    pub(crate) fn options(&self) -> Vec<SessionConfigOption> {
        let modes = Mode::choices(|mode| self.offers(mode));
        let mut options = vec![mode_option(self.mode.id(), modes), self.model_option()];
        options.extend(self.effort_option());
        options
    }

    fn model_option(&self) -> SessionConfigOption {
        let choice = |model: &Model| {
            let name = model.display_name.clone().unwrap_or_else(|| model.id.clone());
            SessionConfigSelectOption::new(model.id.clone(), name).description(model.description.clone())
        };
        let mut choices: Vec<_> = self.models.iter().map(choice).collect();
        if self.current_model().is_none() {
            choices.push(SessionConfigSelectOption::new(self.model.clone(), self.model.clone()));
        }
        SessionConfigOption::select("model", "Model", self.model.clone(), choices)
            .category(SessionConfigOptionCategory::Model)
    }

    fn effort_option(&self) -> Option<SessionConfigOption> {
        let model = self.current_model().filter(|model| !model.supported_reasoning_efforts.is_empty())?;
        let about = match &model.default_reasoning_effort {
            Some(effort) => format!("As the model has it: {effort}"),
            None => "As the model has it".to_owned(),
        };
        let mut choices = vec![SessionConfigSelectOption::new(DEFAULT, "Default").description(about)];
        choices.extend(model.supported_reasoning_efforts.iter().map(|effort| {
            let id = effort.reasoning_effort.clone();
            SessionConfigSelectOption::new(id.clone(), capitalised(&id))
                .description(effort.description.clone())
        }));
        let current = self.effort.clone().filter(|effort| self.has_effort(effort));
        let current = current.unwrap_or_else(|| DEFAULT.to_owned());
        let option = SessionConfigOption::select("reasoning_effort", "Reasoning effort", current, choices);
        Some(option.category(SessionConfigOptionCategory::ThoughtLevel))
    }
}

impl Session {
    pub(super) fn tell_mode(&self, core: &mut Core) {
        core.client.mode_changed(&self.conversation.id, self.settings.mode().id(), self.settings.options());
    }
}
