//! Requests for permission and the client's decisions.

use super::answers::{Reply, chosen};
use agent_client_protocol_schema::v1::{PermissionOption, PermissionOptionKind};

const ALLOW_ONCE: &str = "allow_once";
const ALLOW_ALWAYS: &str = "allow_always";
const ALLOW_FOREVER: &str = "allow_forever";
const REJECT_ONCE: &str = "reject_once";

/// A client's decision on a request for permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Allows this call.
    Once,
    /// Allows this call and all that are like it, for the session.
    Session,
    /// Allows this call and all that are like it, also in later sessions.
    Forever,
    /// Refuses this call.
    Rejected,
    /// Cancels the turn.
    Cancelled,
    /// The client could not decide, for this reason.
    Failed(String),
}

impl Decision {
    /// Reads the reply to a request with [`permission_options`].
    pub fn read(reply: Reply) -> Self {
        match chosen(reply).as_ref().map(Option::as_deref) {
            Ok(Some(ALLOW_ONCE)) => Self::Once,
            Ok(Some(ALLOW_ALWAYS)) => Self::Session,
            Ok(Some(ALLOW_FOREVER)) => Self::Forever,
            Ok(Some(REJECT_ONCE)) => Self::Rejected,
            Ok(Some(other)) => Self::Failed(format!("The client chose {other}, which was not an option.")),
            Ok(None) => Self::Cancelled,
            Err(reason) => Self::Failed(format!("No permission: {reason}.")),
        }
    }

    /// Returns whether the call may run.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Once | Self::Session | Self::Forever)
    }
}

/// A permission that lasts until the session is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// Every change to files.
    Edits,
    /// Plain commands of one program.
    Program(String),
    Command(String),
    /// Every use of one tool.
    Tool(String),
}

impl Grant {
    /// Returns the permission that covers a command. Only a plain command stands for its program, unless that starts
    /// another one: `timeout 5 ls` does not stand for `timeout 5 rm x`.
    pub fn for_command(command: &str) -> Self {
        let is_wrapper =
            |program: &str| sa_shell::starts_others(program.rsplit('/').next().unwrap_or(program));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " ./_-=:@,+".contains(c);
        match command.split_whitespace().next() {
            Some(program)
                if command.chars().all(is_plain) && !program.contains('=') && !is_wrapper(program) =>
            {
                Self::Program(program.to_owned())
            }
            _ => Self::Command(command.to_owned()),
        }
    }

    /// Returns the name of the option that grants this.
    pub fn option(&self) -> String {
        let what = match self {
            Self::Edits => "edits".to_owned(),
            Self::Program(program) => format!("`{program}`"),
            Self::Command(_) => "this command".to_owned(),
            Self::Tool(tool) => tool.clone(),
        };
        format!("Always allow {what} in this session")
    }
}

/// Returns the options of a request for permission. Without a name, a lasting permission is not offered.
pub fn permission_options(session: Option<String>, forever: Option<&str>) -> Vec<PermissionOption> {
    let lasting = |id, name| PermissionOption::new(id, name, PermissionOptionKind::AllowAlways);
    let once = PermissionOption::new(ALLOW_ONCE, "Allow", PermissionOptionKind::AllowOnce);
    let session = session.map(|name| lasting(ALLOW_ALWAYS, name));
    let forever = forever.map(|name| lasting(ALLOW_FOREVER, name.to_owned()));
    let reject = PermissionOption::new(REJECT_ONCE, "Reject", PermissionOptionKind::RejectOnce);
    std::iter::once(once).chain(session).chain(forever).chain([reject]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_command_stands_for_its_program_unless_that_starts_another() {
        assert_eq!(Grant::for_command("npm test"), Grant::for_command("npm run build"));
        for (allowed, other) in [
            ("timeout 5 ls", "timeout 5 rm x"),
            ("env ls", "env rm x"),
            ("/usr/bin/env ls", "/usr/bin/env rm x"),
            ("bash a.sh", "bash b.sh"),
            ("xargs ls", "xargs rm"),
            ("npm test", "npm test > x"),
            ("npm test", "npm test\nrm x"),
            ("npm test", "PATH=x npm test"),
        ] {
            assert_ne!(Grant::for_command(allowed), Grant::for_command(other), "{allowed}: {other}");
        }
    }

    #[test]
    fn no_harmful_command_is_covered_by_a_harmless_one() {
        let harmless = ["ls -l", "cat a", "echo x", "cd x", "grep -r x .", "true"].map(Grant::for_command);
        for command in sa_testkit::harm::harmful_commands() {
            assert!(!harmless.contains(&Grant::for_command(&command)), "{command}");
        }
    }
}
