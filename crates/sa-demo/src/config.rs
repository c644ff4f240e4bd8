//! The settings of a session: mode, model, effort, and a switch.

use agent_client_protocol_schema::v1::{
    Error, SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue, SessionModeState,
};
use sa_acp::{Choice, Handshake, choice, effort_option, mode_option, mode_state, model_option};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(super) const BYPASS: &str = "bypass";
pub(super) const PLAN: &str = "plan";
pub(super) const ASK: &str = "ask";

static MODES: [Choice<'static>; 3] = [
    (ASK, "Ask", "Asks before each edit and each command"),
    (PLAN, "Plan", "Reads only; edits and commands are refused"),
    (BYPASS, "Bypass", "Edits and runs without asking"),
];
static MODELS: [Choice<'static>; 3] = [
    ("demo-small", "Demo Small", "A context of 32,000 tokens"),
    ("demo-medium", "Demo Medium", "A context of 128,000 tokens"),
    ("demo-large", "Demo Large", "A context of 1,000,000 tokens"),
];
static EFFORTS: [Choice<'static>; 3] = [
    ("low", "Low", "Thinks briefly"),
    ("medium", "Medium", "Thinks as long as it should"),
    ("high", "High", "Thinks long"),
];

/// A setting with a list of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Select {
    Mode,
    Model,
    Effort,
}

impl Select {
    const ALL: [Self; 3] = [Self::Mode, Self::Model, Self::Effort];

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Mode => "mode",
            Self::Model => "model",
            Self::Effort => "effort",
        }
    }

    pub(super) fn choices(self) -> &'static [Choice<'static>] {
        match self {
            Self::Mode => &MODES,
            Self::Model => &MODELS,
            Self::Effort => &EFFORTS,
        }
    }
}

/// The id of the switch, which has no effect but to be on or off.
const FAST: &str = "fast";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Settings {
    #[serde(deserialize_with = "stored_mode")]
    mode: String,
    /// The mode before plan mode, to which an approved plan leads back.
    #[serde(default)]
    before_plan: Option<String>,
    model: String,
    effort: String,
    fast: bool,
}

/// Reads a mode. Files from before the mode that never asks was called `bypass` call it `build`.
fn stored_mode<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let mode = String::deserialize(deserializer)?;
    Ok(if mode == "build" { BYPASS.to_owned() } else { mode })
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: BYPASS.to_owned(),
            before_plan: None,
            model: "demo-medium".to_owned(),
            effort: "medium".to_owned(),
            fast: false,
        }
    }
}

impl Settings {
    pub(super) fn get(&self, select: Select) -> &str {
        match select {
            Select::Mode => &self.mode,
            Select::Model => &self.model,
            Select::Effort => &self.effort,
        }
    }

    /// The mode that follows plan mode.
    pub(super) fn after_plan(&self) -> &str {
        self.before_plan.as_deref().filter(|mode| [ASK, BYPASS].contains(mode)).unwrap_or(BYPASS)
    }

    /// Tokens that fit the model's context.
    pub(super) fn context_size(&self) -> u64 {
        match self.model.as_str() {
            "demo-small" => 32_000,
            "demo-large" => 1_000_000,
            _ => 128_000,
        }
    }

    /// Chooses a value; `false` if there is none of that id.
    pub(super) fn choose(&mut self, select: Select, value: &str) -> bool {
        let known = select.choices().iter().any(|(id, ..)| *id == value);
        if known {
            if select == Select::Mode && value == PLAN && self.mode != PLAN {
                self.before_plan = Some(self.mode.clone());
            }
            let setting = match select {
                Select::Mode => &mut self.mode,
                Select::Model => &mut self.model,
                Select::Effort => &mut self.effort,
            };
            value.clone_into(setting);
        }
        known
    }

    /// Sets the option `config` on a client's behalf and says which list was chosen from, if it was one.
    pub(super) fn set(
        &mut self,
        config: &str,
        value: &SessionConfigOptionValue,
        client: &Handshake,
    ) -> Result<Option<Select>, Error> {
        let invalid =
            |reason: String| Error::invalid_params().data(json!({ "configId": config, "reason": reason }));
        if config == FAST && client.knows_switches() {
            self.fast =
                value.as_bool().ok_or_else(|| invalid("the value must be true or false".to_owned()))?;
            return Ok(None);
        }
        let select = Select::ALL.into_iter().find(|select| select.id() == config);
        let select = select.ok_or_else(|| invalid("no such option".to_owned()))?;
        let value =
            value.as_value_id().ok_or_else(|| invalid("the value must be the id of a choice".to_owned()))?;
        if self.choose(select, &value.0) {
            Ok(Some(select))
        } else {
            Err(invalid(format!("no choice {value}")))
        }
    }

    /// The modes, as clients know them that do not know options.
    pub(super) fn modes(&self) -> SessionModeState {
        mode_state(&self.mode, MODES)
    }

    /// The complete list of options. The switch is only shown to clients that know switches.
    pub(super) fn options(&self, client: &Handshake) -> Vec<SessionConfigOption> {
        let choices = |select: Select| select.choices().iter().copied().map(choice).collect();
        let mut options = vec![
            mode_option(&self.mode, MODES),
            model_option(&self.model, choices(Select::Model)),
            effort_option(("effort", "Effort"), &self.effort, choices(Select::Effort)),
        ];
        if client.knows_switches() {
            options.push(
                SessionConfigOption::boolean(FAST, "Fast", self.fast)
                    .description("A switch to try; the demo agent is as fast either way".to_owned())
                    .category(SessionConfigOptionCategory::ModelConfig),
            );
        }
        options
    }

    /// All settings, for people.
    pub(super) fn describe(&self) -> String {
        let fast = if self.fast { "on" } else { "off" };
        format!("mode: {}\nmodel: {}\neffort: {}\nfast: {fast}", self.mode, self.model, self.effort)
    }
}
