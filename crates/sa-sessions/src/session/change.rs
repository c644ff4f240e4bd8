//! Changes of settings that clients want: live if the agent runs, else with its next start. All of it or nothing.

use super::Effect;
use super::machine::Machine;
use super::phase::{AgentInUse, Changing, Direction, Environment, Phase, Ready, Work};
use super::settings::{Applying, Progress, Setting, unsupported};
use super::trial::Trial;
use crate::agent::AgentFailure;
use crate::command::Reply;
use crate::creating::check_variables;
use crate::record::{Decider, Record};
use sa_api::sessions::{EventData, InfoChanged, SessionChoices, SessionPatch};
use sa_universal::{check_agent_mode, model_target, option_target, targets, variant_target};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A change on its way: the record has its settings, and the rest follows once the agent has taken them.
pub(super) struct Change {
    /// The record without the change.
    before: Box<Record>,
    given: Given,
    title: Option<String>,
    metadata: Map<String, Value>,
    pub(super) reply: Reply<()>,
}

/// Variables that a client gives to a session.
pub(super) struct Given {
    variables: BTreeMap<String, String>,
    /// The one of them that holds the session's credential.
    token_variable: Option<String>,
}

/// The presence of a mode in a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Modes {
    Named,
    Same,
}

impl Machine {
    pub(super) fn on_patch(&mut self, patch: SessionPatch, reply: Reply<()>) {
        let before = Box::new(self.record.clone());
        let named = patch.agent_mode.is_some() || patch.permission_mode.is_some();
        let modes = if named { Modes::Named } else { Modes::Same };
        let SessionPatch { token, env, title, metadata, .. } = self.take_settings(patch);
        // Everything that can be refused without the agent is checked before anything is changed.
        let checked = self.check_changes(&before, modes).and_then(|()| self.read_environment(token, env));
        let given = match checked {
            Ok(given) => given,
            Err(failure) => {
                self.record = *before;
                return self.reply(reply, Err(failure.into()));
            }
        };
        let settings = self.changed_settings(&before, modes);
        let change = Change { before, given, title, metadata: metadata.unwrap_or_default(), reply };
        match self.take_phase() {
            Phase::Ready(Ready { mut link, .. }) => {
                let mut applying = Applying::new(settings);
                let progress = self.first_setting(&mut applying, &mut link);
                let direction = Direction::Forward;
                self.on_change_progress(link, Changing { change, applying, direction }, progress);
            }
            other => {
                self.phase = other;
                self.store_change(change);
            }
        }
    }

    /// Takes the settings of a patch into the record and returns the rest of it.
    fn take_settings(&mut self, mut patch: SessionPatch) -> SessionPatch {
        self.record.model = patch.model.take().or(self.record.model.take());
        self.record.variant = patch.variant.take().or(self.record.variant.take());
        if let Some(mode) = patch.agent_mode.take() {
            self.record.agent_mode = mode;
            self.record.mode_by = Decider::Client;
        }
        for (id, value) in patch.options.take().unwrap_or_default() {
            match value {
                Some(value) => self.record.options.insert(id, value),
                None => self.record.options.remove(&id),
            };
        }
        self.record.permission_mode = patch.permission_mode.unwrap_or(self.record.permission_mode);
        patch
    }

    /// Checks that the agent has what is asked for, as far as that is known: variants may be other ones with another model, and
    /// agents take models that they do not list.
    fn check_changes(&self, before: &Record, modes: Modes) -> Result<(), AgentFailure> {
        let (choices, table) = (&self.record.choices, &self.modes);
        let (mode, permission) = (&self.record.agent_mode, self.record.permission_mode);
        if modes == Modes::Named {
            check_agent_mode(table, mode, permission).map_err(unsupported)?;
        }
        if *choices == SessionChoices::default() {
            return Ok(());
        }
        let is_same_model = self.record.model == before.model;
        if let Some(model) = self.record.model.as_ref().filter(|_| !is_same_model) {
            model_target(choices, model).map_err(unsupported)?;
        } else if let Some(variant) =
            self.record.variant.as_ref().filter(|_| self.record.variant != before.variant)
        {
            variant_target(choices, variant).map_err(unsupported)?;
        }
        if modes == Modes::Named {
            targets(table, choices, mode, permission).map_err(unsupported)?;
        }
        // Another permission mode may forbid an option; another model may have others.
        for (id, value) in self.record.options.iter().filter(|_| is_same_model) {
            option_target(table, choices, id, value, permission).map_err(unsupported)?;
        }
        Ok(())
    }

