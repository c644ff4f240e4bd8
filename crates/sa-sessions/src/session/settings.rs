//! Mode, permission mode, model, variant and options: applied one after the other, as each answer may change what is offered.

use super::machine::Machine;
use super::phase::{AgentInUse, Call, Environment, ModeCheck, Permissions, Phase, Ready, Work};
use crate::agent::{AgentFailure, Opens};
use crate::record::{BUILD, Decider};
use sa_api::sessions::{
    EventData, OptionValue, PermissionMode, SessionChoice, SessionChoices, SessionOption, WithdrawnBy,
};
use sa_jsonrpc::codes;
use sa_universal::{
    ModeTable, Target, after_plan, choice_names, is_agent, is_loose, model_target, option_target, targets,
    variant_target,
};
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::VecDeque;

/// The mode in which agents only plan.
const PLAN: &str = "plan";

/// Settings that an agent is being given.
pub(super) struct Applying {
    steps: VecDeque<Setting>,
    sent: Option<Sent>,
}

/// A setting, resolved against the agent's choices when its turn comes.
pub(super) enum Setting {
    Modes,
    Model,
    Variant,
    Options,
    Option {
        id: String,
        value: OptionValue,
    },
    /// The model that the agent had before.
    FormerModel(String),
    FormerVariant(String),
    FormerOption(Box<SessionOption>),
    Set {
        target: Target,
        name: Option<Named>,
    },
    Permissions(Permissions),
}

/// The name of a setting and those that the agent knows, for when the agent does not accept it.
type Named = (String, fn(&SessionChoices) -> &[SessionChoice]);

struct Sent {
    call: Call,
    target: Target,
    /// The setting's name, and the known ones.
    refusal: Option<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Waiting,
    Done,
}

impl Applying {
    pub(super) fn new(steps: impl IntoIterator<Item = Setting>) -> Self {
        Self { steps: steps.into_iter().collect(), sent: None }
    }

    /// All settings, for a newly opened session.
    pub(super) fn everything() -> Self {
        Self::new([Setting::Modes, Setting::Model, Setting::Variant, Setting::Options])
    }

    /// The settings that an agent had before.
    pub(super) fn former(was: &SessionChoices) -> Self {
        let model = was.model.clone().map(Setting::FormerModel);
        let variant = was.variant.clone().map(Setting::FormerVariant);
        let options = was.options.iter().cloned().map(|option| Setting::FormerOption(Box::new(option)));
        Self::new(model.into_iter().chain(variant).chain(options).chain([Setting::Modes]))
    }

    pub(super) fn call_mut(&mut self) -> Option<&mut Call> {
        self.sent.as_mut().map(|sent| &mut sent.call)
    }
}

impl Machine {
    pub(super) fn first_setting(
        &mut self,
        applying: &mut Applying,
        link: &mut AgentInUse,
    ) -> Result<Progress, AgentFailure> {
        while let Some(setting) = applying.steps.pop_front() {
            let resolved = self.resolve(setting, link)?;
            match resolved {
                Resolved::Steps(steps) => {
                    steps.into_iter().rev().for_each(|step| applying.steps.push_front(step));
                }
                Resolved::Send(target, name) => {
                    applying.sent = Some(self.send_setting(target, name));
                    return Ok(Progress::Waiting);
                }
            }
        }
        Ok(Progress::Done)
    }

    /// Takes the answer to the setting that was sent, and sends the next one.
    pub(super) fn next_setting(
        &mut self,
        applying: &mut Applying,
        link: &mut AgentInUse,
        outcome: Result<Box<RawValue>, AgentFailure>,
    ) -> Result<Progress, AgentFailure> {
        if let Some(sent) = applying.sent.take() {
            let result = outcome.map_err(|failure| refused(sent.refusal, failure))?;
            let events = match &sent.target {
                Target::SetMode { mode_id } => self.reducer.mode_set(mode_id),
                Target::SetOption { .. } => self.reducer.config_changed(&result),
                Target::SetModel { model_id } => self.reducer.model_set(model_id),
            };
            self.note(events);
        }
        self.first_setting(applying, link)
    }

    fn send_setting(&mut self, target: Target, name: Option<Named>) -> Sent {
        let session = &self.record.native_session_id;
        let (method, params) = match &target {
            Target::SetMode { mode_id } => {
                ("session/set_mode", json!({ "sessionId": session, "modeId": mode_id }))
            }
            Target::SetOption { config_id, value } => {
                let mut params = json!({ "sessionId": session, "configId": config_id, "value": value });
                if let OptionValue::Switch(_) = value {
                    params["type"] = json!("boolean");
                }
                ("session/set_config_option", params)
            }
            Target::SetModel { model_id } => {
                ("session/set_model", json!({ "sessionId": session, "modelId": model_id }))
            }
        };
        let refusal = name.map(|(setting, list)| (setting, choice_names(list(self.reducer.choices()))));
        let call = self.call(method, params, Opens::Nothing, self.limits.call());
        Sent { call, target, refusal }
    }

