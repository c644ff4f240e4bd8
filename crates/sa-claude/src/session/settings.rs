//! The settings of a session: mode, model, effort, thinking. The CLI takes any mode and any model that it
//! gets, so choices are checked here.

use super::Session;
use crate::core::{Core, Host};
use crate::native::answer::{Applied, Initialized, Model};
use crate::native::line::apply_settings;
use agent_client_protocol_schema::v1::{
    Error, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionModeState,
};
use sa_acp::{capitalized, choice, effort_option, invalid, listed_model_option, mode_option, mode_state};
use serde_json::{Value, json};

pub(crate) const DEFAULT: &str = "default";
pub(crate) const ACCEPT_EDITS: &str = "acceptEdits";
pub(crate) const PLAN: &str = "plan";
pub(crate) const BYPASS: &str = "bypassPermissions";
const AUTO: &str = "auto";
const OFF: &str = "off";

static MODES: [(&str, &str, &str); 6] = [
    (DEFAULT, "Default", "Asks before edits and commands"),
    (ACCEPT_EDITS, "Accept edits", "Edits without asking, asks before commands"),
    (PLAN, "Plan", "Reads only, and makes a plan; leaving this mode needs approval"),
    ("dontAsk", "Don't ask", "Refuses whatever would need permission"),
    (AUTO, "Auto", "Lets a model decide what needs permission"),
    (BYPASS, "Bypass permissions", "Never asks"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Mode(String),
    Model(String),
    /// `None` for what the model has by itself.
    Effort(Option<String>),
    Thinking(Thinking),
}

impl Change {
    /// The option and its value, as a client knows them.
    pub(super) fn words(&self) -> (&'static str, &str) {
        match self {
            Self::Mode(mode) => ("mode", mode),
            Self::Model(model) => ("model", model),
            Self::Effort(effort) => ("effort", effort.as_deref().unwrap_or(DEFAULT)),
            Self::Thinking(thinking) => ("thinking", thinking.id()),
        }
    }

    pub(super) fn request(&self) -> Value {
        match self {
            Self::Mode(mode) => json!({ "subtype": "set_permission_mode", "mode": mode }),
            Self::Model(model) => json!({ "subtype": "set_model", "model": model }),
            // Without one, the setting is taken back.
            Self::Effort(effort) => apply_settings(json!({ "effortLevel": effort })),
            Self::Thinking(thinking) => thinking.request(),
        }
    }
}

/// The thinking of the model before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// As the model and the settings have it.
    Default,
    Off,
}

impl Thinking {
    fn id(self) -> &'static str {
        match self {
            Self::Default => DEFAULT,
            Self::Off => OFF,
        }
    }

    /// Returns the request to the CLI. Newer models do not show their thoughts unless a display is requested.
    pub(super) fn request(self) -> Value {
        let most = (self == Self::Off).then_some(0);
        json!({
            "subtype": "set_max_thinking_tokens",
            "max_thinking_tokens": most,
            "thinking_display": "summarized",
        })
    }
}

/// The source of a setting. Another process has to get one that was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Found,
    Chosen,
}

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Set if the mode that never asks can be switched to.
    pub(super) allow_bypass: bool,
    any_model: bool,
    mode: String,
    models: Vec<Model>,
    model: String,
    /// The model in use by its full name, once a turn has shown it.
    full_model: Option<String>,
    effort: Option<String>,
    pub(super) thinking: Thinking,
    mode_source: Source,
    model_source: Source,
    effort_source: Source,
}

impl Settings {
    pub(crate) fn new(host: &Host) -> Self {
        Self {
            allow_bypass: host.allow_bypass,
            any_model: host.any_model,
            mode: DEFAULT.to_owned(),
            models: Vec::new(),
            model: DEFAULT.to_owned(),
            full_model: None,
            effort: None,
            thinking: Thinking::Default,
            mode_source: Source::Found,
            model_source: Source::Found,
            effort_source: Source::Found,
        }
    }

    pub(crate) fn mode(&self) -> &str {
        &self.mode
    }

    pub(super) fn launch_mode(&self) -> Option<String> {
        (self.mode_source == Source::Chosen).then(|| self.mode.clone())
    }

    /// Returns the model in use if none was chosen: the CLI would continue with another one, whose context may be
    /// smaller.
    pub(super) fn launch_model(&self) -> Option<String> {
        let chosen = self.model_source == Source::Chosen && self.model != DEFAULT;
        if chosen { Some(self.model.clone()) } else { self.full_model.clone() }
    }

    pub(super) fn launch_effort(&self) -> Option<String> {
        self.effort.clone().filter(|_| self.effort_source == Source::Chosen)
    }

    /// The mode that the session was in before. One that is not offered any more is left.
    pub(crate) fn go_on_in(&mut self, mode: &str) {
        if let Ok(change) = self.check_mode(mode) {
            self.apply(change);
        }
    }

    /// Takes in what a process said about itself when it was started.
    pub(super) fn learn(&mut self, initialized: &Initialized, applied: Option<&Applied>) {
        self.models.clone_from(&initialized.models);
        if let Some(mode) = &initialized.current_permission_mode {
            self.mode.clone_from(mode);
        }
        let Some(applied) = applied else { return };
        if let Some(model) = &applied.model {
            self.saw_model(model);
        }
        if self.effort_source == Source::Found {
            self.effort = applied.effort.as_ref().and_then(|effort| effort.as_str()).map(str::to_owned);
        }
    }

    /// Takes in a mode that the CLI says it is in; `false` if that is nothing new.
    pub(super) fn saw_mode(&mut self, mode: &str) -> bool {
        if self.mode == mode {
            return false;
        }
        mode.clone_into(&mut self.mode);
        self.mode_source = Source::Chosen;
        true
    }

