//! Complaints about bodies of every shape that serde derives.

#![allow(clippy::unwrap_used)]
use super::read;
use sa_api::sessions::CreateSession;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code)]
struct Body {
    name: String,
    #[serde(default)]
    columns: Option<u16>,
    #[serde(default)]
    wait_ms: u64,
    #[serde(default)]
    mode: Option<Mode>,
    #[serde(default)]
    rules: Vec<Rule>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    source: Option<Source>,
    #[serde(default)]
    shape: Option<Shape>,
    #[serde(default)]
    either: Option<Either>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Mode {
    Default,
    Plan,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
struct Rule {
    decision: Mode,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[allow(dead_code)]
enum Source {
    Git { url: String },
    Local { path: String },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
enum Shape {
    Circle { radius: f64 },
    Point,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[allow(dead_code)]
enum Either {
    Text(String),
    Flag(bool),
}

fn refusal(json: &str) -> String {
    read::<Body>(json.as_bytes()).unwrap_err()
}

#[test]
fn a_complaint_names_the_member_and_what_it_takes() {
    let known = "(known are: name, columns, waitMs, mode, rules, env, source, shape, either)";
    let cases = [
        (r#"{}"#, "member 'name' is missing".to_owned()),
        (r#"{"name":5}"#, "member 'name': expected a string, got 5".to_owned()),
        (r#"{"name":null}"#, "member 'name': expected a string, got null".to_owned()),
        (
            r#"{"name":"x","columns":70000}"#,
            "member 'columns': expected a number from 0 to 65535, got 70000".to_owned(),
        ),
        (
            r#"{"name":"x","waitMs":"soon"}"#,
            "member 'waitMs': expected a whole number, 0 or more, got 'soon'".to_owned(),
        ),
        (
            r#"{"name":"x","waitMs":-1}"#,
            "member 'waitMs': expected a whole number, 0 or more, got -1".to_owned(),
        ),
        (
            r#"{"name":"x","mode":"fast"}"#,
            "member 'mode': expected one of default, plan; got 'fast'".to_owned(),
        ),
        (r#"{"name":"x","mode":7}"#, "member 'mode': expected one of default, plan; got 7".to_owned()),
        (
            r#"{"name":"x","rules":[{"decision":"plan"},{}]}"#,
            "member 'rules[1].decision' is missing".to_owned(),
        ),
        (r#"{"name":"x","rules":{}}"#, "member 'rules': expected a list, got an object".to_owned()),
        (r#"{"name":"x","env":{"A":[]}}"#, "member 'env.A': expected a string, got a list".to_owned()),
        (
            r#"{"name":"x","source":{"type":"ftp"}}"#,
            "member 'source.type': expected one of git, local; got 'ftp'".to_owned(),
        ),
        (r#"{"name":"x","source":{}}"#, "member 'source.type' is missing".to_owned()),
        (
            r#"{"name":"x","shape":{"circle":{"radius":"r"}}}"#,
            "member 'shape.circle.radius': expected a number, got 'r'".to_owned(),
        ),
        (
            r#"{"name":"x","shape":{"square":{}}}"#,
            "member 'shape': expected one of circle, point; got 'square'".to_owned(),
        ),
        (
            r#"{"name":"x","either":5}"#,
            "member 'either': expected one of the forms that the contract describes".to_owned(),
        ),
        (r#"{"nam":"x"}"#, format!("unknown member 'nam', did you mean 'name'? {known}")),
        (r#"{"name":"x","wait_ms":1}"#, format!("unknown member 'wait_ms', did you mean 'waitMs'? {known}")),
        (r#"{"name":"x","name":"y"}"#, "member 'name' is given more than once".to_owned()),
        (r#"{"name":"x""#, "the body is not valid JSON: it ends too early".to_owned()),
        (r#"{"name":]"#, "the body is not valid JSON: unexpected character 9 in line 1".to_owned()),
    ];
    for (json, said) in cases {
        assert_eq!(refusal(json), said, "{json}");
    }
}

#[test]
fn a_complaint_about_an_entry_names_its_member() {
    for (json, said) in [
        (r#"{"agent":"x","mcp":{"a":{"type":"local"}}}"#, "member 'mcp.a.command' is missing"),
        (r#"{"agent":"x","mcp":{"a":{"command":["y",1]}}}"#, "member 'mcp.a.command[1]' must be a text"),
        (r#"{"agent":"x","mcp":{"a":7}}"#, "member 'mcp.a': expected an object, got 7"),
        (
            r#"{"agent":"x","skills":{"a":{"sources":[{"type":"git"}]}}}"#,
            "member 'skills.a.sources[0].source' is missing",
        ),
    ] {
        assert_eq!(read::<CreateSession>(json.as_bytes()).unwrap_err(), said, "{json}");
    }
}

#[test]
fn long_input_is_quoted_in_part() {
    let long = "y".repeat(1_000_000);
    for json in [
        format!(r#"{{"name":"x","mode":"{long}"}}"#),
        format!(r#"{{"name":"x","{long}":1}}"#),
        format!(r#"{{"name":"x","waitMs":"{long}"}}"#),
        format!(r#"{{"name":"x","env":{{"{long}":1}}}}"#),
    ] {
        assert!(refusal(&json).chars().count() < 300, "{}", refusal(&json));
    }
    // Nothing but the innermost place would be of use, and the whole is bounded.
    let deep = format!(r#"{{"name":"x","env":{{"{long}":{{"{long}":1}}}}}}"#);
    assert!(refusal(&deep).chars().count() < 400);
}