    /// Returns what a setting means for the agent as it is now.
    fn resolve(&self, setting: Setting, link: &mut AgentInUse) -> Result<Resolved, AgentFailure> {
        let (choices, permission) = (self.reducer.choices(), self.record.permission_mode);
        let target = match setting {
            Setting::Modes => return self.resolve_modes(),
            Setting::Permissions(permissions) => {
                link.permissions = permissions;
                return Ok(Resolved::nothing());
            }
            Setting::Options => {
                let options = self.record.options.clone().into_iter();
                let steps = options.map(|(id, value)| Setting::Option { id, value });
                return Ok(Resolved::Steps(steps.collect()));
            }
            Setting::Set { target, name } => (Some(target), name),
            Setting::Model => match &self.record.model {
                Some(model) => {
                    let name: Named = (format!("model '{model}'"), |choices| &choices.models);
                    (model_target(choices, model).map_err(unsupported)?, Some(name))
                }
                None => (None, None),
            },
            Setting::Variant => match &self.record.variant {
                Some(variant) => {
                    let name: Named = (format!("variant '{variant}'"), |choices| &choices.variants);
                    (variant_target(choices, variant).map_err(unsupported)?, Some(name))
                }
                None => (None, None),
            },
            Setting::Option { id, value } => {
                let target = option_target(&self.modes, choices, &id, &value, permission);
                (target.map_err(unsupported)?, None)
            }
            Setting::FormerModel(model) if choices.model.as_ref() != Some(&model) => {
                (model_target(choices, &model).map_err(unsupported)?, None)
            }
            Setting::FormerVariant(variant) if choices.variant.as_ref() != Some(&variant) => {
                (variant_target(choices, &variant).map_err(unsupported)?, None)
            }
            Setting::FormerOption(option) => (self.former_option(&option), None),
            Setting::FormerModel(_) | Setting::FormerVariant(_) => (None, None),
        };
        Ok(match target {
            (Some(target), name) => Resolved::Send(target, name),
            (None, _) => Resolved::nothing(),
        })
    }

    fn resolve_modes(&self) -> Result<Resolved, AgentFailure> {
        let (mode, permission) = (&self.record.agent_mode, self.record.permission_mode);
        let choices = self.reducer.choices();
        // Rules see only what the agent asks about. So the agent asks, and the daemon allows what no rule is about.
        let follows_permission = mode == BUILD || is_agent(&self.modes, choices, mode);
        let by_rules = self.policy.has_rules() && follows_permission && permission == PermissionMode::Bypass;
        let native = if by_rules { PermissionMode::Default } else { permission };
        let targets = targets(&self.modes, choices, mode, native).map_err(unsupported)?;
        let agent = targets.agent.filter(|_| self.record.mode_by == Decider::Client);
        let agent = agent.map(|target| Setting::Set { target, name: None });
        let set = targets.set.into_iter().map(|target| {
            let name: Named = (format!("mode '{mode}'"), |choices| &choices.modes);
            Setting::Set { target, name: Some(name) }
        });
        let grants = by_rules || targets.enforce == PermissionMode::Bypass;
        let permissions = if grants { Permissions::Daemon } else { Permissions::Clients };
        Ok(Resolved::Steps(agent.into_iter().chain(set).chain([Setting::Permissions(permissions)]).collect()))
    }

    /// Returns how an option gets the value that it had before, if it has another.
    fn former_option(&self, option: &SessionOption) -> Option<Target> {
        let now = self.reducer.choices();
        let is_other = now.options.iter().any(|other| other.id == option.id && other.value != option.value);
        let target = if self.modes.agents.as_ref().is_some_and(|agents| agents.option == option.id) {
            Some(Target::SetOption { config_id: option.id.clone(), value: option.value.clone() })
        } else {
            // Mode, model and variant are refused here; they have settings of their own.
            let free = PermissionMode::Bypass;
            option_target(&ModeTable::default(), now, &option.id, &option.value, free).ok().flatten()
        };
        target.filter(|_| is_other)
    }

    /// Notes how the choices differ from those that readers of the log know of. Several changes for one request are one event.
    pub(super) fn report_choices(&mut self) {
        if let Some(changed) = sa_universal::mode_changed(&self.reported_choices, &self.record.choices) {
            self.draft.event(EventData::ModeChanged(changed));
            self.reported_choices.clone_from(&self.record.choices);
        }
    }

    /// Follows an agent that has changed its mode by itself, so that it is not put back into plan mode when it is started
    /// again. It must not end up with more than it may do: then it is set back.
    pub(super) fn follow_mode(&mut self) {
        let Some(link) = self.phase.settled_mut() else { return };
        let (choices, chosen) = (&self.record.choices, self.record.permission_mode);
        let plans = chosen == PermissionMode::Plan || self.record.agent_mode == PLAN;
        if !plans {
            let mode = choices.mode.as_deref().unwrap_or_default();
            let looser = chosen != PermissionMode::Bypass && is_loose(&self.modes, choices, mode);
            // Some agents have no other mode.
            let back = targets(&self.modes, choices, &self.record.agent_mode, chosen);
            if looser && back.is_ok_and(|back| !back.set.is_empty()) {
                link.mode = ModeCheck::TooLoose;
            }
        } else if let Some(after) = after_plan(&self.modes, choices, &self.record.agent_mode, chosen) {
            self.record.agent_mode = after.agent_mode;
            self.record.permission_mode = after.permission_mode;
            let bypasses = after.permission_mode == PermissionMode::Bypass;
            // Rules see only what the agent asks about.
            if after.is_too_loose || bypasses && self.policy.has_rules() {
                link.mode = ModeCheck::TooLoose;
            }
            link.permissions = if bypasses { Permissions::Daemon } else { Permissions::Clients };
        }
        self.report_choices();
    }

