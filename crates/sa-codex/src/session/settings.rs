//! The settings of a session: mode, model, effort. The CLI takes any model and any effort that it gets, so
//! what is chosen is checked here. It goes out with the next turn.

use crate::core::Core;
use crate::native::answer::Model;
use agent_client_protocol_schema::v1::{Error, SessionConfigOption, SessionConfigSelectOption};
use sa_acp::{ModeRow, Modes, capitalized, effort_option, invalid, listed_model_option};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Default,
    Auto,
    ReadOnly,
    Plan,
    Bypass,
}

static MODES: [ModeRow<Mode>; 5] = [
    (Mode::Default, "default", "Default", "Asks before edits and commands"),
    (Mode::Auto, "auto", "Auto", "Edits and runs commands in the workspace, asks for more than that"),
    (Mode::ReadOnly, "read-only", "Read only", "Looks around by itself, asks before edits"),
    (Mode::Plan, "plan", "Plan", "Reads only, and makes a plan; leaving this mode needs approval"),
    (Mode::Bypass, "bypass", "Bypass permissions", "Never asks"),
];

impl Mode {
    /// Returns whether it is the CLI's sandbox that keeps commands from doing harm.
    fn needs_sandbox(self) -> bool {
        matches!(self, Self::Auto | Self::ReadOnly)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Mode(Mode),
    Model(String),
    /// `None` for what the model has by itself.
    Effort(Option<String>),
}

const DEFAULT: &str = "default";

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    any_model: bool,
    sandbox: bool,
    pub(super) modes: Modes<Mode>,
    models: Vec<Model>,
    model: String,
    effort: Option<String>,
}

impl Settings {
    pub(super) fn new(core: &Core) -> Self {
        let (options, sandbox) = (&core.host.options, core.facts.sandbox);
        let is_offered =
            |mode: Mode| (options.allow_bypass || mode != Mode::Bypass) && (sandbox || !mode.needs_sandbox());
        Self {
            any_model: options.any_model,
            sandbox,
            modes: Modes::new(&MODES, Mode::Default, is_offered),
            models: core.facts.models.clone(),
            model: String::new(),
            effort: None,
        }
    }

    /// Takes in what a thread has by itself.
    pub(super) fn learn(&mut self, model: String, effort: Option<String>) {
        (self.model, self.effort) = (model, effort);
    }

    pub(super) fn mode(&self) -> Mode {
        self.modes.current()
    }

    pub(super) fn model(&self) -> &str {
        &self.model
    }

    pub(super) fn effort(&self) -> Option<&str> {
        self.effort.as_deref()
    }

    /// Returns whether commands that only look have to be let through: those that the CLI does not run by itself.
    pub(super) fn lets_look(&self) -> bool {
        self.mode() == Mode::Default || (self.mode() == Mode::Plan && !self.sandbox)
    }

    /// Returns whether everything that is asked about is refused.
    pub(super) fn refuses(&self) -> bool {
        self.mode() == Mode::Plan
    }

    /// Returns when the CLI asks. Allowed commands run outside of its sandbox. In plan mode it asks to be
    /// refused: what it is never to ask about it drops without a word, so that nobody would know of the attempt.
    pub(super) fn approval_policy(&self) -> &'static str {
        match self.mode() {
            Mode::Default => "untrusted",
            Mode::Plan if !self.sandbox => "untrusted",
            Mode::Auto | Mode::ReadOnly | Mode::Plan => "on-request",
            Mode::Bypass => "never",
        }
    }

    /// Returns what commands may do without being asked about.
    pub(super) fn sandbox(&self) -> &'static str {
        match self.mode() {
            Mode::Default | Mode::Bypass => "danger-full-access",
            Mode::Plan if !self.sandbox => "danger-full-access",
            Mode::Auto => "workspace-write",
            Mode::ReadOnly | Mode::Plan => "read-only",
        }
    }

    /// The same for a turn.
    pub(super) fn sandbox_policy(&self, directories: &[PathBuf]) -> Value {
        match self.sandbox() {
            "danger-full-access" => json!({ "type": "dangerFullAccess" }),
            "workspace-write" => json!({ "type": "workspaceWrite", "writableRoots": directories }),
            _ => json!({ "type": "readOnly" }),
        }
    }

    /// Returns the instructions for the model.
    pub(super) fn collaboration(&self) -> Value {
        json!({
            "mode": if self.mode() == Mode::Plan { "plan" } else { "default" },
            "settings": {
                "model": self.model,
                "reasoning_effort": self.effort,
                "developer_instructions": null,
            },
        })
    }

    /// Reads a change, if there is such a setting and it has such a value.
    pub(super) fn change(&self, option: &str, value: &str) -> Result<Change, Error> {
        match option {
            "mode" => self.modes.find(value).map(Change::Mode),
            "model" => self.check_model(value),
            "reasoning_effort" if value == DEFAULT => Ok(Change::Effort(None)),
            "reasoning_effort" if self.has_effort(value) => Ok(Change::Effort(Some(value.to_owned()))),
            "reasoning_effort" => Err(invalid(format!("no choice {value} of {option}"))),
            _ => Err(invalid(format!("no option {option}"))),
        }
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
            Change::Mode(mode) => self.modes.set(mode),
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

    pub(crate) fn options(&self) -> Vec<SessionConfigOption> {
        let mut options = vec![self.modes.option(), self.model_option()];
        options.extend(self.effort_option());
        options
    }

    fn model_option(&self) -> SessionConfigOption {
        let models = self.models.iter();
        let models = models.map(|it| (&*it.id, it.display_name.as_deref(), it.description.as_deref()));
        listed_model_option(&self.model, models)
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
            SessionConfigSelectOption::new(id.clone(), capitalized(&id))
                .description(effort.description.clone())
        }));
        let current = self.effort.as_deref().filter(|effort| self.has_effort(effort)).unwrap_or(DEFAULT);
        Some(effort_option(("reasoning_effort", "Reasoning effort"), current, choices))
    }
}
