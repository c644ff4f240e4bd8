//! Numbers, reasons and failures in words.

use crate::clean::clean_output;
use crate::style::{Color, Line, Style};
use sa_api::AgentExit;
use sa_api::sessions::{AgentError, CrashInfo, CrashKind, StopReason, Usage};

/// Lines of an agent's standard error that are shown.
const LAST_LINES: usize = 5;

/// A failure in words: what failed, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The failure.
    pub what: String,
    /// The next step, if there is one.
    pub next: Option<String>,
}

impl Explanation {
    /// The failure as one text.
    pub fn text(&self) -> String {
        match &self.next {
            Some(next) => format!("{}\nhint: {next}", self.what),
            None => self.what.clone(),
        }
    }

    pub(crate) fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for (index, line) in self.what.lines().enumerate() {
            let mark = if index == 0 { "✗ " } else { "  " };
            lines.push(Line::styled(&format!("{mark}{line}"), Style::of(Color::Red)));
        }
        lines.extend(self.next.as_ref().map(|next| Line::styled(&format!("  {next}"), Style::DIM)));
        lines
    }
}

/// Explains why an agent is not ready. `variable` takes a key of the agent's provider.
pub fn explain_agent_error(agent: &str, error: &AgentError, variable: Option<&str>) -> Explanation {
    let doctor = format!("run 'sandbox-agent doctor {agent}' to find out why");
    let (what, message, next) = match error {
        AgentError::TokenError { message } => {
            (format!("{agent} is not logged in"), message, log_in(agent, variable))
        }
        AgentError::ProcessExited { exit, .. } => {
            let what = format!("{agent} exited{} while it started{}", how(exit), last_words(exit));
            return Explanation { what, next: Some(doctor) };
        }
        AgentError::InstallFailed { message } => (
            format!("{agent} could not be installed"),
            message,
            format!("check the network, or install it first: sandbox-agent install-agent {agent}"),
        ),
        AgentError::SpawnFailed { message } => (format!("{agent} could not be started"), message, doctor),
        AgentError::Unsupported { message } => (
            format!("{agent} does not support a setting of the session"),
            message,
            format!("run 'sandbox-agent api agents get {agent} --config' to list modes and models"),
        ),
        AgentError::Timeout { message } => (format!("{agent} did not reply in time"), message, doctor),
        AgentError::Protocol { message, .. } => (format!("{agent} replied with an error"), message, doctor),
    };
    Explanation { what: format!("{what}: {}", for_people(message)), next: Some(next) }
}

/// Explains a failure that the session recorded.
pub fn explain_crash(agent: &str, crash: &CrashInfo, variable: Option<&str>) -> Explanation {
    let message = for_people(&crash.message);
    let (what, next) = match &crash.kind {
        CrashKind::AuthRequired => {
            (format!("{agent} is not logged in: {message}"), Some(log_in(agent, variable)))
        }
        CrashKind::AgentExited => {
            let how = crash.exit.as_ref().map(how).unwrap_or_default();
            (format!("{agent} exited{how}: {message}"), Some("the next message starts it again".to_owned()))
        }
        CrashKind::InstallFailed => (
            format!("{agent} could not be installed: {message}"),
            Some(format!("run 'sandbox-agent install-agent {agent}' to see why")),
        ),
        CrashKind::SpawnFailed => (
            format!("{agent} could not be started: {message}"),
            Some(format!("run 'sandbox-agent doctor {agent}' to find out why")),
        ),
        CrashKind::Timeout => (format!("{agent} did not reply in time: {message}"), None),
        _ => (message.to_owned(), None),
    };
    Explanation { what, next }
}

fn how(exit: &AgentExit) -> String {
    match (exit.code, exit.signal) {
        (Some(code), _) => format!(" with exit code {code}"),
        (None, Some(signal)) => format!(" after signal {signal}"),
        (None, None) => String::new(),
    }
}

/// The last lines that an agent printed on standard error, if there are any.
fn last_words(exit: &AgentExit) -> String {
    let printed = clean_output(&exit.stderr_tail);
    let lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default();
    if last.is_empty() { String::new() } else { format!(": {}", last.join("\n")) }
}

