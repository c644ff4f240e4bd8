//! Rules against what agents send, and against what a model may write to get past them.
#![allow(clippy::unwrap_used)]

mod harm;

use super::pattern::MAX_PATTERN;
use super::*;
use proptest::prelude::*;
use sa_api::sessions::{Diff, MessagePart, PermissionRule, ToolKind};
use serde_json::{Value, json};
use std::sync::LazyLock;

const YES: Option<Decision> = Some(Decision::Allow);
const NO: Option<Decision> = Some(Decision::Deny);

/// Members that say what a call is about.
const NAMES: [&str; 8] =
    ["path", "file_path", "filePath", "abs_path", "notebook_path", "destination", "url", "command"];

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
        expires_at: None,
    }
}

fn changed(path: &str) -> MessagePart {
    let diff = Some(Diff { old_text: None, new_text: "x".to_owned() });
    let extra = serde_json::Map::new();
    MessagePart::File { name: None, path: Some(path.to_owned()), source: None, mime_type: None, diff, extra }
}

fn policy(rules: &[(&str, Option<&str>, Decision)]) -> Policy {
    let rule = |(tool, input, decision): &(&str, Option<&str>, Decision)| PermissionRule {
        tool: (*tool).to_owned(),
        input: input.map(str::to_owned),
        decision: *decision,
    };
    let rules = rules.iter().map(rule).collect();
    Policy::new(&PermissionPolicy { rules, ..PermissionPolicy::default() }).unwrap()
}

fn allows(tool: &str, input: &str, request: &PermissionRequest) -> bool {
    policy(&[(tool, Some(input), Decision::Allow)]).decide(request) == YES
}

fn denies(tool: &str, input: &str, request: &PermissionRequest) -> bool {
    policy(&[(tool, Some(input), Decision::Deny)]).decide(request) == NO
}

fn command(line: &str) -> PermissionRequest {
    request("Bash", ToolKind::Execute, json!({ "command": line, "description": "git status" }))
}

fn edit(path: &str) -> PermissionRequest {
    request("Write", ToolKind::Edit, json!({ "file_path": path, "content": "/srv/x" }))
}

/// A policy for each harmful command that denies it, by its pattern.
static DENYING: LazyLock<Vec<(&str, Policy)>> = LazyLock::new(|| {
    let patterns = sa_shell::testing::INTENTS.iter().map(|intent| intent.pattern);
    patterns.map(|pattern| (pattern, policy(&[("execute", Some(pattern), Decision::Deny)]))).collect()
});

/// A policy that allows harmless commands.
static NARROW: LazyLock<Policy> = LazyLock::new(|| {
    let harmless = ["ls *", "ls", "cat *", "echo *", "git status*", "npm test", "true *"];
    policy(&harmless.map(|pattern| ("execute", Some(pattern), Decision::Allow)))
});

#[test]
fn the_first_rule_that_matches_decides() {
    let policy = policy(&[
        ("Bash", Some("git push*"), Decision::Deny),
        ("Bash", Some("git *"), Decision::Allow),
        ("edit", Some("/srv/*"), Decision::Allow),
        ("mcp__*", None, Decision::Ask),
        ("*", None, Decision::Deny),
    ]);
    assert_eq!(policy.decide(&command("git push --force")), NO);
    assert_eq!(policy.decide(&command("git status [x]")), YES);
    assert_eq!(policy.decide(&command("rm -r x")), NO);
    assert_eq!(policy.decide(&edit("/srv/a/b")), YES);
    assert_eq!(policy.decide(&edit("/etc/passwd")), NO);
    assert_eq!(policy.decide(&request("mcp__x__y", ToolKind::Other, json!({}))), Some(Decision::Ask));
}

#[test]
fn only_stars_are_special() {
    let policy = policy(&[("a[b]{c}?", None, Decision::Allow)]);
    assert!(policy.decide(&request("a[b]{c}?", ToolKind::Other, json!({}))).is_some());
    assert!(policy.decide(&request("abcd", ToolKind::Other, json!({}))).is_none());
}