    fn changed_settings(&self, before: &Record, modes: Modes) -> impl Iterator<Item = Setting> + use<> {
        let model = (self.record.model != before.model).then_some(Setting::Model);
        let variant = (self.record.variant != before.variant).then_some(Setting::Variant);
        let modes = (modes == Modes::Named).then_some(Setting::Modes);
        let options = (self.record.options != before.options).then_some(Setting::Options);
        [model, variant, modes, options].into_iter().flatten()
    }

    pub(super) fn on_change_progress(
        &mut self,
        mut link: AgentInUse,
        mut changing: Changing,
        progress: Result<Progress, AgentFailure>,
    ) {
        let failure = match (progress, changing.direction) {
            (Ok(Progress::Waiting), direction) => {
                changing.direction = direction;
                self.phase = Phase::Ready(Ready { link, work: Work::Changing(Box::new(changing)) });
                return;
            }
            (Ok(Progress::Done), Direction::Forward) => {
                self.phase = Phase::Ready(Ready { link, work: Work::Settled });
                self.report_choices();
                // Settings that the agent has taken stay, even if the rest fails.
                *changing.change.before = self.record.clone();
                self.applied = Some(changing.change);
                return;
            }
            (Err(failure), Direction::Forward) => {
                self.restore_settings(&changing.change.before);
                // Nobody knows what became of a change that the agent did not answer.
                if !matches!(failure, AgentFailure::Late { .. }) {
                    changing.applying = Applying::former(&changing.change.before.choices);
                    changing.direction = Direction::Back(failure);
                    let progress = self.first_setting(&mut changing.applying, &mut link);
                    return self.on_change_progress(link, changing, progress);
                }
                link.environment = Environment::Outdated;
                self.record.choices.clone_from(&changing.change.before.choices);
                failure
            }
            (Ok(Progress::Done), Direction::Back(failure)) => failure,
            (Err(_), Direction::Back(failure)) => {
                link.environment = Environment::Outdated;
                self.record.choices.clone_from(&changing.change.before.choices);
                failure
            }
        };
        self.phase = Phase::Ready(Ready { link, work: Work::Settled });
        self.report_choices();
        self.reply(changing.change.reply, Err(failure.into()));
    }

    /// Takes back a change whose agent is gone or is not waited for.
    pub(super) fn on_change_refused(&mut self, change: Change, failure: AgentFailure) {
        self.restore_settings(&change.before);
        self.record.choices.clone_from(&change.before.choices);
        self.report_choices();
        self.reply(change.reply, Err(failure.into()));
    }

    fn restore_settings(&mut self, before: &Record) {
        self.record.agent_mode.clone_from(&before.agent_mode);
        self.record.mode_by = before.mode_by;
        self.record.options.clone_from(&before.options);
        self.record.permission_mode = before.permission_mode;
        self.record.model.clone_from(&before.model);
        self.record.variant.clone_from(&before.variant);
    }

    /// Stores a change whose settings the agent has, or will get when it starts.
    pub(super) fn store_change(&mut self, change: Change) {
        let Change { before, given, title, metadata, reply } = change;
        self.record.token_variable = given.token_variable.clone().or(self.record.token_variable.take());
        self.record.variables.extend(given.variables.keys().cloned());
        if let Some(title) = title {
            let title = Some(title).filter(|title| !title.is_empty());
            self.record.title_by = Decider::of(title.as_ref());
            self.record.title.clone_from(&title);
            self.draft.event(EventData::InfoChanged(InfoChanged { title }));
        }
        for (name, value) in metadata {
            if value.is_null() {
                self.record.metadata.remove(&name);
            } else {
                self.record.metadata.insert(name, value);
            }
        }
        self.draft.touch();
        self.trial = Some(Trial::Change { before, given, reply });
    }

    /// Reads the variables that a client gives. Nothing is changed.
    fn read_environment(
        &self,
        token: Option<String>,
        env: Option<BTreeMap<String, String>>,
    ) -> Result<Given, AgentFailure> {
        let variables = env.unwrap_or_default();
        check_variables(&variables).map_err(AgentFailure::Unsupported)?;
        let mut given = Given { variables, token_variable: None };
        if let Some(token) = token {
            let variable = self.token.clone()?.for_model(self.record.model.as_deref());
            variable.give(&token, &mut given.variables);
            given.token_variable = Some(variable.variable);
        }
        Ok(given)
    }

    /// Takes the values of variables, which are never stored. An agent that runs is started again with them before its next turn.
    pub(super) fn take_environment(&mut self, given: Given) {
        if !given.variables.is_empty() {
            self.env.extend(given.variables);
            self.effect(Effect::ShowEnvironment(self.env.clone()));
            self.tracing.refresh_secrets(&self.env);
            self.outdate_agent();
        }
    }
}
