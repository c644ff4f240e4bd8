//! Commands as tool calls.

use super::status;
use crate::native::item::{Action, Command};
use agent_client_protocol_schema::v1::{ToolCallLocation, ToolCallStatus, ToolKind};
use sa_acp::{Described, Outcome, fenced, fits_one_line, one_line, paragraph, printed, terminal_meta};
use sa_shell::{is_shell, only_reads};
use serde_json::json;

/// Returns the model's command without the shell that the CLI wraps it in, `/bin/bash -lc '…'`.
pub(crate) fn script(command: &str) -> String {
    let unwrapped = || {
        let (shell, rest) = command.split_once(' ')?;
        let (flag, script) = rest.split_once(' ')?;
        // The model may name a program of its own that is called like a shell.
        let is_wrapped = is_shell(shell) && matches!(flag, "-c" | "-lc");
        if is_wrapped { unquoted(script) } else { None }
    };
    unwrapped().unwrap_or_else(|| command.to_owned())
}

/// One word of a shell without its quotes; `None` if it is more than one.
fn unquoted(word: &str) -> Option<String> {
    let mut text = String::new();
    let mut letters = word.chars();
    let mut quote = None;
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if letter == open => quote = None,
            (None, '\\') => text.push(letters.next()?),
            (Some('"'), '\\') => match letters.next()? {
                escaped @ ('"' | '\\' | '$' | '`') => text.push(escaped),
                '\n' => {}
                other => text.extend(['\\', other]),
            },
            (None, letter) if letter.is_whitespace() => return None,
            (_, letter) => text.push(letter),
        }
    }
    quote.is_none().then_some(text)
}

/// The kind is what the CLI takes the command for, if the command is certain to do no more than that: rules decide by it, and
/// the CLI overlooks what stands behind a pipe.
fn kind(script: &str, actions: &[Action]) -> ToolKind {
    if !only_reads(script) {
        return ToolKind::Execute;
    }
    let all = |kinds: &[&str]| {
        !actions.is_empty() && actions.iter().all(|action| kinds.contains(&action.r#type.as_str()))
    };
    if all(&["read"]) {
        ToolKind::Read
    } else if all(&["read", "listFiles", "search"]) {
        ToolKind::Search
    } else {
        ToolKind::Execute
    }
}

pub(super) fn describe(command: &Command) -> Described {
    let script = script(&command.command);
    let place = |action: &Action| {
        let path = action.path.as_deref().filter(|path| !path.is_empty())?;
        Some(ToolCallLocation::new(command.cwd.join(path)))
    };
    let content = if fits_one_line(&script) { Vec::new() } else { vec![paragraph(fenced("sh", &script))] };
    Described {
        name: "shell".to_owned(),
        kind: kind(&script, &command.command_actions),
        title: one_line(&script),
        locations: command.command_actions.iter().filter_map(place).collect(),
        content,
        input: json!({ "command": script, "cwd": command.cwd }),
    }
}

pub(super) fn outcome(id: &str, command: &Command) -> Outcome {
    let output = command.aggregated_output.as_deref().unwrap_or_default();
    let is_declined = command.status.as_deref() == Some("declined");
    let status = match (status(command.status.as_deref()), command.exit_code) {
        (_, Some(code)) if code != 0 => ToolCallStatus::Failed,
        (ToolCallStatus::InProgress, _) => ToolCallStatus::Failed,
        (status, _) => status,
    };
    let content = if is_declined && output.is_empty() {
        vec![paragraph("It was rejected or interrupted.")]
    } else {
        printed(output)
    };
    let meta = terminal_meta(id, output, command.exit_code);
    // The output itself is in the content.
    let output = json!({
        "exitCode": command.exit_code,
        "status": command.status,
        "durationMs": command.duration_ms,
    });
    Outcome { meta: Some(meta), ..Outcome::new(status, content, output) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_around_a_command_is_taken_away() {
        for (command, bare) in [
            ("/bin/bash -lc 'touch a && ls'", "touch a && ls"),
            ("bash -c ls", "ls"),
            (r#"/bin/bash -lc "echo \"a\" 'b' \$x \n""#, r#"echo "a" 'b' $x \n"#),
            (r#"/bin/zsh -lc 'echo '"'"'a'"'"''"#, "echo 'a'"),
            (r"/bin/sh -c 'it'\''s'", "it's"),
            ("/bin/bash -lc 'a' 'b'", "/bin/bash -lc 'a' 'b'"),
            ("/bin/bash -lc 'a", "/bin/bash -lc 'a"),
            ("python3 -c 'x'", "python3 -c 'x'"),
            ("/tmp/bash -lc 'ls'", "/tmp/bash -lc 'ls'"),
            ("ls", "ls"),
            ("", ""),
        ] {
            assert_eq!(script(command), bare);
        }
    }

    #[test]
    fn a_command_is_a_read_only_if_it_is_certain_to_be_one() {
        let read = [Action { r#type: "read".to_owned(), ..Action::default() }];
        assert_eq!(kind("cat a | head", &read), ToolKind::Read);
        for more in ["cat list | xargs rm", "cat x | tee y", "cat x | awk 'BEGIN{system(\"y\")}'", "cat $x"] {
            assert_eq!(kind(more, &read), ToolKind::Execute, "{more}");
        }
    }

    #[test]
    fn no_harmful_command_is_a_read_and_common_ones_are() {
        let read = [Action { r#type: "read".to_owned(), ..Action::default() }];
        for command in sa_testkit::harm::harmful_commands() {
            assert_eq!(kind(&command, &read), ToolKind::Execute, "{command}");
            let wrapped = format!("/bin/bash -lc '{}'", command.replace('\'', r"'\''"));
            assert_eq!(script(&wrapped), command);
        }
        for command in sa_testkit::harm::HARMLESS {
            assert_eq!(kind(command, &read), ToolKind::Read, "{command}");
        }
    }

    #[test]
    fn a_command_of_another_code_than_nought_has_failed() {
        let ran = |exit_code, word: &str| {
            let command = Command { exit_code, status: Some(word.to_owned()), ..Command::default() };
            outcome("x", &command).status
        };
        assert_eq!(ran(Some(0), "completed"), ToolCallStatus::Completed);
        assert_eq!(ran(Some(3), "completed"), ToolCallStatus::Failed);
        assert_eq!(ran(None, "declined"), ToolCallStatus::Failed);
        assert_eq!(ran(Some(-1), "failed"), ToolCallStatus::Failed);
    }
}
