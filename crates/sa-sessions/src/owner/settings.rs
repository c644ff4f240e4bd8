//! Mode, permission mode, model and variant: as they were asked for, and as they change.

use super::Owner;
use crate::SessionError;
use crate::agent::{AgentFailure, Opens};
use crate::record::{BUILD, Record};
use sa_api::sessions::{
    EventData, InfoChanged, OptionValue, PermissionMode, SessionChoice, SessionChoices, SessionPatch,
    WithdrawnBy,
};
use sa_jsonrpc::codes;
use sa_universal::{
    ModeTable, Target, after_plan, check_agent_mode, is_agent, is_loose, model_target, option_target,
    targets, variant_target,
};
use serde_json::json;
use serde_json::value::RawValue;

/// The mode in which agents only plan.
const PLAN: &str = "plan";

impl Owner {
    /// Has a newly opened session take what was chosen.
    pub(super) async fn apply_settings(&mut self) -> Result<(), AgentFailure> {
        self.apply_modes().await?;
        self.apply_model().await?;
        self.apply_variant().await?;
        self.apply_options().await
    }

    async fn apply_modes(&mut self) -> Result<(), AgentFailure> {
        let table = self.parts.mode_table(&self.record.request.agent);
        let (mode, permission) = (self.record.agent_mode.clone(), self.record.permission_mode);
        // Rules see only what the agent asks about, so the agent asks, and what no rule is about is allowed here.
        let choices = self.reducer.choices();
        let follows_permission = mode == BUILD || is_agent(&table, choices, &mode);
        let by_rules = self.policy.has_rules() && follows_permission && permission == PermissionMode::Bypass;
        let native = if by_rules { PermissionMode::Default } else { permission };
        let targets = targets(&table, choices, &mode, native).map_err(unsupported)?;
        if let Some(agent) = targets.agent.filter(|_| self.record.chosen_mode) {
            self.apply(agent).await?;
        }
        let name = format!("mode '{mode}'");
        for target in targets.set {
            let known = names(&self.reducer.choices().modes);
            self.apply(target).await.map_err(|failure| refused(&name, &known, failure))?;
        }
        if let Some(link) = &mut self.link {
            link.allow_all = by_rules || targets.enforce == PermissionMode::Bypass;
        }
        Ok(())
    }

    async fn apply_model(&mut self) -> Result<(), AgentFailure> {
        let Some(model) = &self.record.model else { return Ok(()) };
        match model_target(self.reducer.choices(), model).map_err(unsupported)? {
            Some(target) => {
                let name = format!("model '{model}'");
                let known = names(&self.reducer.choices().models);
                self.apply(target).await.map_err(|failure| refused(&name, &known, failure))
            }
            None => Ok(()),
        }
    }

    async fn apply_variant(&mut self) -> Result<(), AgentFailure> {
        let Some(variant) = &self.record.variant else { return Ok(()) };
        match variant_target(self.reducer.choices(), variant).map_err(unsupported)? {
            Some(target) => {
                let name = format!("variant '{variant}'");
                let known = names(&self.reducer.choices().variants);
                self.apply(target).await.map_err(|failure| refused(&name, &known, failure))
            }
            None => Ok(()),
        }
    }

    /// Options may depend on each other, so each is checked against what the agent says after the one before.
    async fn apply_options(&mut self) -> Result<(), AgentFailure> {
        let table = self.parts.mode_table(&self.record.request.agent);
        let permission = self.record.permission_mode;
        for (id, value) in self.record.options.clone() {
            let target = option_target(&table, self.reducer.choices(), &id, &value, permission);
            if let Some(target) = target.map_err(unsupported)? {
                self.apply(target).await?;
            }
        }
        Ok(())
    }

    /// Makes one choice.
    async fn apply(&mut self, target: Target) -> Result<(), AgentFailure> {
        let session = &self.record.native_session_id;
        let limit = self.parts.limits.call();
        let events = match target {
            Target::SetMode { mode_id } => {
                let params = json!({ "sessionId": session, "modeId": mode_id });
                self.call("session/set_mode", &params, Opens::Nothing, limit).await?;
                self.reducer.mode_set(&mode_id)
            }
            Target::SetOption { config_id, value } => {
                let mut params = json!({ "sessionId": session, "configId": config_id, "value": value });
                if let OptionValue::Switch(_) = value {
                    params["type"] = json!("boolean");
                }
                let result = self.call("session/set_config_option", &params, Opens::Nothing, limit).await?;
                self.reducer.config_changed(&result)
            }
            Target::SetModel { model_id } => {
                let params = json!({ "sessionId": session, "modelId": model_id });
                self.call("session/set_model", &params, Opens::Nothing, limit).await?;
                self.reducer.model_set(&model_id)
            }
        };
        self.note(events);
        Ok(())
    }

