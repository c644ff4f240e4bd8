//! Choices as ACP's options and modes.

use crate::choices::{MODE, MODEL, VARIANT, is, to_choice, to_option};
use crate::json::Object;
use sa_api::sessions::{ChangedChoices, ModeChanged, OptionValue, SessionChoices, SessionOption};
use serde_json::{Value, json};

/// Makes the change that an event says.
pub(super) fn merge_choices(choices: &mut SessionChoices, changed: &ModeChanged) {
    let ChangedChoices { mode, modes, model, models, variant, variants, options } = changed.choices.clone();
    (choices.mode, choices.model, choices.variant) = (mode, model, variant);
    choices.modes = modes.unwrap_or_else(|| std::mem::take(&mut choices.modes));
    choices.models = models.unwrap_or_else(|| std::mem::take(&mut choices.models));
    choices.variants = variants.unwrap_or_else(|| std::mem::take(&mut choices.variants));
    choices.options = options.unwrap_or_else(|| std::mem::take(&mut choices.options));
}

/// All options as ACP has them, those for mode, model and variant included.
fn all_options(choices: &SessionChoices) -> Vec<SessionOption> {
    let own = [
        (MODE, "Mode", &choices.mode, &choices.modes),
        (MODEL, "Model", &choices.model, &choices.models),
        (VARIANT, "Variant", &choices.variant, &choices.variants),
    ];
    let is_own = |option: &SessionOption| own.iter().any(|(category, ..)| is(option, category));
    let others = choices.options.iter().filter(|option| !is_own(option)).cloned();
    let own = own.iter().flat_map(|(category, name, value, list)| {
        let known: Vec<_> = choices.options.iter().filter(|option| is(option, category)).cloned().collect();
        let value = (*value).clone().filter(|_| known.is_empty() && !list.is_empty());
        let made = value.map(|value| SessionOption {
            id: (*category).to_owned(),
            name: (*name).to_owned(),
            description: None,
            category: Some((*category).to_owned()),
            value: OptionValue::Choice(value),
            choices: list.to_vec(),
        });
        known.into_iter().chain(made)
    });
    own.chain(others).collect()
}

/// Returns whether there is an option that ACP would have.
pub(super) fn has_options(choices: &SessionChoices) -> bool {
    !all_options(choices).is_empty()
}

/// The updates that report the choices. `had_options` says whether options were reported before.
pub(super) fn to_updates(choices: &SessionChoices, had_options: bool) -> Vec<Value> {
    let mut updates = Vec::new();
    let options = all_options(choices);
    if had_options || !options.is_empty() {
        let options: Vec<_> = options.iter().map(to_option).collect();
        updates.push(json!({ "sessionUpdate": "config_option_update", "configOptions": options }));
    }
    if let Some(mode) = &choices.mode {
        updates.push(json!({ "sessionUpdate": "current_mode_update", "currentModeId": mode }));
    }
    updates
}

/// Returns the result of `session/new` without the session's id: `modes` and `configOptions`.
pub fn to_opened(choices: &SessionChoices) -> Value {
    let mut result = Object::new();
    if let Some(mode) = choices.mode.as_ref().filter(|_| !choices.modes.is_empty()) {
        let modes: Vec<_> = choices.modes.iter().map(|mode| to_choice(mode, "id")).collect();
        result.insert("modes".to_owned(), json!({ "currentModeId": mode, "availableModes": modes }));
    }
    let options = all_options(choices);
    if !options.is_empty() {
        let options: Vec<_> = options.iter().map(to_option).collect();
        result.insert("configOptions".to_owned(), options.into());
    }
    Value::Object(result)
}