/// As the adapters in this workspace and other agents send them.
#[test]
fn rules_mean_what_they_say_for_what_agents_send() {
    use ToolKind::{Edit, Execute, Fetch, Other, Read, Search};
    for (tool, input, asked) in [
        ("Bash", "touch *", command("touch a.txt")),
        ("execute", "git *", command("git commit -m 'a: $b' --quiet")),
        ("execute", "npm test", command("  npm test\n")),
        ("execute", "npm test && npm run *", command("npm test && npm run lint")),
        ("shell", "touch *", request("shell", Execute, json!({ "command": "touch x", "cwd": "/project/a" }))),
        ("execute", "git *", request("shell", Execute, json!({ "command": ["bash", "-lc", "git status"] }))),
        (
            "execute",
            "git *",
            request("shell", Execute, json!({ "command": ["/bin/zsh", "-c", "git status"] })),
        ),
        ("execute", "npm test*", request("shell", Execute, json!({ "command": ["npm", "test", "--all"] }))),
        ("execute", "npm test*", request("x", Execute, json!({ "command": "npm", "args": ["test"] }))),
        ("execute", "ls *", request("shell", Execute, json!({ "cmd": "ls a", "dir_path": "sub" }))),
        ("execute", "ls *", request("shell", Execute, json!("ls a"))),
        ("Write", "/project/*", edit("/project/hello.txt")),
        ("edit", "/project/*", request("write", Edit, json!({ "filePath": "/project/a", "content": "x" }))),
        ("edit", "src/*", request("write", Edit, json!({ "filePath": "src/a" }))),
        ("edit", "./src/*", request("write", Edit, json!({ "filePath": "./src/a" }))),
        ("edit", "../shared/*", request("write", Edit, json!({ "filePath": "../shared/a" }))),
        ("edit", "/srv/*", request("edit", Edit, json!({ "command": "str_replace", "path": "/srv/a" }))),
        (
            "edit",
            "/srv/*",
            request("apply_patch", Edit, json!({ "changes": [{ "path": "/srv/a", "kind": "add" }] })),
        ),
        ("edit", "/srv/*", request("apply_patch", Edit, json!({ "changes": { "/srv/a": { "add": {} } } }))),
        ("search", "/srv/*", request("Grep", Search, json!({ "pattern": "needle", "path": "/srv/a" }))),
        ("search", "/srv/*", request("Glob", Search, json!({ "pattern": "**/*.rs", "path": "/srv/" }))),
        ("search", "rust *", request("WebSearch", Search, json!({ "query": "rust globs" }))),
        ("read", "/srv/*", request("ls", Read, json!({ "dir_path": "/srv/a" }))),
        (
            "fetch",
            "https://*.example.org/*",
            request("WebFetch", Fetch, json!({ "url": "https://docs.example.org/a", "prompt": "x" })),
        ),
        ("fetch", "https://example.org", request("WebFetch", Fetch, json!({ "url": "https://example.org" }))),
        ("fetch", "*example.org/*", request("WebFetch", Fetch, json!({ "url": "http://example.org/a?b#c" }))),
        (
            "edit",
            "/srv/*",
            request("x", Edit, json!({ "path": "/srv/a", "output_path": "/srv/b", "mode": "fast" })),
        ),
        (
            "edit",
            "/srv/*",
            request(
                "MultiEdit",
                Edit,
                json!({ "file_path": "/srv/a", "edits": [{ "old_string": "/x", "new_string": "y" }] }),
            ),
        ),
        (
            "search",
            "/srv/*",
            request(
                "Grep",
                Search,
                json!({ "pattern": "a/b", "path": "/srv/a", "glob": "src/*.rs", "output_mode": "content" }),
            ),
        ),
        ("mcp__demo__add", "*", request("mcp__demo__add", Other, json!({ "a": 2 }))),
        ("mcp__demo__add", "{\"a\":2,*", request("mcp__demo__add", Other, json!({ "a": 2, "b": 3 }))),
    ] {
        assert!(allows(tool, input, &asked), "{tool} {input}: {:?}", asked.input);
    }
}

#[test]
fn changes_that_are_shown_are_what_a_call_is_about() {
    let shown = |input: Option<Value>, path: &str| PermissionRequest {
        input,
        parts: vec![changed(path)],
        ..request("apply_patch", ToolKind::Edit, Value::Null)
    };
    assert!(allows("edit", "/srv/*", &shown(None, "/srv/a")));
    assert!(allows("edit", "/srv/*", &shown(Some(json!({ "patchText": "…" })), "/srv/a")));
    assert!(allows("edit", "src/*", &shown(Some(json!({ "filePath": "src/a" })), "/project/src/a")));
    // The new path of a moved file is nowhere else.
    let moved = json!({ "changes": [{ "path": "/srv/a", "kind": "update" }] });
    assert!(!allows("edit", "/srv/*", &shown(Some(moved.clone()), "/etc/cron.d/a")));
    assert!(denies("edit", "/etc/*", &shown(Some(moved), "/etc/cron.d/a")));
}

