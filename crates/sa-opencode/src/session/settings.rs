//! The settings of a session: mode, agent, model, effort. The server takes any name and cannot
//! continue with a wrong one, so choices are checked here. They are sent with the next prompt.

use super::rules::rules;
use crate::core::Host;
use crate::native::about::{Agent, Info, Model, ModelRef, Providers};
use crate::native::ask::Rule;
use crate::openings::DirectoryFacts;
use agent_client_protocol_schema::v1::{Error, SessionConfigOption, SessionConfigSelectOption};
use sa_acp::{
    BasicMode as Mode, ModeRow, Modes, basic_modes, capitalized, effort_option, invalid, model_option,
    one_line,
};
use std::path::PathBuf;

static MODES: [ModeRow<Mode>; 3] = basic_modes(
    "Asks before edits, commands and tools of servers",
    "Reads only, and makes a plan; leaving this mode needs approval",
);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Mode(Mode),
    Agent(String),
    Model(ModelRef),
    /// `None` for what the model has by itself.
    Effort(Option<String>),
}

const DEFAULT: &str = "default";

/// The agent that a session begins with, and the one that makes plans.
const BUILD: &str = "build";
const PLAN: &str = "plan";

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(super) modes: Modes<Mode>,
    agents: Vec<Agent>,
    agent: String,
    providers: Providers,
    model: Option<ModelRef>,
    effort: Option<String>,
}

impl Settings {
    /// Returns what a session begins with: what it had, what the user has set, or what the first provider has by
    /// itself. Never the vendor's own service unless it was asked for.
    pub(crate) fn new(host: &Host, facts: &DirectoryFacts, info: Option<&Info>) -> Self {
        let agents: Vec<_> = facts.agents.clone();
        let has = |name: &&str| agents.iter().any(|agent| agent.name == **name && agent.is_primary());
        let known = info.and_then(|info| info.agent.as_deref()).filter(has);
        let wanted = facts.config.default_agent.as_deref().filter(has);
        let first = agents.iter().find(|agent| agent.is_primary()).map(|agent| agent.name.as_str());
        let agent = known.filter(|name| *name != PLAN).or(wanted).or(Some(BUILD).filter(has)).or(first);
        let mut settings = Self {
            modes: Modes::new(&MODES, Mode::Default, |mode| host.allow_bypass || mode != Mode::Bypass),
            agent: agent.unwrap_or(BUILD).to_owned(),
            agents,
            providers: facts.providers.clone(),
            model: None,
            effort: None,
        };
        let known = info.and_then(|info| info.model.clone());
        let wanted = facts.config.model.as_deref().and_then(ModelRef::read);
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
        self.modes.current()
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

    /// Returns the agent that works. In plan mode the planner replaces the default agent.
    pub(super) fn agent(&self) -> &str {
        let has_planner = self.agents.iter().any(|agent| agent.name == PLAN);
        if self.mode() == Mode::Plan && self.agent == BUILD && has_planner { PLAN } else { &self.agent }
    }

    /// Returns the permission rules of the session.
    pub(crate) fn rules(&self, directories: &[PathBuf], foreign: &[String]) -> Vec<Rule> {
        let of = |name: &str| {
            let agent = self.agents.iter().find(|agent| agent.name == name);
            agent.map(|agent| agent.permission.as_slice()).unwrap_or_default()
        };
        rules(self.mode(), of(self.agent()), of(PLAN), directories, foreign)
    }

    /// Reads a change, if there is such a setting and it has such a value.
    pub(super) fn change(&self, option: &str, value: &str) -> Result<Change, Error> {
        match option {
            "mode" => self.modes.find(value).map(Change::Mode),
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
            Change::Mode(mode) => self.modes.set(mode),
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

    pub(crate) fn options(&self) -> Vec<SessionConfigOption> {
        let mut options = vec![self.modes.option()];
        options.extend(self.model_option());
        options.extend(self.effort_option());
        let agent = |agent: &Agent| {
            SessionConfigSelectOption::new(agent.name.clone(), capitalized(&agent.name))
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
        Some(model_option(current.id(), choices))
    }

    fn effort_option(&self) -> Option<SessionConfigOption> {
        let variants = self.current_model().map(Model::variants).filter(|variants| !variants.is_empty())?;
        let by_default =
            SessionConfigSelectOption::new(DEFAULT, "Default").description("As the model has it".to_owned());
        let own = variants.iter().map(|id| SessionConfigSelectOption::new((*id).to_owned(), capitalized(id)));
        let choices: Vec<_> = std::iter::once(by_default).chain(own).collect();
        Some(effort_option(("effort", "Effort"), self.effort().unwrap_or(DEFAULT), choices))
    }
}
