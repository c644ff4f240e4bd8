//! What a client can choose from, in the forms that it knows.

use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, PermissionOption, PermissionOptionKind, SessionConfigOption,
    SessionConfigOptionCategory, SessionConfigSelectOption, SessionMode, SessionModeState,
    UnstructuredCommandInput,
};

/// A choice: its id, its name, and what it is about.
pub type Choice<'a> = (&'a str, &'a str, &'a str);

/// A choice of an option.
pub fn choice((id, name, about): Choice<'_>) -> SessionConfigSelectOption {
    SessionConfigSelectOption::new(id.to_owned(), name).description(about.to_owned())
}

/// The modes, as clients know them that do not know options.
pub fn mode_state<'a>(current: &str, modes: impl IntoIterator<Item = Choice<'a>>) -> SessionModeState {
    let mode =
        |(id, name, about): Choice<'a>| SessionMode::new(id.to_owned(), name).description(about.to_owned());
    SessionModeState::new(current.to_owned(), modes.into_iter().map(mode).collect())
}

/// The modes as an option.
pub fn mode_option<'a>(current: &str, modes: impl IntoIterator<Item = Choice<'a>>) -> SessionConfigOption {
    let modes: Vec<_> = modes.into_iter().map(choice).collect();
    SessionConfigOption::select("mode", "Mode", current.to_owned(), modes)
        .category(SessionConfigOptionCategory::Mode)
}

/// Returns the options for leaving plan mode: each mode that may follow with its name, and `plan` to stay in it.
pub fn plan_options(modes: &[(&str, &str)], plan: &str) -> Vec<PermissionOption> {
    let option = |(index, (mode, name)): (usize, &(&str, &str))| {
        // The first one is the most careful.
        let kind =
            if index == 0 { PermissionOptionKind::AllowOnce } else { PermissionOptionKind::AllowAlways };
        PermissionOption::new((*mode).to_owned(), (*name).to_owned(), kind)
    };
    let mut options: Vec<_> = modes.iter().enumerate().map(option).collect();
    let stay = PermissionOption::new(plan.to_owned(), "No, keep planning", PermissionOptionKind::RejectOnce);
    options.push(stay);
    options
}

/// A slash command; `hint` says what to write behind it, if anything.
pub fn command(name: &str, about: &str, hint: Option<&str>) -> AvailableCommand {
    let input = hint.map(|hint| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint)));
    AvailableCommand::new(name, about).input(input)
}
