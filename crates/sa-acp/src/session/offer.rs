//! The choices of a client, in the forms that it knows.

use crate::session::mode::Modes;
use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, PermissionOption, PermissionOptionKind, SessionConfigOption,
    SessionConfigOptionCategory, SessionConfigSelectOption, SessionInfo, SessionMode, SessionModeState,
    UnstructuredCommandInput,
};
use std::path::Path;

/// The id, the name and the description of a choice.
pub type Choice<'a> = (&'a str, &'a str, &'a str);

pub fn choice((id, name, about): Choice<'_>) -> SessionConfigSelectOption {
    SessionConfigSelectOption::new(id.to_owned(), name).description(about.to_owned())
}

/// Returns the modes for clients that do not know options.
pub fn mode_state<'a>(current: &str, modes: impl IntoIterator<Item = Choice<'a>>) -> SessionModeState {
    let mode =
        |(id, name, about): Choice<'a>| SessionMode::new(id.to_owned(), name).description(about.to_owned());
    SessionModeState::new(current.to_owned(), modes.into_iter().map(mode).collect())
}

pub fn mode_option<'a>(current: &str, modes: impl IntoIterator<Item = Choice<'a>>) -> SessionConfigOption {
    let modes: Vec<_> = modes.into_iter().map(choice).collect();
    SessionConfigOption::select("mode", "Mode", current.to_owned(), modes)
        .category(SessionConfigOptionCategory::Mode)
}

pub fn model_option(
    current: impl Into<String>,
    choices: Vec<SessionConfigSelectOption>,
) -> SessionConfigOption {
    SessionConfigOption::select("model", "Model", current.into(), choices)
        .category(SessionConfigOptionCategory::Model)
}

/// Returns the models that a CLI lists as an option, each with its id, its name and its description. The current model is a
/// choice even if it is not listed.
pub fn listed_model_option<'a>(
    current: &str,
    models: impl Iterator<Item = (&'a str, Option<&'a str>, Option<&'a str>)>,
) -> SessionConfigOption {
    let choice = |(id, name, about): (&str, Option<&str>, Option<&str>)| {
        let choice = SessionConfigSelectOption::new(id.to_owned(), name.unwrap_or(id));
        choice.description(about.map(str::to_owned))
    };
    let mut choices: Vec<_> = models.map(choice).collect();
    if !choices.iter().any(|choice| *choice.value.0 == *current) {
        choices.push(SessionConfigSelectOption::new(current.to_owned(), current));
    }
    model_option(current, choices)
}

/// Returns the reasoning efforts as an option under that id and name.
pub fn effort_option(
    (id, name): (&'static str, &'static str),
    current: &str,
    choices: Vec<SessionConfigSelectOption>,
) -> SessionConfigOption {
    SessionConfigOption::select(id, name, current.to_owned(), choices)
        .category(SessionConfigOptionCategory::ThoughtLevel)
}

/// Returns the options for leaving plan mode: those of the `approvals` that are offered, each with its name and the most
/// careful one first, and `plan` to stay in it.
pub fn plan_options<M: Copy + PartialEq>(
    modes: &Modes<M>,
    approvals: &[(M, &'static str)],
    plan: M,
) -> Vec<PermissionOption> {
    let offered = approvals.iter().filter(|(mode, _)| modes.offers(*mode)).enumerate();
    let option = |(index, (mode, name)): (usize, &(M, &'static str))| {
        let kind =
            if index == 0 { PermissionOptionKind::AllowOnce } else { PermissionOptionKind::AllowAlways };
        PermissionOption::new(modes.id(*mode), *name, kind)
    };
    let stay = PermissionOption::new(modes.id(plan), "No, keep planning", PermissionOptionKind::RejectOnce);
    offered.map(option).chain([stay]).collect()
}

/// Puts sessions of that directory, or of all, before a list of sessions that does not have them.
pub fn add_unlisted(
    list: &mut Vec<SessionInfo>,
    open: impl Iterator<Item = SessionInfo>,
    cwd: Option<&Path>,
) {
    let is_unlisted = |info: &SessionInfo| list.iter().all(|known| known.session_id != info.session_id);
    let wanted = open.filter(|info| cwd.is_none_or(|cwd| *cwd == info.cwd));
    let unlisted: Vec<_> = wanted.filter(is_unlisted).collect();
    list.splice(0..0, unlisted);
}

/// Returns a slash command. `hint` describes its arguments.
pub fn command(name: &str, about: &str, hint: Option<&str>) -> AvailableCommand {
    let input = hint.map(|hint| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint)));
    AvailableCommand::new(name, about).input(input)
}