/// Leaves only the agent's own words: the daemon puts the refused method before them, and advice to clients of the API
/// behind them.
fn for_people(message: &str) -> &str {
    let message = message.split("; over HTTP:").next().unwrap_or(message);
    message.strip_prefix("the agent refused session/new: ").unwrap_or(message).trim()
}

fn log_in(agent: &str, variable: Option<&str>) -> String {
    let key = variable.map(|variable| format!("set {variable}, or ")).unwrap_or_default();
    format!("{key}log in with {agent}'s own command; 'sandbox-agent doctor {agent}' checks the credentials")
}

/// Returns why a turn ended, if it did not simply finish.
pub fn stop_reason(reason: StopReason) -> Option<&'static str> {
    match reason {
        StopReason::EndTurn => None,
        StopReason::MaxTokens => Some("the model reached its output limit"),
        StopReason::MaxTurnRequests => Some("the agent reached its limit of requests"),
        StopReason::Refusal => Some("the model refused"),
        StopReason::Cancelled => Some("cancelled"),
        StopReason::Error => Some("failed"),
        StopReason::Unknown => Some("interrupted"),
    }
}

/// A span of time: `0.4s`, `12s`, `3m 05s`.
pub fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..10 => format!("{}.{}s", seconds, milliseconds % 1000 / 100),
        10..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Tokens and cost: `1,234 tokens in, 56 out`, `$0.0123`.
pub(crate) fn usage(usage: &Usage) -> Vec<String> {
    let mut parts = Vec::new();
    let counts = &usage.tokens;
    match (counts.input_tokens, counts.output_tokens, counts.total_tokens) {
        (Some(input), Some(output), _) => {
            parts.push(format!("{} in, {} out", tokens(input), grouped(output)));
        }
        (_, _, Some(total)) => parts.push(tokens(total)),
        _ => {}
    }
    if let Some(cost) = &usage.cost {
        parts.push(match cost.currency.as_str() {
            "USD" => format!("${}", amount(cost.amount)),
            currency => format!("{} {currency}", amount(cost.amount)),
        });
    }
    parts
}

fn amount(amount: f64) -> String {
    if amount < 1.0 { format!("{amount:.4}") } else { format!("{amount:.2}") }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn tokens(count: u64) -> String {
    format!("{} token{}", grouped(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_problem_is_explained_without_json() {
        let error =
            AgentError::TokenError { message: "the agent refused session/new: no key was found".to_owned() };
        let text = explain_agent_error("claude", &error, Some("ANTHROPIC_API_KEY")).text();
        assert_eq!(
            text,
            "claude is not logged in: no key was found\nhint: set ANTHROPIC_API_KEY, or log in with claude's own command; \
             'sandbox-agent doctor claude' checks the credentials"
        );
        let crash = CrashInfo {
            message: "401; over HTTP: give `env`".to_owned(),
            kind: CrashKind::AuthRequired,
            ..CrashInfo::default()
        };
        assert_eq!(explain_crash("codex", &crash, None).what, "codex is not logged in: 401");
    }

    #[test]
    fn an_agent_that_ends_at_its_start_has_its_exit_and_its_last_words_shown() {
        let said = |code, signal, stderr_tail: &str| {
            let exit = AgentExit { code, signal, stderr_tail: stderr_tail.to_owned() };
            explain_agent_error(
                "quit",
                &AgentError::ProcessExited { message: "it ended".to_owned(), exit },
                None,
            )
            .what
        };
        assert_eq!(said(Some(3), None, "oops\n"), "quit exited with exit code 3 while it started: oops");
        assert_eq!(said(None, Some(9), " \n"), "quit exited after signal 9 while it started");
        assert_eq!(
            said(Some(1), None, "1\n2\n3\n\u{1b}[31m4\n\n5\n6\n"),
            "quit exited with exit code 1 while it started: 2\n3\n4\n5\n6"
        );
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [400, 9_999, 12_345, 185_000, 3_725_000].map(duration),
            ["0.4s", "9.9s", "12s", "3m 05s", "1h 02m"]
        );
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
