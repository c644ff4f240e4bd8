//! The slash commands of `chat`.

use super::{Next, Talk};
use crate::commands::api::sessions::export;
use crate::failure::Failure;
use sa_api::sessions::{Command as AgentCommand, ForkSession, PermissionMode, SessionChoice, SessionPatch};
use std::path::PathBuf;

/// Each command with its argument and its description.
const COMMANDS: [(&str, &str, &str); 9] = [
    ("help", "", "list the commands"),
    ("model", "[ID]", "list the models, or choose one"),
    ("mode", "[ID]", "list the agent's modes, or choose one"),
    ("permission-mode", "[MODE]", "show or set the mode: default, plan or bypass"),
    ("cancel", "", "cancel the turn and empty the queue"),
    ("queue", "[drop N]", "list the queued messages, or drop one"),
    ("fork", "", "continue in a copy of this session"),
    ("export", "FILE", "write the session to a file"),
    ("quit", "", "leave; the session stays"),
];

/// A command with its argument.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Model(Option<String>),
    Mode(Option<String>),
    PermissionMode(Option<PermissionMode>),
    Cancel,
    Queue,
    /// Withdraws the message with this number.
    Drop(usize),
    Fork,
    Export(PathBuf),
    Quit,
}

impl Command {
    /// Reads a line. Nothing if it is a message, also one that begins with a command of the agent's own.
    pub(super) fn parse(line: &str, own: &[AgentCommand]) -> Result<Option<Self>, String> {
        let Some(rest) = line.trim().strip_prefix('/') else { return Ok(None) };
        let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let argument = argument.trim();
        let given = (!argument.is_empty()).then(|| argument.to_owned());
        let command = match name {
            "help" => Self::Help,
            "model" => Self::Model(given),
            "mode" => Self::Mode(given),
            "permission-mode" => {
                Self::PermissionMode(match (argument, PermissionMode::from_name(argument)) {
                    ("", _) => None,
                    (_, Some(mode)) => Some(mode),
                    (other, None) => {
                        return Err(format!(
                            "unknown permission mode '{other}': expected default, plan or bypass"
                        ));
                    }
                })
            }
            "cancel" => Self::Cancel,
            "queue" => match argument.strip_prefix("drop").map(str::trim) {
                Some(number) => {
                    let number =
                        number.parse().map_err(|_| format!("'{number}' is not the number of a message"))?;
                    Self::Drop(number)
                }
                None => Self::Queue,
            },
            "fork" => Self::Fork,
            "export" => Self::Export(given.map(PathBuf::from).ok_or("name a file: /export FILE")?),
            "quit" | "exit" => Self::Quit,
            // A path, or a command of the agent.
            other if other.contains('/') || own.iter().any(|command| command.name == other) => {
                return Ok(None);
            }
            other => return Err(format!("unknown command '/{other}'; /help lists them")),
        };
        Ok(Some(command))
    }
}

pub(super) fn names(own: &[AgentCommand]) -> Vec<String> {
    let ours = COMMANDS.iter().map(|(name, ..)| (*name).to_owned());
    ours.chain(own.iter().map(|command| command.name.clone())).collect()
}

