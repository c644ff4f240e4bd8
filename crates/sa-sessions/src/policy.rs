//! What is decided without a client: rules, the permission mode, the time that is over.

use globset::{GlobBuilder, GlobMatcher};
use sa_api::sessions::{Decision, PermissionPolicy, PermissionReplyKind, PermissionRequest, TimeoutDecision};
use serde_json::Value;
use std::time::Duration;

/// A policy that is ready to be asked.
#[derive(Debug, Default)]
pub(crate) struct Policy {
    rules: Vec<Rule>,
    timeout: Option<Duration>,
    on_timeout: TimeoutDecision,
}

#[derive(Debug)]
struct Rule {
    tool: GlobMatcher,
    input: Option<GlobMatcher>,
    decision: Decision,
}

impl Policy {
    /// Refuses patterns that are none, with the pattern and why.
    pub(crate) fn new(policy: &PermissionPolicy) -> Result<Self, String> {
        let rules = policy.rules.iter().map(|rule| {
            let input = rule.input.as_deref().map(pattern).transpose()?;
            Ok(Rule { tool: pattern(&rule.tool)?, input, decision: rule.decision })
        });
        Ok(Self {
            rules: rules.collect::<Result<_, String>>()?,
            timeout: policy.timeout_ms.map(Duration::from_millis),
            on_timeout: policy.on_timeout,
        })
    }

    /// What the rules say; nothing if a client is to be asked.
    pub(crate) fn decide(&self, request: &PermissionRequest) -> Option<PermissionReplyKind> {
        self.rules.iter().find(|rule| rule.matches(request))?.decision.reply()
    }

    /// How long a client has.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// What is decided then.
    pub(crate) fn after_timeout(&self) -> PermissionReplyKind {
        match self.on_timeout {
            TimeoutDecision::Reject => PermissionReplyKind::Reject,
            TimeoutDecision::Allow => PermissionReplyKind::Once,
        }
    }
}

impl Rule {
    fn matches(&self, request: &PermissionRequest) -> bool {
        let kind = serde_json::to_value(request.kind).unwrap_or_default();
        let names = [request.tool.as_deref(), kind.as_str(), Some(request.title.as_str())];
        let named = names.into_iter().flatten().any(|name| self.tool.is_match(name));
        named
            && self
                .input
                .as_ref()
                .is_none_or(|input| subjects(request).iter().any(|text| input.is_match(text)))
    }
}

/// The members of a tool's input that say what it is about.
const SUBJECTS: [&str; 9] =
    ["command", "cmd", "path", "file_path", "filePath", "abs_path", "url", "pattern", "query"];

/// What a tool call is about: its command, path or address; all of its input if it has none of these.
fn subjects(request: &PermissionRequest) -> Vec<String> {
    let Some(input) = &request.input else { return vec![request.title.clone()] };
    let found: Vec<String> = SUBJECTS.iter().filter_map(|name| input.get(name)).filter_map(text).collect();
    if found.is_empty() { vec![input.to_string()] } else { found }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }
        _ => None,
    }
}

/// A pattern in which only `*` means something.
fn pattern(text: &str) -> Result<GlobMatcher, String> {
    let literal: String = text
        .chars()
        .flat_map(|c| {
            let escaped = matches!(c, '?' | '[' | ']' | '{' | '}' | '\\' | '!');
            escaped.then_some('\\').into_iter().chain([c])
        })
        .collect();
    GlobBuilder::new(&literal)
        .literal_separator(false)
        .backslash_escape(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| format!("'{text}' is not a pattern: {error}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use sa_api::sessions::{PermissionRule, ToolKind};
    use serde_json::json;

    fn request(tool: &str, kind: ToolKind, input: Value) -> PermissionRequest {
        PermissionRequest {
            id: "p".to_owned(),
            turn_id: None,
            tool_call_id: "t".to_owned(),
            tool: Some(tool.to_owned()),
            title: "Do it".to_owned(),
            kind,
            input: Some(input),
            parts: Vec::new(),
            options: Vec::new(),
            expires_at_ms: None,
        }
    }

    fn rule(tool: &str, input: Option<&str>, decision: Decision) -> PermissionRule {
        PermissionRule { tool: tool.to_owned(), input: input.map(str::to_owned), decision }
    }

    #[test]
    fn the_first_rule_that_matches_decides() {
        let rules = vec![
            rule("Bash", Some("git push*"), Decision::Deny),
            rule("Bash", Some("git *"), Decision::Allow),
            rule("edit", Some("/srv/*"), Decision::Allow),
            rule("mcp__*", None, Decision::Ask),
            rule("*", None, Decision::Deny),
        ];
        let policy = Policy::new(&PermissionPolicy { rules, ..PermissionPolicy::default() }).unwrap();
        let bash =
            |command: &str| policy.decide(&request("Bash", ToolKind::Execute, json!({ "command": command })));
        assert_eq!(bash("git push --force"), Some(PermissionReplyKind::Reject));
        assert_eq!(bash("git status [x]"), Some(PermissionReplyKind::Once));
        assert_eq!(bash("rm -r x"), Some(PermissionReplyKind::Reject));
        let edit =
            |path: &str| policy.decide(&request("Write", ToolKind::Edit, json!({ "file_path": path })));
        assert_eq!(edit("/srv/a/b"), Some(PermissionReplyKind::Once));
        assert_eq!(edit("/etc/passwd"), Some(PermissionReplyKind::Reject));
        assert_eq!(policy.decide(&request("mcp__x__y", ToolKind::Other, json!({}))), None);
    }

    #[test]
    fn only_stars_are_special() {
        let rules = vec![rule("a[b]{c}?", None, Decision::Allow)];
        let policy = Policy::new(&PermissionPolicy { rules, ..PermissionPolicy::default() }).unwrap();
        assert!(policy.decide(&request("a[b]{c}?", ToolKind::Other, json!({}))).is_some());
        assert!(policy.decide(&request("abcd", ToolKind::Other, json!({}))).is_none());
    }

    #[test]
    fn a_command_may_be_words() {
        let rules = vec![rule("execute", Some("npm test*"), Decision::Allow)];
        let policy = Policy::new(&PermissionPolicy { rules, ..PermissionPolicy::default() }).unwrap();
        let words = request("shell", ToolKind::Execute, json!({ "command": ["npm", "test", "--all"] }));
        assert_eq!(policy.decide(&words), Some(PermissionReplyKind::Once));
    }
}
