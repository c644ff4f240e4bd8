//! Modes, models and options of a session: ACP's and ours.

use crate::json::{self, Object};
use sa_api::sessions::{
    ChangedChoices, ChoiceGroup, ModeChanged, OptionValue, SessionChoice, SessionChoices, SessionOption,
};
use serde_json::{Value, json};

/// The category of the option that is the mode.
pub(crate) const MODE: &str = "mode";
/// The category of the option that is the model.
pub(crate) const MODEL: &str = "model";
/// The category of the option that is the model's variant.
pub(crate) const VARIANT: &str = "thought_level";

/// Choices as the agent sent them: by options, and in the two older ways. Variants are among the options.
#[derive(Debug, Default)]
pub(crate) struct Offered(SessionChoices);

impl Offered {
    /// Takes the result of `session/new` and its like.
    pub(crate) fn opened(&mut self, result: &Object) {
        if let Some(modes) = json::object(result, "modes") {
            self.0.mode = json::owned(modes, "currentModeId");
            self.0.modes = choices(json::list(modes, "availableModes").unwrap_or_default(), "id");
        }
        if let Some(models) = json::object(result, "models") {
            self.0.model = json::owned(models, "currentModelId");
            self.0.models = choices(json::list(models, "availableModels").unwrap_or_default(), "modelId");
        }
        self.set_options(result);
    }

    /// Takes a whole list of options; gives those that are not understood.
    pub(crate) fn set_options(&mut self, holder: &Object) -> Vec<Value> {
        let Some(list) = json::list(holder, "configOptions") else { return Vec::new() };
        let mut odd = Vec::new();
        self.0.options.clear();
        for value in list {
            let option = value.as_object().and_then(option);
            // It was understood if it can be converted back.
            if option.as_ref().map(to_option).as_ref() != Some(&without_nulls(value)) {
                odd.push(value.clone());
            }
            self.0.options.extend(option);
        }
        if let Some(mode) = chosen(self.0.options.iter(), MODE)
            && (self.0.modes.is_empty() || self.0.modes.iter().any(|known| known.id == mode))
        {
            self.0.mode = Some(mode);
        }
        if let Some(model) = chosen(self.0.options.iter(), MODEL) {
            self.0.model = Some(model);
        }
        odd
    }

    pub(crate) fn set_mode(&mut self, mode: &str) {
        self.0.mode = Some(mode.to_owned());
        let option = self.0.options.iter_mut().find(|option| is(option, MODE));
        if let Some(option) = option
            && option.choices.iter().any(|choice| choice.id == mode)
        {
            option.value = OptionValue::Choice(mode.to_owned());
        }
    }

    pub(crate) fn set_model(&mut self, model: &str) {
        self.0.model = Some(model.to_owned());
    }

    /// Returns the choices in the universal form.
    pub(crate) fn choices(&self) -> SessionChoices {
        let of = |category| self.0.options.iter().find(|option| is(option, category));
        let list = |category| of(category).map(|option| option.choices.clone()).unwrap_or_default();
        let or =
            |own: &Vec<SessionChoice>, category| if own.is_empty() { list(category) } else { own.clone() };
        let models = list(MODEL);
        SessionChoices {
            modes: or(&self.0.modes, MODE),
            models: if models.is_empty() { self.0.models.clone() } else { models },
            variant: chosen(self.0.options.iter(), VARIANT),
            variants: list(VARIANT),
            ..self.0.clone()
        }
    }
}

/// Returns the choices as clients see them: without the options that say again what mode, model and variant say.
pub fn shown_choices(choices: &SessionChoices) -> SessionChoices {
    let same = |option: &SessionOption, category: &str, value: &Option<String>, list: &[SessionChoice]| {
        is(option, category)
            && option.choices.iter().map(|choice| &choice.id).eq(list.iter().map(|choice| &choice.id))
            && matches!(&option.value, OptionValue::Choice(chosen) if Some(chosen) == value.as_ref())
    };
    let is_copy = |option: &SessionOption| {
        same(option, MODE, &choices.mode, &choices.modes)
            || same(option, MODEL, &choices.model, &choices.models)
            || same(option, VARIANT, &choices.variant, &choices.variants)
    };
    let options = choices.options.iter().filter(|option| !is_copy(option)).cloned().collect();
    SessionChoices { options, ..choices.clone() }
}

/// Returns the event that leads from choices to others; none if clients see no difference.
pub fn mode_changed(before: &SessionChoices, now: &SessionChoices) -> Option<ModeChanged> {
    let (before, now) = (shown_choices(before), shown_choices(now));
    (before != now).then(|| change(before, now))
}

