//! The command line that starts the CLI.

use std::ffi::OsString;
use std::path::PathBuf;

/// The conversation that a process works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NativeConversation {
    /// A new one; the id is chosen here.
    New {
        /// The id, a UUID that was never used.
        id: String,
    },
    /// One that exists.
    Resumed { id: String },
    /// A copy of one that exists.
    Forked {
        /// The id of the original.
        from: String,
        /// The id of the copy.
        id: String,
    },
}

/// Everything that a process of the CLI is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub conversation: NativeConversation,
    pub cwd: PathBuf,
    /// Further directories.
    pub directories: Vec<PathBuf>,
    /// The permission mode; the CLI's own default if there is none.
    pub mode: Option<String>,
    /// The model; the CLI's own default if there is none.
    pub model: Option<String>,
    /// The effort; the CLI's own default if there is none.
    pub effort: Option<String>,
    /// Settings that come before the user's own, as JSON.
    pub settings: Option<String>,
    /// Set if a client may switch to a mode that never asks.
    pub allow_bypass: bool,
    /// Set if the process will be run by the superuser.
    pub is_root: bool,
}

impl Launch {
    pub fn arguments(&self) -> Vec<OsString> {
        let fixed = "--output-format stream-json --input-format stream-json --verbose --include-partial-messages \
                     --permission-prompt-tool stdio --replay-user-messages";
        let mut arguments: Vec<OsString> = fixed.split_whitespace().map(OsString::from).collect();
        let mut add = |name: &str, value: OsString| arguments.extend([OsString::from(name), value]);
        match &self.conversation {
            NativeConversation::New { id } => add("--session-id", id.into()),
            NativeConversation::Resumed { id } => add("--resume", id.into()),
            NativeConversation::Forked { from, id } => {
                add("--resume", from.into());
                add("--session-id", id.into());
            }
        }
        let options = [
            ("--permission-mode", &self.mode),
            ("--model", &self.model),
            ("--effort", &self.effort),
            ("--settings", &self.settings),
        ];
        for (name, value) in options {
            if let Some(value) = value {
                add(name, value.into());
            }
        }
        for directory in &self.directories {
            add("--add-dir", directory.into());
        }
        if matches!(self.conversation, NativeConversation::Forked { .. }) {
            arguments.push("--fork-session".into());
        }
        if self.allow_bypass {
            arguments.push("--allow-dangerously-skip-permissions".into());
        }
        arguments
    }

    /// Returns what is set in its environment.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut names = vec![
            // Says when a turn is really over.
            "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
            // Only the model's API is called. Updates are the installer's business.
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_TELEMETRY",
            "DISABLE_AUTOUPDATER",
            "DISABLE_ERROR_REPORTING",
        ];
        if self.allow_bypass && self.is_root {
            // Without it the CLI refuses to start for the superuser with the mode that never asks within reach.
            names.push("IS_SANDBOX");
        }
        let mut variables: Vec<_> = names.into_iter().map(|name| (name.into(), "1".into())).collect();
        variables.push(("CLAUDE_CODE_ENTRYPOINT".into(), "sdk-sandbox-agent".into()));
        variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(conversation: NativeConversation) -> Launch {
        Launch {
            conversation,
            cwd: "/project".into(),
            directories: Vec::new(),
            mode: None,
            model: None,
            effort: None,
            settings: None,
            allow_bypass: false,
            is_root: true,
        }
    }

    fn tail(launch: &Launch) -> String {
        let arguments = launch.arguments();
        let words: Vec<_> = arguments.iter().skip(9).map(|argument| argument.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn each_conversation_has_its_arguments() {
        assert_eq!(tail(&launch(NativeConversation::New { id: "a".into() })), "--session-id a");
        assert_eq!(tail(&launch(NativeConversation::Resumed { id: "a".into() })), "--resume a");
        let fork = NativeConversation::Forked { from: "a".into(), id: "b".into() };
        assert_eq!(tail(&launch(fork)), "--resume a --session-id b --fork-session");
    }

    #[test]
    fn bypassing_permissions_has_to_be_allowed() {
        let mut launch = launch(NativeConversation::New { id: "a".into() });
        assert!(!launch.environment().iter().any(|(name, _)| name == "IS_SANDBOX"));
        launch.allow_bypass = true;
        launch.mode = Some("plan".to_owned());
        launch.directories = vec!["/other".into()];
        assert_eq!(
            tail(&launch),
            "--session-id a --permission-mode plan --add-dir /other --allow-dangerously-skip-permissions"
        );
        assert!(launch.environment().iter().any(|(name, _)| name == "IS_SANDBOX"));
        launch.is_root = false;
        assert!(!launch.environment().iter().any(|(name, _)| name == "IS_SANDBOX"));
    }
}
