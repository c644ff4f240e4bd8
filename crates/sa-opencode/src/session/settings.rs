//! What a client can set about a session: mode, agent, model, effort. The server takes any name that it is told and cannot
//! go on with a wrong one, so what is chosen is checked here. It goes out with the next prompt.

use super::Session;
use super::rules::rules;
use crate::core::Core;
use crate::native::about::{Agent, Info, Model, ModelRef, Providers};
use crate::native::ask::Rule;
use crate::openings::Around;
use agent_client_protocol_schema::v1::{
    Error, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionModeState,
};
use sa_acp::{Mode as _, ModeRow, capitalised, invalid, mode_option, mode_state, one_line};
use std::path::PathBuf;

/// The permission mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Default,
    Plan,
    Bypass,
}

impl sa_acp::Mode for Mode {
    const ALL: &'static [ModeRow<Self>] = &[
        (Mode::Default, "default", "Default", "Asks before edits, commands and tools of servers"),
        (Mode::Plan, "plan", "Plan", "Reads only, and makes a plan; leaving this mode needs approval"),
        (Mode::Bypass, "bypass", "Bypass permissions", "Never asks"),
    ];
}

/// One setting, to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Mode(Mode),
    Agent(String),
    Model(ModelRef),
    /// `None` for what the model has by itself.
    Effort(Option<String>),
}

/// The model's own default.
const DEFAULT: &str = "default";

/// The agent that a session begins with, and the one that makes plans.
const BUILD: &str = "build";
const PLAN: &str = "plan";

/// See the module's comment.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    allow_bypass: bool,
    mode: Mode,
    agents: Vec<Agent>,
    agent: String,
    providers: Providers,
    model: Option<ModelRef>,
    effort: Option<String>,
}

impl Settings {
    /// Returns what a session begins with: what it had, what the user has set, or what the first provider has by
    /// itself. Never the vendor's own service unless it was asked for.
    pub(crate) fn new(allow_bypass: bool, around: &Around, info: Option<&Info>) -> Self {
        let agents: Vec<_> = around.agents.clone();
        let has = |name: &&str| agents.iter().any(|agent| agent.name == **name && agent.is_primary());
        let known = info.and_then(|info| info.agent.as_deref()).filter(has);
        let wanted = around.config.default_agent.as_deref().filter(has);
        let first = agents.iter().find(|agent| agent.is_primary()).map(|agent| agent.name.as_str());
        let agent = known.filter(|name| *name != PLAN).or(wanted).or(Some(BUILD).filter(has)).or(first);
        let mut settings = Self {
            allow_bypass,
            mode: Mode::Default,
            agent: agent.unwrap_or(BUILD).to_owned(),
            agents,
            providers: around.providers.clone(),
            model: None,
            effort: None,
        };
        let known = info.and_then(|info| info.model.clone());
        let wanted = around.config.model.as_deref().and_then(ModelRef::read);
        let of_agent = settings.current_agent().and_then(|agent| agent.model.clone());
        settings.effort = settings.current_agent().and_then(|agent| agent.variant.clone());
        let is_there = |model: &ModelRef| settings.find(model).is_some();
        let model = [known, of_agent, wanted].into_iter().flatten().find(is_there);
        settings.model = model.or_else(|| settings.first_model());
        settings
    }

    fn first_model(&self) -> Option<ModelRef> {
        let asked = self.providers.providers.iter().filter(|provider| !provider.is_unasked());
        let mut models = asked.filter_map(|provider| {
            let by_default = self.providers.default.get(&provider.id);
            let model = by_default.or_else(|| provider.models.keys().next())?;
            Some(ModelRef { provider: provider.id.clone(), model: model.clone() })
        });
        models.next()
    }