/// The event that leads from choices to others, as clients see them.
pub(crate) fn change(before: SessionChoices, now: SessionChoices) -> ModeChanged {
    let choices = ChangedChoices {
        modes: (now.modes != before.modes).then_some(now.modes),
        models: (now.models != before.models).then_some(now.models),
        variants: (now.variants != before.variants).then_some(now.variants),
        options: (now.options != before.options).then_some(now.options),
        mode: now.mode,
        model: now.model,
        variant: now.variant,
    };
    ModeChanged { choices }
}

/// Returns whether an option is the one of a category. Agents without categories use the category's name as id.
pub(crate) fn is(option: &SessionOption, category: &str) -> bool {
    matches!(option.value, OptionValue::Choice(_))
        && option.category.as_deref().map_or(option.id == category, |given| given == category)
}

fn chosen<'a>(options: impl Iterator<Item = &'a SessionOption>, category: &str) -> Option<String> {
    let mut options = options.filter(|option| is(option, category));
    match &options.next()?.value {
        OptionValue::Choice(id) => Some(id.clone()),
        OptionValue::Switch(_) => None,
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(without_nulls).collect(),
        Value::Object(members) => {
            let there = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(there.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        other => other.clone(),
    }
}

fn choices(list: &[Value], id: &str) -> Vec<SessionChoice> {
    list.iter().filter_map(|value| choice(value.as_object()?, id)).collect()
}

fn choice(object: &Object, id: &str) -> Option<SessionChoice> {
    let id = json::owned(object, id)?;
    let name = json::owned(object, "name").unwrap_or_else(|| id.clone());
    Some(SessionChoice { id, name, description: json::owned(object, "description"), group: None })
}

fn option(object: &Object) -> Option<SessionOption> {
    let id = json::owned(object, "id")?;
    let (value, choices) = match object.get("currentValue")? {
        Value::Bool(on) => (OptionValue::Switch(*on), Vec::new()),
        Value::String(chosen) => {
            (OptionValue::Choice(chosen.clone()), grouped(json::list(object, "options").unwrap_or_default()))
        }
        _ => return None,
    };
    let name = json::owned(object, "name").unwrap_or_else(|| id.clone());
    let (description, category) = (json::owned(object, "description"), json::owned(object, "category"));
    Some(SessionOption { id, name, description, category, value, choices })
}

fn grouped(list: &[Value]) -> Vec<SessionChoice> {
    let mut choices = Vec::new();
    for object in list.iter().filter_map(Value::as_object) {
        let Some(within) = json::list(object, "options") else {
            choices.extend(choice(object, "value"));
            continue;
        };
        let (id, name) = (json::owned(object, "group"), json::owned(object, "name"));
        let group = ChoiceGroup { id: id.unwrap_or_default(), name: name.unwrap_or_default() };
        let group = Some(group).filter(|group| !group.id.is_empty() || !group.name.is_empty());
        let member = |value: &Value| {
            Some(SessionChoice { group: group.clone(), ..choice(value.as_object()?, "value")? })
        };
        choices.extend(within.iter().filter_map(member));
    }
    choices
}

pub(crate) fn to_option(option: &SessionOption) -> Value {
    let (kind, options) = match &option.value {
        OptionValue::Switch(_) => ("boolean", Value::Null),
        OptionValue::Choice(_) => ("select", to_groups(&option.choices)),
    };
    Value::Object(json::present(json!({
        "id": option.id,
        "name": option.name,
        "description": option.description,
        "category": option.category,
        "type": kind,
        "currentValue": option.value,
        "options": options,
    })))
}

/// In groups if there is one; ACP mixes no lone choices with them.
fn to_groups(choices: &[SessionChoice]) -> Value {
    if choices.iter().all(|choice| choice.group.is_none()) {
        return choices.iter().map(|choice| to_choice(choice, "value")).collect();
    }
    let groups = choices.chunk_by(|one, next| one.group == next.group).map(|members| {
        let group = members.first().and_then(|choice| choice.group.as_ref());
        let (id, name) = group.map_or(("", ""), |group| (&group.id, &group.name));
        let options: Vec<_> = members.iter().map(|choice| to_choice(choice, "value")).collect();
        json!({ "group": id, "name": name, "options": options })
    });
    groups.collect()
}

pub(crate) fn to_choice(choice: &SessionChoice, id: &str) -> Value {
    let SessionChoice { id: value, name, description, .. } = choice;
    Value::Object(json::present(json!({ id: value, "name": name, "description": description })))
}
