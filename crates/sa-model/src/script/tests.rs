//! The script language: accepted, refused and ignored texts.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn parsed(text: &str) -> Vec<Vec<Directive>> {
    Script::parse(text).unwrap().unwrap().steps
}

fn only(text: &str) -> Directive {
    let mut steps = parsed(text);
    assert_eq!(steps.len(), 1, "{text}");
    assert_eq!(steps[0].len(), 1, "{text}");
    steps.remove(0).remove(0)
}

#[test]
fn steps_are_separated_by_then() {
    let steps =
        parsed("think: hm\n say: one \ntool: shell {\"command\":\"ls\"}\nthen\nsay: two\r\nthen:\nsay:three");
    let shell = Directive::Tool { name: "shell".into(), input: json!({"command": "ls"}) };
    let first = vec![Directive::Think("hm".into()), Directive::Say("one ".into()), shell];
    let rest = ["two", "three"].map(|text| vec![Directive::Say(text.into())]);
    assert_eq!(steps, [vec![first], rest.to_vec()].concat());
}

#[test]
fn prose_is_no_script() {
    for text in [
        "",
        "hello",
        "then",
        "please say: hi",
        "what does the tool do?",
        "hang on",
        "Say: hi",
        "say hi\nfail\nusage",
    ] {
        assert_eq!(Script::parse(text), Ok(None), "{text}");
    }
}

#[test]
fn prose_around_a_script_is_passed_over() {
    assert_eq!(parsed("Do this, please:\n\n# a comment\nsay: hi\nThanks"), [[Directive::Say("hi".into())]]);
}

#[test]
fn tools_take_an_object_or_a_text_or_nothing() {
    let tool = |name: &str, input| Directive::Tool { name: name.into(), input };
    assert_eq!(only("tool: TaskList"), tool("TaskList", json!({})));
    assert_eq!(only("tool: x # nothing"), tool("x", json!({})));
    assert_eq!(only("tool: apply_patch \"*** Begin\\n\""), tool("apply_patch", json!("*** Begin\n")));
    assert_eq!(only("tool: mcp__a__b {\"n\":[1]}   # parallel"), tool("mcp__a__b", json!({"n": [1]})));
    assert_eq!(only("tool: say {\"text\":\"a # b: ${CWD}\"}"), tool("say", json!({"text": "a # b: ${CWD}"})));
}

#[test]
fn faults_say_what_and_how_often() {
    let fault = |fault, times| Directive::Fault { fault, times };
    let plain = |status| Fault::Fail(Failure { status, retry_after: None, kind: None, message: None });
    assert_eq!(only("fail: 401"), fault(plain(401), None));
    assert_eq!(only("fail: 529 x2"), fault(plain(529), Some(2)));
    let limited = Fault::Fail(Failure {
        status: 429,
        retry_after: Some(3),
        kind: Some("usage_limit_reached".into()),
        message: Some("Too much  of it".into()),
    });
    let line = "fail: 429 x1 retry-after=3 type=usage_limit_reached Too much  of it";
    assert_eq!(only(line), fault(limited, Some(1)));
    let error = |kind: Option<&str>, message: &str| Fault::Error {
        kind: kind.map(str::to_owned),
        message: message.into(),
    };
    assert_eq!(only("error: type=api_error Try later"), fault(error(Some("api_error"), "Try later"), None));
    assert_eq!(only("error: x1 Oh"), fault(error(None, "Oh"), Some(1)));
    assert_eq!(only("error"), fault(error(None, ""), None));
    assert_eq!(only("cut"), fault(Fault::Cut, None));
    assert_eq!(only("hang: x3"), fault(Fault::Hang, Some(3)));
    assert_eq!(only("malformed:x1"), fault(Fault::Malformed, Some(1)));
}

#[test]
fn pace_and_size_are_numbers_with_units() {
    assert_eq!(only("slow: 20ms"), Directive::Slow(Duration::from_millis(20)));
    assert_eq!(only("pause: 2s"), Directive::Pause(Duration::from_secs(2)));
    assert_eq!(only("pause: 15"), Directive::Pause(Duration::from_millis(15)));
    assert_eq!(only("chunk: 4"), Directive::Chunk(4));
    assert_eq!(only("repeat: 10 x 32"), Directive::Repeat { count: 10, bytes: 32 });
    assert_eq!(only("repeat: 10"), Directive::Repeat { count: 10, bytes: 16 });
    let usage = Usage { input: Some(5), cache_read: Some(0), ..Usage::default() };
    assert_eq!(only("usage: input=5 cache_read=0"), Directive::Usage(usage));
}

#[test]
fn misuse_names_the_line_and_the_form() {
    let misused = [
        "fail: soon",
        "fail: 200",
        "fail: 429 retry-after=x",
        "tool:",
        "tool: shell {\"command\"",
        "tool: shell [1]",
        "tool: shell {} {}",
        "chunk: 0",
        "slow: fast",
        "pause: 2h",
        "pause: 3601s",
        "repeat: 9 x",
        "stop:",
        "stop: a b",
        "usage: input",
        "usage: dollars=3",
        "cut: 5",
        "repeat: 99999999 x 99999999",
    ];
    for line in misused {
        let misuse = Script::parse(&format!("say: before\n  {line}")).unwrap_err();
        assert_eq!(misuse.line, line);
        assert!(misuse.usage.starts_with(line.split(':').next().unwrap()), "{line}: {}", misuse.usage);
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(?s).{0,200}") {
        let _ = Script::parse(&text);
    }

    #[test]
    fn any_directive_with_any_rest_is_read_without_a_panic(row in 0..DIRECTIVES.len(), rest in "[^\n]{0,60}") {
        let _ = Script::parse(&format!("{}: {rest}", DIRECTIVES[row].0));
    }

    #[test]
    fn what_is_said_comes_back_as_it_was(lines in prop::collection::vec("[^\r\n]{0,40}", 1..6)) {
        let text: String = lines.iter().map(|line| format!("say: {line}\nthen\n")).collect();
        let steps = Script::parse(&text).unwrap().unwrap().steps;
        prop_assert_eq!(steps.len(), lines.len() + 1);
        for (step, line) in steps.iter().zip(&lines) {
            prop_assert_eq!(step, &vec![Directive::Say(line.clone())]);
        }
    }

    #[test]
    fn tool_input_survives_what_follows(key in "[a-z]{1,8}", value in "[^\u{0}-\u{1f}]{0,40}", comment in "( *#.{0,20})?") {
        let input = json!({ key: value });
        let line = format!("tool: x {input}{}", comment.replace(['\n', '\r'], ""));
        prop_assert_eq!(only(&line), Directive::Tool { name: "x".into(), input });
    }
}

#[test]
fn the_documentation_names_every_directive_and_its_examples_are_scripts() {
    let page = include_str!("../../../../docs/model-server.md");
    for (name, ..) in DIRECTIVES {
        assert!(
            page.contains(&format!("| `{name}")) || page.contains(&format!("`{name}: ")),
            "{name} is not described"
        );
    }
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() >= 4);
    let examples = rows.filter_map(|row| row.trim_end_matches(" |").rsplit("| `").next()?.strip_suffix('`'));
    let mut count = 0;
    for example in examples {
        assert!(matches!(Script::parse(example), Ok(Some(_))), "{example}");
        count += 1;
    }
    assert!(count > 20, "{count} examples");
}