    /// Sets an agent back that has given itself a mode in which it asks less than it has to. Returns whether it did.
    pub(super) fn hold_mode(&mut self) -> bool {
        let Some(link) = self.phase.settled_mut() else { return false };
        if std::mem::replace(&mut link.mode, ModeCheck::Fine) == ModeCheck::Fine {
            return false;
        }
        let mode = self.record.choices.mode.clone().unwrap_or_default();
        self.warn(
            "Mode",
            format!("the agent switched to '{mode}', in which it asks less than it has to; it is set back"),
        );
        if let Phase::Ready(Ready { mut link, .. }) = self.take_phase() {
            let mut applying = Applying::new([Setting::Modes]);
            let progress = self.first_setting(&mut applying, &mut link);
            self.on_held(link, applying, progress);
        }
        true
    }

    fn on_held(
        &mut self,
        mut link: AgentInUse,
        applying: Applying,
        progress: Result<Progress, AgentFailure>,
    ) {
        let work = match progress {
            Ok(Progress::Waiting) => Work::Holding(Box::new(applying)),
            Ok(Progress::Done) | Err(_) => Work::Settled,
        };
        if progress.is_err() {
            link.environment = Environment::Outdated;
        }
        self.phase = Phase::Ready(Ready { link, work });
        match progress {
            Ok(Progress::Waiting) => {}
            Ok(Progress::Done) => self.report_choices(),
            Err(failure) => self.on_hold_failed(&failure),
        }
    }

    pub(super) fn on_hold_failed(&mut self, failure: &AgentFailure) {
        self.report_choices();
        self.warn("Mode", format!("the agent cannot be set back: {failure}"));
        self.cancel(WithdrawnBy::Cancelled);
    }

    pub(super) fn on_setting_answer(&mut self, ready: Ready, outcome: Result<Box<RawValue>, AgentFailure>) {
        let Ready { mut link, work } = ready;
        match work {
            Work::Settled => self.phase = Phase::Ready(Ready { link, work }),
            Work::Holding(mut applying) => {
                let progress = self.next_setting(&mut applying, &mut link, outcome);
                self.on_held(link, *applying, progress);
            }
            Work::Changing(mut changing) => {
                let progress = self.next_setting(&mut changing.applying, &mut link, outcome);
                self.on_change_progress(link, *changing, progress);
            }
        }
    }

    /// Stops giving the agent settings, as the session ends.
    pub(super) fn give_up_settings(&mut self, ready: Ready) {
        let Ready { mut link, work } = ready;
        link.environment = Environment::Outdated;
        self.phase = Phase::Ready(Ready { link, work: Work::Settled });
        match work {
            Work::Settled => {}
            Work::Holding(_) => self.on_hold_failed(&AgentFailure::GivenUp),
            Work::Changing(changing) => self.on_change_refused(changing.change, AgentFailure::GivenUp),
        }
    }

    /// Returns a request for permission without the options that lead to a mode in which the agent asks less than it has to.
    pub(super) fn without_looser(&self, params: &RawValue) -> Option<Box<RawValue>> {
        if self.record.permission_mode == PermissionMode::Bypass && !self.policy.has_rules() {
            return None;
        }
        let choices = self.reducer.choices();
        let is_mode = |id: &str| choices.modes.iter().any(|mode| mode.id == id);
        sa_universal::withhold(params, |id| is_mode(id) && is_loose(&self.modes, choices, id))
    }
}

/// The meaning of a setting for the agent as it is now.
enum Resolved {
    /// These settings, in its place.
    Steps(Vec<Setting>),
    Send(Target, Option<Named>),
}

impl Resolved {
    fn nothing() -> Self {
        Self::Steps(Vec::new())
    }
}

/// Reads the refusal of a setting: the agent does not have what it does not accept.
fn refused(named: Option<(String, String)>, failure: AgentFailure) -> AgentFailure {
    match (named, failure) {
        (Some((setting, known)), AgentFailure::Refused { code, message, .. })
            if code == i64::from(codes::INVALID_PARAMS) =>
        {
            AgentFailure::Unsupported(format!(
                "the agent does not accept {setting}: {message}; known are: {known}"
            ))
        }
        (_, other) => other,
    }
}

pub(super) fn unsupported(reason: impl std::fmt::Display) -> AgentFailure {
    AgentFailure::Unsupported(reason.to_string())
}