impl Talk<'_> {
    /// Does what a command asks for.
    pub(super) async fn run_command(&mut self, command: Command) -> Result<Option<Next>, Failure> {
        match command {
            Command::Help => self.help(),
            Command::Model(None) => {
                let choices = self.chat.choices();
                self.list("models", &choices.models, choices.model.as_deref());
            }
            Command::Mode(None) => {
                let choices = self.chat.choices();
                self.list("modes", &choices.modes, choices.mode.as_deref());
            }
            Command::Model(model) => self.patch(SessionPatch { model, ..SessionPatch::default() }).await?,
            Command::Mode(agent_mode) => {
                self.patch(SessionPatch { agent_mode, ..SessionPatch::default() }).await?;
            }
            Command::PermissionMode(None) => {
                let mode = self.chat.session.permission_mode.name();
                self.console.view.note(&format!("permission mode: {mode}"));
            }
            Command::PermissionMode(permission_mode) => {
                self.patch(SessionPatch { permission_mode, ..SessionPatch::default() }).await?;
            }
            Command::Cancel => self.cancel().await?,
            Command::Queue => self.show_queue(),
            Command::Drop(number) => self.drop_message(number).await?,
            Command::Fork => return self.fork().await,
            Command::Export(path) => match export(self.client, self.chat.id(), Some(&path)).await {
                Ok(()) => self.console.view.note(&format!("written to {}", path.display())),
                Err(Failure::Failed(error) | Failure::Usage(error)) => {
                    self.console.view.note(&format!("cannot export: {error:#}"));
                }
                Err(failure @ Failure::Exit(_)) => return Err(failure),
            },
            Command::Quit => return Ok(Some(Next::Leave)),
        }
        Ok(None)
    }

    fn help(&mut self) {
        let mut text = String::new();
        for (name, argument, description) in COMMANDS {
            let usage = format!("/{name} {argument}");
            text.push_str(&format!("{usage:<24} {description}\n"));
        }
        if !self.chat.commands.is_empty() {
            let own: Vec<String> =
                self.chat.commands.iter().map(|command| format!("/{}", command.name)).collect();
            text.push_str(&format!("of the agent: {}", own.join(" ")));
        }
        self.console.view.note(&text);
    }

    fn list(&mut self, what: &str, choices: &[SessionChoice], current: Option<&str>) {
        if choices.is_empty() {
            self.console.view.note(&format!("this agent offers no {what} to choose from"));
            return;
        }
        let line = |choice: &SessionChoice| {
            let mark = if Some(choice.id.as_str()) == current { "*" } else { " " };
            let name = if choice.name == choice.id { String::new() } else { format!("  {}", choice.name) };
            format!("{mark} {}{name}", choice.id)
        };
        self.console.view.note(&choices.iter().map(line).collect::<Vec<_>>().join("\n"));
    }

    async fn patch(&mut self, patch: SessionPatch) -> Result<(), Failure> {
        let patched = self.client.patch_session(self.chat.id(), &patch).await;
        if let Some(session) = self.unless_failed(patched)? {
            let choices = session.choices.clone().unwrap_or_default();
            let parts = [
                choices.model.map(|model| format!("model {model}")),
                choices.mode.map(|mode| format!("mode {mode}")),
                Some(format!("permission mode {}", session.permission_mode.name())),
            ];
            self.console.view.note(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "));
            self.chat.session = session;
        }
        Ok(())
    }

    fn show_queue(&mut self) {
        if self.chat.queue.is_empty() {
            return self.console.view.note("no message is queued");
        }
        let lines = (1..).zip(&self.chat.queue).map(|(number, (_, text))| format!("{number} {text}"));
        self.console.view.note(&lines.collect::<Vec<_>>().join("\n"));
    }

    async fn drop_message(&mut self, number: usize) -> Result<(), Failure> {
        let message = number.checked_sub(1).and_then(|index| self.chat.queue.get(index)).cloned();
        let Some((id, _)) = message else {
            self.console.view.note(&format!("there is no queued message {number}"));
            return Ok(());
        };
        let withdrawn = self.client.withdraw_message(self.chat.id(), &id).await;
        self.unless_failed(withdrawn).map(drop)
    }

    async fn fork(&mut self) -> Result<Option<Next>, Failure> {
        let forked = self.client.fork_session(self.chat.id(), &ForkSession::default()).await;
        let Some(copy) = self.unless_failed(forked)? else { return Ok(None) };
        let id = copy.session_id;
        self.console.view.note(&format!("now in a copy, {id}; this was {}", self.chat.id()));
        Ok(Some(Next::Switch(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_message_a_command_or_a_mistake() {
        let own = [AgentCommand { name: "tour".to_owned(), description: String::new(), input_hint: None }];
        let parse = |line: &str| Command::parse(line, &own);
        for message in ["hello", "/etc/hosts is what?", "/tour now", "a /help"] {
            assert_eq!(parse(message), Ok(None), "{message}");
        }
        assert_eq!(parse(" /model  x "), Ok(Some(Command::Model(Some("x".to_owned())))));
        assert_eq!(
            parse("/permission-mode plan"),
            Ok(Some(Command::PermissionMode(Some(PermissionMode::Plan))))
        );
        assert_eq!(parse("/queue drop 2"), Ok(Some(Command::Drop(2))));
        assert_eq!(parse("/exit"), Ok(Some(Command::Quit)));
        for mistake in ["/nonsense", "/export", "/queue drop x", "/permission-mode all"] {
            assert!(parse(mistake).is_err(), "{mistake}");
        }
    }
}
