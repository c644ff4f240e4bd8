//! Mode, permission mode, model and variant: as they were asked for, and as they change.

use super::Owner;
use crate::SessionError;
use crate::agent::AgentFailure;
use sa_api::sessions::{EventData, InfoChanged, OptionValue, PermissionMode, SessionPatch};
use sa_jsonrpc::codes;
use sa_universal::{Target, model_target, targets, variant_target};
use serde_json::json;

impl Owner {
    /// Has a newly opened session take what was chosen.
    pub(super) async fn apply_settings(&mut self) -> Result<(), AgentFailure> {
        self.apply_modes().await?;
        self.apply_model().await?;
        self.apply_variant().await
    }

    async fn apply_modes(&mut self) -> Result<(), AgentFailure> {
        let table = self.parts.mode_table(&self.record.request.agent);
        let (mode, permission) = (self.record.agent_mode.clone(), self.record.permission_mode);
        let targets = targets(&table, self.reducer.choices(), &mode, permission).map_err(unsupported)?;
        for target in targets.set {
            self.apply(target).await?;
        }
        if let Some(link) = &mut self.link {
            link.allow_all = targets.enforce == PermissionMode::Bypass;
        }
        Ok(())
    }

    async fn apply_model(&mut self) -> Result<(), AgentFailure> {
        let Some(model) = &self.record.model else { return Ok(()) };
        match model_target(self.reducer.choices(), model).map_err(unsupported)? {
            Some(target) => self.apply(target).await.map_err(refused),
            None => Ok(()),
        }
    }

    async fn apply_variant(&mut self) -> Result<(), AgentFailure> {
        let Some(variant) = &self.record.variant else { return Ok(()) };
        match variant_target(self.reducer.choices(), variant).map_err(unsupported)? {
            Some(target) => self.apply(target).await,
            None => Ok(()),
        }
    }

    /// Makes one choice.
    async fn apply(&mut self, target: Target) -> Result<(), AgentFailure> {
        let session = &self.record.native_session_id;
        let limit = self.parts.limits.call();
        let events = match target {
            Target::SetMode { mode_id } => {
                let params = json!({ "sessionId": session, "modeId": mode_id });
                self.call("session/set_mode", &params, false, limit).await?;
                self.reducer.mode_set(&mode_id)
            }
            Target::SetOption { config_id, value } => {
                let mut params = json!({ "sessionId": session, "configId": config_id, "value": value });
                if let OptionValue::Switch(_) = value {
                    params["type"] = json!("boolean");
                }
                let result = self.call("session/set_config_option", &params, false, limit).await?;
                self.reducer.config_changed(&result)
            }
            Target::SetModel { model_id } => {
                let params = json!({ "sessionId": session, "modelId": model_id });
                self.call("session/set_model", &params, false, limit).await?;
                self.reducer.model_set(&model_id)
            }
        };
        self.note(events);
        Ok(())
    }

    /// Changes what a client wants changed: live if the agent runs, else with its next start.
    pub(super) async fn patch(&mut self, patch: SessionPatch) -> Result<(), SessionError> {
        let before = self.record.clone();
        if let Some(model) = patch.model {
            self.record.model = Some(model);
        }
        if let Some(variant) = patch.variant {
            self.record.variant = Some(variant);
        }
        let modes = patch.agent_mode.is_some() || patch.permission_mode.is_some();
        if let Some(mode) = patch.agent_mode {
            self.record.agent_mode = mode;
        }
        if let Some(mode) = patch.permission_mode {
            self.record.permission_mode = mode;
        }
        if self.link.as_ref().is_some_and(|link| link.ready)
            && let Err(failure) = self.apply_changes(&before, modes).await
        {
            self.record.agent_mode = before.agent_mode;
            self.record.permission_mode = before.permission_mode;
            self.record.model = before.model;
            self.record.variant = before.variant;
            self.commit().await;
            return Err(failure.into());
        }
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
        if stored.is_err() {
            self.record.title = before.title;
            self.record.titled = before.titled;
            self.record.metadata = before.metadata;
        }
        stored
    }

    async fn apply_changes(
        &mut self,
        before: &crate::record::Record,
        modes: bool,
    ) -> Result<(), AgentFailure> {
        if self.record.model != before.model {
            self.apply_model().await?;
        }
        if self.record.variant != before.variant {
            self.apply_variant().await?;
        }
        if modes {
            self.apply_modes().await?;
        }
        Ok(())
    }
}

/// What an agent will not be set to, it does not have.
fn refused(failure: AgentFailure) -> AgentFailure {
    match failure {
        AgentFailure::Refused { code, message, .. } if code == i64::from(codes::INVALID_PARAMS) => {
            AgentFailure::Unsupported(message)
        }
        other => other,
    }
}

fn unsupported(reason: impl std::fmt::Display) -> AgentFailure {
    AgentFailure::Unsupported(reason.to_string())
}
