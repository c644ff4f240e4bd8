//! Options of an agent that are neither its mode nor its model: checked against what it offers.

use crate::choices::{self, MODE, MODEL, VARIANT};
use crate::mode_names::sounds_loose;
use crate::modes::{ModeTable, Target, Unsupported};
use sa_api::sessions::{OptionValue, PermissionMode, SessionChoices, SessionOption};

/// Returns what sets an option of the agent; nothing if it has that value already.
///
/// # Errors
///
/// When the agent has no such option, the option no such value, or when the value would have the agent ask less than
/// `permission_mode` allows. Mode, model and variant have members of their own.
pub fn option_target(
    table: &ModeTable,
    choices: &SessionChoices,
    id: &str,
    value: &OptionValue,
    permission_mode: PermissionMode,
) -> Result<Option<Target>, Unsupported> {
    let refused = |reason: String| Err(Unsupported::Option(reason));
    let found = choices.options.iter().find(|option| option.id == id);
    let Some(option) = found else {
        return refused(format!(
            "the agent has no option '{id}'; its options are: {}",
            listed(table, choices)
        ));
    };
    if let Some(member) = own_member(table, option) {
        return refused(format!("option '{id}' is set with {member}"));
    }
    let fits = match (&option.value, value) {
        (OptionValue::Switch(_), OptionValue::Switch(_)) => true,
        (OptionValue::Choice(_), OptionValue::Choice(wanted)) => {
            option.choices.iter().any(|choice| choice.id == *wanted)
        }
        _ => false,
    };
    if !fits {
        return refused(format!(
            "option '{id}' does not take {}; its values are: {}",
            shown(value),
            values(option).join(", ")
        ));
    }
    if permission_mode != PermissionMode::Bypass && is_loose(option, value) {
        return refused(format!(
            "option '{id}' with {} asks less than permissionMode allows; set permissionMode to 'bypass' to use it",
            shown(value)
        ));
    }
    let target = || Target::SetOption { config_id: id.to_owned(), value: value.clone() };
    Ok((option.value != *value).then(target))
}

/// The member of a session by which an option is set instead.
fn own_member(table: &ModeTable, option: &SessionOption) -> Option<&'static str> {
    let members = [(MODE, "agentMode and permissionMode"), (MODEL, "model"), (VARIANT, "variant")];
    let member = members.into_iter().find(|(category, _)| choices::is(option, category));
    let chooses_agent = || table.agents.as_ref().is_some_and(|agents| agents.option == option.id);
    member.map(|(_, member)| member).or_else(|| chooses_agent().then_some("agentMode"))
}

/// Agents do not say which options stop them from asking, but their names do.
fn is_loose(option: &SessionOption, value: &OptionValue) -> bool {
    match value {
        OptionValue::Switch(on) => *on && (sounds_loose(&option.id) || sounds_loose(&option.name)),
        OptionValue::Choice(id) => {
            let chosen = option.choices.iter().find(|choice| choice.id == *id);
            sounds_loose(id) || chosen.is_some_and(|choice| sounds_loose(&choice.name))
        }
    }
}

fn listed(table: &ModeTable, choices: &SessionChoices) -> String {
    let settable = choices.options.iter().filter(|option| own_member(table, option).is_none());
    let all: Vec<String> =
        settable.map(|option| format!("{} ({})", option.id, values(option).join(", "))).collect();
    if all.is_empty() { "none".to_owned() } else { all.join("; ") }
}

fn values(option: &SessionOption) -> Vec<&str> {
    match option.value {
        OptionValue::Switch(_) => vec!["true", "false"],
        OptionValue::Choice(_) => option.choices.iter().map(|choice| choice.id.as_str()).collect(),
    }
}

fn shown(value: &OptionValue) -> String {
    match value {
        OptionValue::Switch(on) => on.to_string(),
        OptionValue::Choice(id) => format!("'{id}'"),
    }
}