#[test]
fn nothing_that_a_model_writes_makes_an_allow() {
    use ToolKind::{Edit, Execute, Fetch, Other, Search};
    for (tool, input, asked) in [
        ("edit", "/srv/*", edit("/srv/../etc/cron.d/x")),
        ("edit", "/srv/*", edit("/srv/a/..//../etc/x")),
        ("edit", "src/*", edit("src/../../etc/x")),
        ("edit", "./*", edit("../x")),
        ("edit", "~/src/*", edit("~/src/../.ssh/x")),
        ("edit", "~/*", edit("~/../x")),
        ("edit", "src/*", edit("~/../src/x")),
        ("edit", "*/srv/*", request("write", Edit, json!({ "to": "/etc/x", "content": "/srv/" }))),
        ("edit", "/srv/*", request("mv", Edit, json!({ "path": "/srv/a", "destination": "/etc/x" }))),
        ("edit", "/srv/*", request("mv", Edit, json!({ "paths": ["/srv/a", "/etc/x"] }))),
        ("edit", "/srv/*", request("mv", Edit, json!({ "path": "/srv/a", "file_path": { "x": "/etc" } }))),
        (
            "edit",
            "/srv/*",
            request("x", Edit, json!({ "changes": [{ "path": "/srv/a" }, { "to": "/etc" }] })),
        ),
        (
            "edit",
            "/srv/*",
            request(
                "x",
                Edit,
                json!({ "changes": [{ "path": "/srv/a", "kind": { "move_path": "/etc/x" } }] }),
            ),
        ),
        ("search", "/srv/*", request("Grep", Search, json!({ "pattern": "/srv/", "path": "/etc" }))),
        ("search", "/srv/*", request("Glob", Search, json!({ "pattern": "/etc/*", "path": "/srv/a" }))),
        ("search", "/srv/*", request("Glob", Search, json!({ "pattern": "{/etc,x}/*", "path": "/srv/a" }))),
        ("search", "/srv/*", request("Glob", Search, json!({ "pattern": "/srv/../etc/*" }))),
        ("Bash", "git *", request("Bash", Execute, json!({ "command": "git log", "cmd": "rm -rf ~" }))),
        ("Bash", "git", request("Bash", Execute, json!({ "command": "git", "args": ["push"] }))),
        ("Bash", "git *", request("Bash", Execute, json!({ "command": ["bash", "-lc", "git log; rm x"] }))),
        ("Bash", "git *", request("Bash", Execute, json!({ "command": ["/tmp/bash", "-lc", "git log"] }))),
        ("Bash", "git *", request("Bash", Execute, json!({ "command": ["bash", "--rcfile", "git log"] }))),
        ("Bash", "git *", request("Bash", Execute, json!({ "command": ["git", { "x": 1 }] }))),
        ("Bash", "npm test && npm run *", command("npm test && npm run a && rm x")),
        ("Bash", "git *", command("git log '\n' rm x")),
        (
            "fetch",
            "https://*.example.org/*",
            request("x", Fetch, json!({ "url": "https://evil.test/.example.org/" })),
        ),
        (
            "fetch",
            "https://*.example.org/*",
            request("x", Fetch, json!({ "url": "https://evil.test\\@a.example.org/" })),
        ),
        ("fetch", "https://a.test*", request("x", Fetch, json!({ "url": "https://a.test@evil.test/" }))),
        (
            "fetch",
            "https://a.test/docs/*",
            request("x", Fetch, json!({ "url": "https://a.test/docs/%2e%2e/x" })),
        ),
        (
            "fetch",
            "https://a.test/*",
            request("x", Fetch, json!({ "urls": ["https://a.test/", "https://b.test/"] })),
        ),
        ("mcp__x", "*safe*", request("mcp__x", Other, json!({ "a": "safe", "b": "not" }))),
        (
            "fetch",
            "https://good.test/*",
            request("x", Fetch, json!({ "url": "https://good.test\\@evil.test/x" })),
        ),
        (
            "fetch",
            "https://good.test/*",
            request("x", Fetch, json!({ "url": "https://good.test/\t@evil.test/x" })),
        ),
        ("edit", "/srv/*", request("x", Edit, json!({ "path": "/srv/ok", "output_path": "/etc/passwd" }))),
        ("edit", "/srv/*", request("x", Edit, json!({ "path": "/srv/ok", "outputPath": "passwd" }))),
        ("edit", "/srv/*", request("x", Edit, json!({ "path": "/srv/ok", "dest": "passwd" }))),
        ("edit", "/srv/*", request("x", Edit, json!({ "path": "/srv/ok", "saveTo": "passwd" }))),
        ("edit", "/srv/*", request("x", Edit, json!({ "path": "/srv/ok", "backup": ["/srv/a", "~/x"] }))),
        ("edit", "/srv/*", request("x", Edit, json!({ "path": "/srv/ok", "also": [{ "name": "/etc/x" }] }))),
        ("edit", "/srv/*", request("x", Edit, json!({ "path": "/srv/ok", "options": { "o": "passwd" } }))),
        (
            "fetch",
            "https://good.test/*",
            request("x", Fetch, json!({ "url": "https://good.test/a", "save_to": "/etc/profile" })),
        ),
        (
            "fetch",
            "https://good.test/*",
            request("x", Fetch, json!({ "url": "https://good.test/a", "then": "https://evil.test/" })),
        ),
        ("Bash", "npm *", request("Bash", Execute, json!({ "command": "npm i", "env": { "PATH": "/tmp" } }))),
    ] {
        assert!(!allows(tool, input, &asked), "{tool} {input}: {:?}", asked.input);
    }
}