    fn find(&self, model: &ModelRef) -> Option<&Model> {
        let provider = self.providers.providers.iter().find(|provider| provider.id == model.provider)?;
        provider.models.get(&model.model)
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    pub(super) fn may_bypass(&self) -> bool {
        self.allow_bypass
    }

    pub(super) fn model(&self) -> Option<&ModelRef> {
        self.model.as_ref()
    }

    pub(super) fn effort(&self) -> Option<&str> {
        self.effort.as_deref().filter(|effort| self.has_effort(effort))
    }

    /// The size of the model's context, in tokens.
    pub(super) fn context(&self) -> Option<f64> {
        self.current_model().map(|model| model.limit.context)
    }

    /// Who works. In plan mode the usual agent steps back for the one that makes plans.
    pub(super) fn agent(&self) -> &str {
        let has_planner = self.agents.iter().any(|agent| agent.name == PLAN);
        if self.mode == Mode::Plan && self.agent == BUILD && has_planner { PLAN } else { &self.agent }
    }

    /// See [`rules`].
    pub(crate) fn rules(&self, directories: &[PathBuf], foreign: &[String]) -> Vec<Rule> {
        let of = |name: &str| {
            let agent = self.agents.iter().find(|agent| agent.name == name);
            agent.map(|agent| agent.permission.as_slice()).unwrap_or_default()
        };
        rules(self.mode, of(self.agent()), of(PLAN), directories, foreign)
    }

    /// Returns what a client wants changed, if there is such a setting and it has such a value.
    pub(super) fn change(&self, option: &str, value: &str) -> Result<Change, Error> {
        match option {
            "mode" => self.check_mode(value),
            "model" => self.check_model(value),
            "agent" if self.choosable().any(|agent| agent.name == value) => {
                Ok(Change::Agent(value.to_owned()))
            }
            "effort" if value == DEFAULT => Ok(Change::Effort(None)),
            "effort" if self.has_effort(value) => Ok(Change::Effort(Some(value.to_owned()))),
            "agent" | "effort" => Err(invalid(format!("no choice {value} of {option}"))),
            _ => Err(invalid(format!("no option {option}"))),
        }
    }

    pub(super) fn check_mode(&self, mode: &str) -> Result<Change, Error> {
        let known = Mode::from_id(mode).filter(|mode| self.offers(*mode));
        known.map(Change::Mode).ok_or_else(|| invalid(format!("no mode {mode}")))
    }

    /// A model by its provider and name; by its name alone it is one of the current provider, or of the only one that has
    /// it.
    fn check_model(&self, model: &str) -> Result<Change, Error> {
        let listed = ModelRef::read(model).filter(|known| self.find(known).is_some());
        let named = |provider: &str| {
            let known = ModelRef { provider: provider.to_owned(), model: model.to_owned() };
            self.find(&known).map(|_| known)
        };
        let current = self.model.as_ref().and_then(|current| named(&current.provider));
        let mut others = self.providers.providers.iter().filter_map(|provider| named(&provider.id));
        let other = others.next().filter(|_| others.next().is_none());
        let found = listed.or(current).or(other);
        found.map(Change::Model).ok_or_else(|| invalid(format!("no model {model}")))
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Mode(mode) => self.mode = mode,
            Change::Agent(agent) => self.agent = agent,
            Change::Model(model) => self.model = Some(model),
            Change::Effort(effort) => self.effort = effort,
        }
    }

    fn current_agent(&self) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.name == self.agent)
    }

    fn current_model(&self) -> Option<&Model> {
        self.find(self.model.as_ref()?)
    }

    fn has_effort(&self, effort: &str) -> bool {
        self.current_model().is_some_and(|model| model.variants().contains(&effort))
    }

    fn choosable(&self) -> impl Iterator<Item = &Agent> {
        self.agents.iter().filter(|agent| agent.is_primary())
    }

    /// Returns whether a mode can be switched to.
    fn offers(&self, mode: Mode) -> bool {
        self.allow_bypass || mode != Mode::Bypass
    }

    /// The modes, as clients know them that do not know options.
    pub(crate) fn modes(&self) -> SessionModeState {
        mode_state(self.mode.id(), Mode::choices(|mode| self.offers(mode)))
    }

    /// The complete list of options.
    pub(crate) fn options(&self) -> Vec<SessionConfigOption> {
        let modes = Mode::choices(|mode| self.offers(mode));
        let mut options = vec![mode_option(self.mode.id(), modes)];
        options.extend(self.model_option());
        options.extend(self.effort_option());
        let agent = |agent: &Agent| {
            SessionConfigSelectOption::new(agent.name.clone(), capitalised(&agent.name))
                .description(agent.description.as_deref().map(one_line))
        };
        let agents: Vec<_> = self.choosable().map(agent).collect();
        if !agents.is_empty() {
            options.push(SessionConfigOption::select("agent", "Agent", self.agent.clone(), agents));
        }
        options
    }

    fn model_option(&self) -> Option<SessionConfigOption> {
        let current = self.model.as_ref()?;
        let mut choices = Vec::new();
        for provider in &self.providers.providers {
            choices.extend(provider.models.iter().map(|(id, model)| {
                let name = if model.name.is_empty() { &model.id } else { &model.name };
                let of = if provider.name.is_empty() { &provider.id } else { &provider.name };
                let id = ModelRef { provider: provider.id.clone(), model: id.clone() }.id();
                SessionConfigSelectOption::new(id, format!("{name} ({of})"))
            }));
        }
        let option = SessionConfigOption::select("model", "Model", current.id(), choices);
        Some(option.category(SessionConfigOptionCategory::Model))
    }

    fn effort_option(&self) -> Option<SessionConfigOption> {
        let variants = self.current_model().map(Model::variants).filter(|variants| !variants.is_empty())?;
        let by_default =
            SessionConfigSelectOption::new(DEFAULT, "Default").description("As the model has it".to_owned());
        let own = variants.iter().map(|id| SessionConfigSelectOption::new((*id).to_owned(), capitalised(id)));
        let choices: Vec<_> = std::iter::once(by_default).chain(own).collect();
        let current = self.effort().unwrap_or(DEFAULT).to_owned();
        let option = SessionConfigOption::select("effort", "Effort", current, choices);
        Some(option.category(SessionConfigOptionCategory::ThoughtLevel))
    }
}

impl Session {
    pub(super) fn tell_mode(&self, core: &mut Core) {
        core.client.mode_changed(&self.conversation.id, self.settings.mode().id(), self.settings.options());
    }
}
