//! Slash commands.

use super::Session;
use agent_client_protocol_schema::v1::AvailableCommand;
use sa_shell::Names;
use serde_json::Value;

/// Commands that make no sense through a protocol: they need the CLI's own screen, log somebody in or out, end the program,
/// or leave the session for another one.
const HIDDEN: Names = Names(
    "clear config cost exit feedback help keybindings login logout output-style:new resume release-notes \
     terminal-setup vim",
);

impl Session {
    pub(super) fn learn_commands(&mut self, commands: &[Value]) {
        self.commands = commands.iter().filter_map(command).collect();
    }
}

fn command(value: &Value) -> Option<AvailableCommand> {
    let name = value["name"].as_str().filter(|name| !name.is_empty() && !HIDDEN.contains(name))?;
    let about = value["description"].as_str().unwrap_or_default();
    // Some commands have one hint, some have several.
    let hint = match &value["argumentHint"] {
        Value::String(hint) => hint.clone(),
        Value::Array(hints) => hints.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    };
    Some(sa_acp::command(name, about, Some(hint.as_str()).filter(|hint| !hint.is_empty())))
}