    /// Changes what a client wants changed: live if the agent runs, else with its next start. All of it or nothing.
    pub(super) async fn patch(&mut self, patch: SessionPatch) -> Result<(), SessionError> {
        let mut before = self.record.clone();
        self.record.model = patch.model.or(self.record.model.take());
        self.record.variant = patch.variant.or(self.record.variant.take());
        let modes = patch.agent_mode.is_some() || patch.permission_mode.is_some();
        if let Some(mode) = patch.agent_mode {
            self.record.agent_mode = mode;
            self.record.chosen_mode = true;
        }
        for (id, value) in patch.options.unwrap_or_default() {
            match value {
                Some(value) => self.record.options.insert(id, value),
                None => self.record.options.remove(&id),
            };
        }
        self.record.permission_mode = patch.permission_mode.unwrap_or(self.record.permission_mode);
        // Everything that can be refused without the agent is checked before anything is changed.
        let model = self.record.model.clone();
        let checked = self.check_changes(&before, modes);
        let given = checked.and_then(|()| self.read_environment(patch.token, patch.env, model.as_deref()));
        let given = match given {
            Ok(given) => given,
            Err(failure) => {
                self.record = before;
                return Err(failure.into());
            }
        };
        if self.link.as_ref().is_some_and(|link| link.ready) {
            self.apply_changes(&before, modes).await?;
            before = self.record.clone();
        }
        self.name_environment(&given);
        if let Some(title) = patch.title {
            let title = Some(title).filter(|title| !title.is_empty());
            self.record.titled = title.is_some();
            self.record.title.clone_from(&title);
            self.draft.event(EventData::InfoChanged(InfoChanged { title }));
        }
        for (name, value) in patch.metadata.unwrap_or_default() {
            if value.is_null() {
                self.record.metadata.remove(&name);
            } else {
                self.record.metadata.insert(name, value);
            }
        }
        self.draft.touch();
        let stored = self.try_commit().await;
        match stored {
            Ok(()) => self.take_environment(given),
            Err(_) => self.record = before,
        }
        stored
    }

    /// Whether the agent has what is asked for, as far as that is known: variants may be other ones with another model, and
    /// agents take models that they do not list.
    fn check_changes(&self, before: &Record, modes: bool) -> Result<(), AgentFailure> {
        let choices = &self.record.choices;
        let table = self.parts.mode_table(&self.record.request.agent);
        if modes {
            check_agent_mode(&table, &self.record.agent_mode, self.record.permission_mode)
                .map_err(unsupported)?;
        }
        if *choices == SessionChoices::default() {
            return Ok(());
        }
        if let Some(model) = self.record.model.as_ref().filter(|_| self.record.model != before.model) {
            model_target(choices, model).map_err(unsupported)?;
        } else if let Some(variant) =
            self.record.variant.as_ref().filter(|_| self.record.variant != before.variant)
        {
            variant_target(choices, variant).map_err(unsupported)?;
        }
        if modes {
            targets(&table, choices, &self.record.agent_mode, self.record.permission_mode)
                .map_err(unsupported)?;
        }
        // Another permission mode may forbid an option; another model may have others.
        let is_same_model = self.record.model == before.model;
        for (id, value) in self.record.options.iter().filter(|_| is_same_model) {
            option_target(&table, choices, id, value, self.record.permission_mode).map_err(unsupported)?;
        }
        Ok(())
    }

    /// Has the agent take changes. If it does not take one of them, it gets back what it had.
    async fn apply_changes(&mut self, before: &Record, modes: bool) -> Result<(), AgentFailure> {
        self.applying = true;
        let applied = self.apply_each(before, modes).await;
        if let Err(failure) = &applied {
            self.record.agent_mode.clone_from(&before.agent_mode);
            self.record.chosen_mode = before.chosen_mode;
            self.record.options.clone_from(&before.options);
            self.record.permission_mode = before.permission_mode;
            self.record.model.clone_from(&before.model);
            self.record.variant.clone_from(&before.variant);
            // Nobody knows what became of a change that it did not answer.
            let unanswered = matches!(failure, AgentFailure::Late { .. } | AgentFailure::GivenUp);
            if unanswered || self.put_back(&before.choices).await.is_err() {
                self.record.choices.clone_from(&before.choices);
                self.renew = self.link.is_some();
            }
        }
        self.applying = false;
        self.tell_choices();
        // What the agent has said of it cannot be taken back.
        self.commit().await;
        applied
    }

    async fn apply_each(&mut self, before: &Record, modes: bool) -> Result<(), AgentFailure> {
        if self.record.model != before.model {
            self.apply_model().await?;
        }
        if self.record.variant != before.variant {
            self.apply_variant().await?;
        }
        if modes {
            self.apply_modes().await?;
        }
        if self.record.options != before.options {
            self.apply_options().await?;
        }
        Ok(())
    }

