//! Names that agents give their modes, and what the names say of them.

use sa_api::sessions::SessionChoice;

/// Names of modes in which agents only read and plan, the likeliest first.
pub(crate) const PLAN: [&str; 5] = ["plan", "planning", "planmode", "architect", "readonly"];

/// Names of modes in which agents never ask, the likeliest first.
pub(crate) const BYPASS: [&str; 10] = [
    "bypasspermissions",
    "bypass",
    "yolo",
    "fullaccess",
    "agentfullaccess",
    "dangerfullaccess",
    "fullauto",
    "autoapprove",
    "autopilot",
    "auto",
];

/// Names of modes in which agents work and ask before they change something, the likeliest first.
pub(crate) const DEFAULT: [&str; 9] =
    ["default", "build", "normal", "manual", "agent", "code", "coding", "workspacewrite", "ask"];

/// Parts of names of modes in which agents do more without asking than by default.
const LOOSE: [&str; 17] = [
    "acceptedits",
    "allowall",
    "autoaccept",
    "autoapprove",
    "autoedit",
    "autopilot",
    "bypass",
    "danger",
    "dontask",
    "fullaccess",
    "fullauto",
    "neverask",
    "noask",
    "skippermission",
    "trustall",
    "unrestricted",
    "yolo",
];

/// Returns whether a name stands for asking less.
pub(crate) fn sounds_loose(name: &str) -> bool {
    let name = plain(name);
    BYPASS.contains(&name.as_str()) || LOOSE.iter().any(|part| name.contains(part))
}

/// The mode with the likeliest of these names.
pub(crate) fn known(modes: &[SessionChoice], likely: &[&str]) -> Option<String> {
    let called =
        |name: &&&str| modes.iter().find(|mode| plain(&mode.id) == **name || plain(&mode.name) == **name);
    likely.iter().find_map(|name| called(&name)).map(|mode| mode.id.clone())
}

pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
