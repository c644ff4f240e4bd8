//! Failed calls in words: the cause, and the next step where one is known.

use crate::failure::Failure;
use anyhow::anyhow;
use sa_api::Problem;
use sa_client::ClientError;
use serde_json::Value;

/// Members of `details` that programs read; the detail says the same in words.
const FOR_PROGRAMS: [&str; 4] = ["what", "bound", "value", "question"];

/// Returns the failure with advice for the user.
pub(crate) fn explain(error: ClientError) -> Failure {
    match error {
        ClientError::Argument(message) => Failure::usage(message),
        ClientError::Problem { status, problem } => {
            Failure::Failed(anyhow!(problem_in_words(status, &problem)))
        }
        error if error.is_connect() => Failure::Failed(anyhow!(
            "{error}: {}\nhint: is the daemon running? start it with 'sandbox-agent daemon start', or name another \
             with --endpoint",
            root_cause(&error)
        )),
        error @ ClientError::Protocol { .. } => {
            Failure::Failed(anyhow!("{error}\nhint: does --endpoint name a sandbox-agent daemon?"))
        }
        error => Failure::Failed(error.into()),
    }
}

/// Returns the reason of the system, without the layers between.
fn root_cause(error: &dyn std::error::Error) -> String {
    let last = std::iter::successors(error.source(), |cause| cause.source()).last();
    let text = last.map(ToString::to_string).unwrap_or_default();
    let number = text.find(" (os error");
    text.get(..number.unwrap_or(text.len())).unwrap_or(&text).to_lowercase()
}

fn problem_in_words(status: u16, problem: &Problem) -> String {
    let mut text = format!("{} (HTTP {status}): {}", problem.title, problem.detail);
    for line in problem.details.iter().flat_map(details) {
        text += &format!("\n  {line}");
    }
    if let Some(hint) = hint(problem) {
        text += &format!("\nhint: {hint}");
    }
    text
}

/// The next step, by the problem's code.
fn hint(problem: &Problem) -> Option<String> {
    let code = problem.kind.rsplit(':').next().unwrap_or_default();
    let agent = problem.agent.as_deref().unwrap_or("<agent>");
    Some(match code {
        "token_invalid" if std::env::var_os("SANDBOX_AGENT_TOKEN").is_some() => {
            "SANDBOX_AGENT_TOKEN is set: unset it to use the token of the daemon of this data directory, or pass the \
             right one with --token"
                .to_owned()
        }
        "token_invalid" => "pass the daemon's token with --token or SANDBOX_AGENT_TOKEN".to_owned(),
        "unsupported_agent" => "'sandbox-agent api agents list' lists the agents".to_owned(),
        // Its session is there.
        "not_found" if problem.detail.starts_with("the session has no ") => {
            let session = problem.session_id.as_deref().unwrap_or("<session>");
            format!("'sandbox-agent sessions get {session}' shows what is open")
        }
        "not_found" if problem.session_id.is_some() => {
            "'sandbox-agent sessions list' lists the sessions".to_owned()
        }
        "not_found" if problem.agent.is_some() => {
            "'sandbox-agent api agents list' lists the agents".to_owned()
        }
        "agent_not_installed" => format!("'sandbox-agent api agents install {agent}' installs it"),
        "credentials_refused" => {
            format!("'sandbox-agent credentials extract --agent {agent} --validate' checks credentials")
        }
        "agent_not_startable" | "spawn_failed" => {
            format!("'sandbox-agent doctor {agent}' examines the agent on the daemon's machine")
        }
        _ => return None,
    })
}

/// The members of a problem's details, one per line.
fn details(details: &Value) -> Vec<String> {
    let members = details.as_object().into_iter().flatten();
    let said = members.filter(|(name, value)| {
        let empty =
            value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
        !empty && !FOR_PROGRAMS.contains(&name.as_str())
    });
    said.map(|(name, value)| format!("{}: {}", spaced(name), in_words(value))).collect()
}

/// A value without the signs of JSON.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().replace('\n', "\n    "),
        Value::Array(values) => values.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| format!("{} {}", spaced(name), in_words(value)))
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    }
}

/// `stderrTail` as `stderr tail`.
fn spaced(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            text.push(' ');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use sa_api::ErrorCode;
    use serde_json::json;

    fn said(problem: &Problem) -> String {
        problem_in_words(problem.status, problem)
    }

    #[test]
    fn details_are_lines_and_not_json() {
        let exit = json!({"code": 3, "signal": null, "stderrTail": "last\nwords\n"});
        let problem = Problem::new(ErrorCode::AgentProcessExited, "the agent ended").with_details(exit);
        let expected =
            "Agent Process Exited (HTTP 502): the agent ended\n  code: 3\n  stderr tail: last\n    words";
        assert_eq!(said(&problem), expected);
        let attempts = json!({"attempts": [{"source": "npm", "error": "offline"}, {"source": "github", "error": "404"}]});
        let problem = Problem::new(ErrorCode::InstallFailed, "no source").with_details(attempts);
        let said = said(&problem);
        for words in ["\n  attempts: ", "source npm", "error offline", ", ", "source github", "error 404"] {
            assert!(said.contains(words), "{words:?} is missing in: {said}");
        }
        assert!(!said.contains(['{', '"']), "{said}");
    }

    #[test]
    fn known_causes_have_a_next_step() {
        let gone = Problem::new(ErrorCode::NotFound, "no session 'x'").with_session("x");
        assert!(said(&gone).ends_with("\nhint: 'sandbox-agent sessions list' lists the sessions"));
        let missing = Problem::new(ErrorCode::AgentNotInstalled, "missing").with_agent("codex");
        assert!(said(&missing).ends_with("\nhint: 'sandbox-agent api agents install codex' installs it"));
        let conflict =
            Problem::new(ErrorCode::Conflict, "it has ended").with_details(json!({"what": "ended"}));
        assert_eq!(said(&conflict), "Conflict (HTTP 409): it has ended");
    }
}