    /// Chooses again what was chosen before.
    async fn put_back(&mut self, was: &SessionChoices) -> Result<(), AgentFailure> {
        if let Some(model) = was.model.as_ref().filter(|_| self.reducer.choices().model != was.model)
            && let Some(target) = model_target(self.reducer.choices(), model).map_err(unsupported)?
        {
            self.apply(target).await?;
        }
        if let Some(variant) = was.variant.as_ref().filter(|_| self.reducer.choices().variant != was.variant)
            && let Some(target) = variant_target(self.reducer.choices(), variant).map_err(unsupported)?
        {
            self.apply(target).await?;
        }
        for option in &was.options {
            let now = self.reducer.choices();
            let is_other =
                now.options.iter().any(|other| other.id == option.id && other.value != option.value);
            let table = self.parts.mode_table(&self.record.request.agent);
            let target = if table.agents.is_some_and(|agents| agents.option == option.id) {
                Some(Target::SetOption { config_id: option.id.clone(), value: option.value.clone() })
            } else {
                // Mode, model and variant are refused here; they are put back as such.
                let free = PermissionMode::Bypass;
                option_target(&ModeTable::default(), now, &option.id, &option.value, free).ok().flatten()
            };
            if let Some(target) = target.filter(|_| is_other) {
                self.apply(target).await?;
            }
        }
        self.apply_modes().await
    }

    /// Returns whether the agent has all settings that it is to have.
    pub(super) fn has_settled(&self) -> bool {
        !self.applying && self.link.as_ref().is_some_and(|link| link.ready)
    }

    /// Notes how the choices differ from those that readers of the log know of. Several changes for one request are one event.
    pub(super) fn tell_choices(&mut self) {
        if let Some(changed) = sa_universal::mode_changed(&self.told_choices, &self.record.choices) {
            self.draft.event(EventData::ModeChanged(changed));
            self.told_choices.clone_from(&self.record.choices);
        }
    }

    /// Follows an agent that has changed its mode by itself, so that it is not put back into plan mode when it is started
    /// again. It must not end up with more than it may do: then it is put back.
    pub(super) fn follow_mode(&mut self) {
        if !self.has_settled() {
            return;
        }
        let table = self.parts.mode_table(&self.record.request.agent);
        let (choices, chosen) = (&self.record.choices, self.record.permission_mode);
        let plans = chosen == PermissionMode::Plan || self.record.agent_mode == PLAN;
        if !plans {
            let mode = choices.mode.as_deref().unwrap_or_default();
            let looser = chosen != PermissionMode::Bypass && is_loose(&table, choices, mode);
            // Some agents have no other mode.
            let back = targets(&table, choices, &self.record.agent_mode, chosen);
            self.is_too_loose |= looser && back.is_ok_and(|back| !back.set.is_empty());
        } else if let Some(after) = after_plan(&table, choices, &self.record.agent_mode, chosen) {
            self.record.agent_mode = after.agent_mode;
            self.record.permission_mode = after.permission_mode;
            // Rules see only what the agent asks about.
            let by_rules = self.policy.has_rules() && after.permission_mode == PermissionMode::Bypass;
            self.is_too_loose |= after.is_too_loose || by_rules;
            if let Some(link) = &mut self.link {
                link.allow_all = after.permission_mode == PermissionMode::Bypass;
            }
        }
    }

    /// Puts an agent back that has given itself a mode in which it asks less than it has to.
    pub(super) async fn hold_mode(&mut self) {
        if !std::mem::take(&mut self.is_too_loose) {
            return;
        }
        let mode = self.record.choices.mode.clone().unwrap_or_default();
        self.warn(
            "Mode",
            format!("the agent switched to '{mode}', in which it asks less than it has to; it is set back"),
        );
        self.applying = true;
        let held = self.apply_modes().await;
        self.applying = false;
        self.tell_choices();
        if let Err(failure) = held {
            self.warn("Mode", format!("the agent cannot be set back: {failure}"));
            self.renew = self.link.is_some();
            // Failing means that there is no turn to cancel.
            let _stopped = self.cancel(WithdrawnBy::Cancelled).await;
        }
        self.commit().await;
    }

    /// A request for permission without the options that lead to a mode in which the agent asks less than it has to.
    pub(super) fn without_looser(&self, params: &RawValue) -> Option<Box<RawValue>> {
        if self.record.permission_mode == PermissionMode::Bypass && !self.policy.has_rules() {
            return None;
        }
        let table = self.parts.mode_table(&self.record.request.agent);
        let choices = self.reducer.choices();
        let is_mode = |id: &str| choices.modes.iter().any(|mode| mode.id == id);
        sa_universal::withhold(params, |id| is_mode(id) && is_loose(&table, choices, id))
    }
}

/// Reads the refusal of a setting: the agent does not have what it does not accept.
fn refused(setting: &str, known: &str, failure: AgentFailure) -> AgentFailure {
    match failure {
        AgentFailure::Refused { code, message, .. } if code == i64::from(codes::INVALID_PARAMS) => {
            AgentFailure::Unsupported(format!(
                "the agent does not accept {setting}: {message}; known are: {known}"
            ))
        }
        other => other,
    }
}

fn names(choices: &[SessionChoice]) -> String {
    if choices.is_empty() {
        return "none".to_owned();
    }
    choices.iter().map(|choice| choice.id.as_str()).collect::<Vec<_>>().join(", ")
}

fn unsupported(reason: impl std::fmt::Display) -> AgentFailure {
    AgentFailure::Unsupported(reason.to_string())
}