#[test]
fn a_title_is_no_name_and_no_input_for_an_allow() {
    let asked = PermissionRequest {
        title: "mcp__github__list".to_owned(),
        input: None,
        ..command("mcp__github__list; rm -rf ~")
    };
    assert_eq!(policy(&[("mcp__github__*", None, Decision::Allow)]).decide(&asked), None);
    assert!(!allows("Bash", "mcp__*", &asked));
    assert!(denies("mcp__github__*", "mcp__*", &asked), "for a denial it is both");
    assert!(allows("Bash", "*", &asked), "whoever allows everything allows this");
    assert_eq!(policy(&[("execute", None, Decision::Allow)]).decide(&asked), YES);
}

#[test]
fn a_denial_finds_what_is_hidden() {
    assert!(denies("edit", "/etc/*", &edit("/srv/../etc/passwd")));
    assert!(denies("edit", "/srv/*", &edit("/srv/../etc/passwd")), "as it is written, too");
    assert!(denies("execute", "rm *", &command("cd x && rm -rf y")));
    assert!(denies("execute", "rm *", &command("echo $(rm -rf y)")));
    let words = request("shell", ToolKind::Execute, json!({ "command": ["sh", "-c", "ls; rm y"] }));
    assert!(denies("execute", "rm *", &words) && denies("execute", "sh *", &words));
    let search = request("Grep", ToolKind::Search, json!({ "pattern": "key", "path": "/etc" }));
    assert!(denies("search", "/etc", &search) && denies("search", "key", &search));
    let fetch = request("x", ToolKind::Fetch, json!({ "url": "https://A.test/a/../b" }));
    assert!(denies("fetch", "https://a.test/b", &fetch));
}

#[test]
fn a_pattern_that_is_too_long_is_refused() {
    let rule = |input: &str| AllowRule { tool: "execute".to_owned(), input: Some(input.to_owned()) };
    let call = command(&"x".repeat(MAX_PATTERN));
    assert_eq!(Policy::covers(&rule(&"x".repeat(MAX_PATTERN)), &call), Ok(true));
    for length in [MAX_PATTERN + 1, 400_000] {
        let why = Policy::covers(&rule(&"é".repeat(length)), &call).unwrap_err();
        assert!(why.ends_with("is longer than 8192 characters"), "{why}");
        assert!(why.len() < 200, "{why}");
        let rule = PermissionRule { tool: "*".repeat(length), input: None, decision: Decision::Deny };
        let rules = PermissionPolicy { rules: vec![rule], ..PermissionPolicy::default() };
        assert!(Policy::new(&rules).is_err());
    }
}

