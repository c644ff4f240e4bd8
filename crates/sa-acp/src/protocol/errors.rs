//! Errors that agents answer with. `errorKind` in their data is for programs.

use crate::process::children::Ended;
use agent_client_protocol_schema::v1::{Error, ErrorCode};
use serde_json::{Value, json};

/// As much of a CLI's standard error goes into an error, in characters.
const STDERR_TAIL: usize = 4 << 10;

/// An error of a CLI or of the model behind it.
pub fn failure(message: impl Into<String>, kind: &str) -> Error {
    Error::new(ErrorCode::InternalError.into(), message).data(json!({ "errorKind": kind }))
}

/// The error that asks for credentials.
pub fn auth_required(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::AuthRequired.into(), message).data(json!({ "errorKind": "authentication_failed" }))
}

/// The error for a request that makes no sense.
pub fn invalid(reason: impl Into<String>) -> Error {
    Error::invalid_params().data(json!({ "reason": reason.into() }))
}

/// The error for what was under way when a process of `program` ended. `complaint` is what it said itself, if it did.
pub fn process_ended(program: &str, ended: &Ended, complaint: Option<&str>) -> Error {
    let stderr = uncolored(&ended.stderr);
    let tail: String = stderr.chars().skip(stderr.chars().count().saturating_sub(STDERR_TAIL)).collect();
    if let Some(reason) = &ended.not_started {
        return failure(format!("{program} cannot be started: {reason}"), "spawn_failed");
    }
    let how = match (ended.code, ended.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit code".to_owned(),
    };
    let last = complaint.or_else(|| tail.lines().rev().find(|line| !line.trim().is_empty()));
    let last = last.map(|line| format!(": {}", line.trim())).unwrap_or_default();
    let kind = "process_exited";
    let exit =
        json!({ "errorKind": kind, "exitCode": ended.code, "signal": ended.signal, "stderrTail": tail });
    failure(format!("{program} ended with {how}{last}"), kind).data(exit)
}

/// Returns the error for a failure of the model's API, from words that may begin with its status and end with its body.
pub fn model_error(words: &str) -> Error {
    let (status, body) = match words.split_once(' ') {
        Some((number, rest)) => (number.parse::<u16>().ok(), rest),
        None => (None, words),
    };
    let body = serde_json::from_str::<Value>(body).unwrap_or_default();
    let message = body["error"]["message"].as_str().or(body["message"].as_str());
    let message = match (status, message) {
        (Some(status), Some(message)) => format!("{message} (status {status})"),
        _ => words.to_owned(),
    };
    let lower = words.to_lowercase();
    let kind = match status {
        Some(401) => return auth_required(message),
        Some(400 | 413 | 422) => "invalid_request",
        Some(404) => "model_not_found",
        Some(429) => "rate_limit",
        Some(529) => "overloaded",
        Some(500..) => "server_error",
        _ if lower.contains("rate limit") || lower.contains("too many requests") => "rate_limit",
        _ if lower.contains("overloaded") => "overloaded",
        _ => "unknown",
    };
    failure(message, kind).data(json!({ "errorKind": kind, "httpStatus": status }))
}

/// Returns a text without the marks that color it on a terminal.
pub fn uncolored(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => {
                if letters.next() == Some('[') {
                    letters.by_ref().find(|letter| ('@'..='~').contains(letter));
                }
            }
            _ => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_of_a_process_are_plain_text() {
        let stderr = "first\n\u{1b}[31mERROR\u{1b}[0m \u{1b}[2mit\u{1b}[0m hurts\n\n".to_owned();
        let ended = Ended { code: Some(7), stderr, ..Ended::default() };
        let error = process_ended("The CLI", &ended, None);
        assert_eq!(error.message, "The CLI ended with exit code 7: ERROR it hurts");
        assert_eq!(error.data.unwrap_or_default()["stderrTail"], "first\nERROR it hurts\n\n");
        assert_eq!(uncolored("a\u{1b}"), "a");
        assert_eq!(uncolored("a\u{1b}[0"), "a");
    }
}
