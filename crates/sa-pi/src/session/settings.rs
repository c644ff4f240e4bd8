//! The settings of a session: permission mode, model, reasoning effort.

use super::opening::available;
use crate::core::Host;
use crate::native::{Model, SlashCommand};
use agent_client_protocol_schema::v1::{
    AvailableCommand, Error, SessionConfigOption, SessionConfigSelectOption,
};
use sa_acp::{
    BasicMode as Mode, ModeRow, Modes, basic_modes, capitalized, command, effort_option, invalid,
    model_option,
};
use serde_json::{Value, json};

/// The command that sums the conversation up. It is a request of its own to the CLI.
pub(super) const COMPACT: &str = "compact";

/// The reasoning efforts of the CLI.
const EFFORTS: [&str; 5] = ["high", "medium", "low", "minimal", "off"];

static MODES: [ModeRow<Mode>; 3] =
    basic_modes("Asks before edits and commands", "Reads only; calls that may change something are refused");

/// A setting, to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Mode(Mode),
    /// A model by its provider and its id.
    Model(String, String),
    Effort(String),
}

impl Change {
    /// Returns the command that changes the setting in the CLI, which knows no permission modes.
    pub(super) fn command(&self) -> Option<Value> {
        match self {
            Self::Mode(_) => None,
            Self::Model(provider, id) => {
                Some(json!({ "type": "set_model", "provider": provider, "modelId": id }))
            }
            Self::Effort(level) => Some(json!({ "type": "set_thinking_level", "level": level })),
        }
    }
}

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) modes: Modes<Mode>,
    pub(super) models: Vec<Model>,
    pub(super) model: Model,
    effort: String,
    pub(super) commands: Vec<AvailableCommand>,
}

impl Settings {
    pub(super) fn new(host: &Host) -> Self {
        Self {
            modes: Modes::new(&MODES, Mode::Default, |mode| host.allow_bypass || mode != Mode::Bypass),
            models: Vec::new(),
            model: Model::default(),
            effort: String::new(),
            commands: Vec::new(),
        }
    }

    pub(super) fn mode(&self) -> Mode {
        self.modes.current()
    }

    pub(super) fn learn(&mut self, model: Model, effort: String) {
        (self.model, self.effort) = (model, effort);
    }

    pub(super) fn learn_commands(&mut self, commands: &[SlashCommand]) {
        self.commands = vec![command(COMPACT, "Sum the conversation up to make room", None)];
        self.commands.extend(commands.iter().map(available));
    }

    /// Returns the settings that a new process has to have.
    pub(super) fn chosen(&self) -> [Change; 2] {
        let Model { provider, id, .. } = self.model.clone();
        [Change::Model(provider, id), Change::Effort(self.effort.clone())]
    }

    /// Reads a change, if there is such a setting and it has such a value.
    pub(super) fn change(&self, option: &str, value: &str) -> Result<Change, Error> {
        let is_it = |model: &&Model| model.key() == value || model.id == value;
        match option {
            "mode" => self.modes.find(value).map(Change::Mode),
            "model" => {
                let model = self.models.iter().find(is_it).cloned();
                let model = model.ok_or_else(|| invalid(format!("no model {value}")))?;
                Ok(Change::Model(model.provider, model.id))
            }
            "effort" if self.model.reasoning && EFFORTS.contains(&value) => {
                Ok(Change::Effort(value.to_owned()))
            }
            "effort" => Err(invalid(format!("no choice {value} of {option}"))),
            _ => Err(invalid(format!("no option {option}"))),
        }
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Mode(mode) => self.modes.set(mode),
            Change::Model(provider, id) => {
                let known = self.models.iter().find(|model| model.provider == provider && model.id == id);
                self.model = known.cloned().unwrap_or_default();
            }
            Change::Effort(effort) => self.effort = effort,
        }
    }

    pub(super) fn options(&self) -> Vec<SessionConfigOption> {
        let models: Vec<_> = self
            .models
            .iter()
            .map(|model| {
                SessionConfigSelectOption::new(model.key(), format!("{} ({})", model.name, model.provider))
            })
            .collect();
        let mut options = vec![self.modes.option(), model_option(self.model.key(), models)];
        if self.model.reasoning {
            let levels: Vec<_> = EFFORTS
                .iter()
                .map(|level| SessionConfigSelectOption::new(*level, capitalized(level)))
                .collect();
            options.push(effort_option(("effort", "Effort"), &self.effort, levels));
        }
        options
    }
}