proptest! {
    /// Whatever is added to a command that is allowed, with an operator between, is not.
    #[test]
    fn a_second_command_is_never_allowed_with_the_first(
        first in "git [a-z ]{0,12}",
        operator in prop::sample::select(vec![";", "&", "&&", "|", "||", "\n", "\r\n", "`", "$(", "<(", ">", ">>", "<"]),
        second in "[ -~]{0,24}",
        quote in prop::sample::select(vec!["", "'", "\""]),
    ) {
        let line = format!("{first}{quote}{operator}x{second}");
        prop_assert!(!allows("Bash", "git *", &command(&line)), "{line}");
        let words = request("shell", ToolKind::Execute, json!({ "command": ["bash", "-lc", line] }));
        prop_assert!(!allows("execute", "git *", &words));
    }

    /// No way to write a command gets past a rule that denies it, or is taken for something narrow that is allowed.
    #[test]
    fn no_spelling_gets_past_a_rule((intent, line) in sa_shell::testing::spellings()) {
        let denying = DENYING.iter().find(|(pattern, _)| *pattern == intent.pattern).map(|(_, policy)| policy);
        let decide = |asked: &PermissionRequest| (denying.and_then(|policy| policy.decide(asked)), NARROW.decide(asked));
        prop_assert_eq!(decide(&command(&line)), (NO, None), "{}: {}", intent.pattern, line);
        let words = json!({ "command": ["bash", "-lc", line] });
        let words = decide(&request("shell", ToolKind::Execute, words));
        prop_assert_eq!(words, (NO, None), "{}: {}", intent.pattern, line);
    }

    /// However a path is spelled, it is allowed only if the system would end up within.
    #[test]
    fn a_path_is_allowed_only_for_where_it_leads(
        parts in prop::collection::vec(prop::sample::select(vec!["srv", "etc", "a", ".", "..", ""]), 0..8),
    ) {
        let path = format!("/{}", parts.join("/"));
        let mut real: Vec<&str> = Vec::new();
        for part in &parts {
            match *part {
                "" | "." => {}
                ".." => { real.pop(); }
                part => real.push(part),
            }
        }
        let is_inside = real.len() > 1 && real[0] == "srv";
        let is_the_directory = real == ["srv"];
        let allowed = allows("edit", "/srv/*", &edit(&path));
        prop_assert!(allowed == is_inside || (is_the_directory && path.ends_with('/')), "{path}: {allowed}");
        if real.first() == Some(&"etc") && real.len() > 1 {
            prop_assert!(denies("edit", "/etc/*", &edit(&path)), "{path}");
        }
    }

    /// Nothing else that a call has makes up for one thing that is not within.
    #[test]
    fn one_thing_that_is_not_within_is_enough(
        name in prop::sample::select(NAMES.to_vec()),
        others in prop::collection::btree_map(prop::sample::select(NAMES.to_vec()), "/srv/[a-z]{1,5}", 0..6),
    ) {
        let mut input = json!(others);
        input[name] = json!("/etc/x");
        let asked = request("tool", ToolKind::Edit, input);
        prop_assert!(!allows("*", "/srv/*", &asked), "{:?}", asked.input);
    }

    /// The wildcard is the one that people know.
    #[test]
    fn stars_stand_for_any_characters(pattern in "[ab*]{0,8}", text in "[ab]{0,10}") {
        prop_assert_eq!(pattern::covers(&pattern, &text, &[]), slowly(pattern.as_bytes(), text.as_bytes()));
    }

    /// With some characters excepted, it matches just when the stars can do without them.
    #[test]
    fn stars_stand_for_nothing_that_is_excepted(pattern in "[ab;*]{0,8}", text in "[ab;]{0,10}") {
        let expected = slowly_except(pattern.as_bytes(), text.as_bytes());
        prop_assert_eq!(pattern::covers(&pattern, &text, &[';']), expected);
    }
}

fn slowly(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=text.len()).any(|end| slowly(rest, &text[end..])),
        ([p, pattern @ ..], [t, text @ ..]) => p == t && slowly(pattern, text),
        _ => false,
    }
}

fn slowly_except(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            let plain = text.iter().take_while(|c| **c != b';').count();
            (0..=plain).any(|end| slowly_except(rest, &text[end..]))
        }
        ([p, pattern @ ..], [t, text @ ..]) => p == t && slowly_except(pattern, text),
        _ => false,
    }
}