    /// Takes in the model that the CLI says it uses, by its full name; `false` if that is nothing new.
    pub(super) fn saw_model(&mut self, full: &str) -> bool {
        self.full_model = Some(full.to_owned());
        let current = self.models.iter().find(|model| model.value == self.model);
        if self.model == full || current.is_some_and(|model| model.is(full)) {
            return false;
        }
        let known = self.models.iter().find(|model| model.is(full));
        self.model = known.map_or_else(|| full.to_owned(), |model| model.value.clone());
        true
    }

    /// Takes in that the user chose this model by a command, if the CLI uses it now; `false` if that is nothing new.
    pub(super) fn follow_model(&mut self, name: &str, full: &str) -> bool {
        let is_it = |model: &&Model| model.value == name && model.resolved_model.as_deref() == Some(full);
        if !self.models.iter().any(|model| is_it(&model)) {
            let is_new = self.saw_model(full);
            if is_new {
                self.model_source = Source::Chosen;
            }
            return is_new;
        }
        let is_new = self.model != name;
        self.apply(Change::Model(name.to_owned()));
        self.full_model = Some(full.to_owned());
        is_new
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Mode(mode) => (self.mode, self.mode_source) = (mode, Source::Chosen),
            Change::Model(model) => {
                (self.model, self.model_source, self.full_model) = (model, Source::Chosen, None);
            }
            Change::Effort(effort) => (self.effort, self.effort_source) = (effort, Source::Chosen),
            Change::Thinking(thinking) => self.thinking = thinking,
        }
    }

    /// Reads a change, if there is such a setting and it has such a value.
    pub(super) fn change(&self, option: &str, value: &str) -> Result<Change, Error> {
        match option {
            "mode" => self.check_mode(value),
            "model" => self.check_model(value),
            "effort" if value == DEFAULT => Ok(Change::Effort(None)),
            "effort" if self.efforts().iter().any(|effort| effort == value) => {
                Ok(Change::Effort(Some(value.to_owned())))
            }
            "thinking" if value == DEFAULT => Ok(Change::Thinking(Thinking::Default)),
            "thinking" if value == OFF => Ok(Change::Thinking(Thinking::Off)),
            "effort" | "thinking" => Err(invalid(format!("no choice {value} of {option}"))),
            _ => Err(invalid(format!("no option {option}"))),
        }
    }

    fn check_mode(&self, mode: &str) -> Result<Change, Error> {
        if self.modes_offered().iter().any(|(id, _, _)| *id == mode) {
            return Ok(Change::Mode(mode.to_owned()));
        }
        Err(invalid(format!("no mode {mode}")))
    }

    fn check_model(&self, model: &str) -> Result<Change, Error> {
        let listed = self.models.iter().any(|known| known.is(model));
        if listed || self.model == model || (self.any_model && !model.trim().is_empty()) {
            return Ok(Change::Model(model.to_owned()));
        }
        Err(invalid(format!("no model {model}")))
    }

    fn current_model(&self) -> Option<&Model> {
        self.models.iter().find(|model| model.is(&self.model))
    }

    fn efforts(&self) -> &[String] {
        self.current_model().map(|model| model.supported_effort_levels.as_slice()).unwrap_or_default()
    }

    /// The modes that can be switched to, and the one that is on.
    fn modes_offered(&self) -> Vec<(&str, &str, &str)> {
        let auto = self.current_model().is_some_and(|model| model.supports_auto_mode);
        let offered = |id: &str| match id {
            BYPASS => self.allow_bypass || self.mode == BYPASS,
            AUTO => auto || self.mode == AUTO,
            _ => true,
        };
        let mut modes: Vec<_> = MODES.iter().copied().filter(|(id, _, _)| offered(id)).collect();
        if !modes.iter().any(|(id, _, _)| *id == self.mode) {
            modes.push((&self.mode, &self.mode, "A mode of Claude Code's own"));
        }
        modes
    }

    /// Returns the modes for clients that do not know options.
    pub(super) fn modes(&self) -> SessionModeState {
        mode_state(&self.mode, self.modes_offered())
    }

    pub(super) fn options(&self) -> Vec<SessionConfigOption> {
        let mut options = vec![mode_option(&self.mode, self.modes_offered()), self.model_option()];
        let efforts = self.efforts();
        if !efforts.is_empty() {
            let by_default = choice((DEFAULT, "Default", "As the model and the settings have it"));
            let own = efforts.iter().map(|it| SessionConfigSelectOption::new(it.clone(), capitalized(it)));
            let current = self.effort.as_ref().filter(|effort| efforts.contains(effort));
            let current = current.map_or(DEFAULT, String::as_str);
            let choices = std::iter::once(by_default).chain(own).collect();
            options.push(effort_option(("effort", "Effort"), current, choices));
        }
        let choices = vec![
            choice((DEFAULT, "Default", "Thinks as the model and the settings have it")),
            choice((OFF, "Off", "Answers without thinking first")),
        ];
        options.push(
            SessionConfigOption::select("thinking", "Thinking", self.thinking.id(), choices)
                .category(SessionConfigOptionCategory::ModelConfig),
        );
        options
    }

    fn model_option(&self) -> SessionConfigOption {
        let models = self.models.iter();
        let models = models.map(|it| (&*it.value, it.display_name.as_deref(), it.description.as_deref()));
        listed_model_option(&self.model, models)
    }
}

impl Session {
    pub(super) fn report_mode(&mut self, core: &mut Core) {
        core.io.client.mode_changed(&self.conversation.id, self.settings.mode(), self.settings.options());
        self.refuse_changes_in_plan(core);
    }
}
