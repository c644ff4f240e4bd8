//! Real transcripts of two versions of the CLI, and ones that are broken in ways that happen.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::store::slug;
use super::{TranscriptError, delete, list, read};
use crate::tools::tests::checked;
use agent_client_protocol_schema::v1::SessionUpdate;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const ID: &str = "00000000-0000-4000-8000-000000000001";

/// A folder like the CLI's own.
struct Config(TempDir);

impl Config {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Puts a transcript where the CLI keeps those of `cwd`.
    fn keep(&self, cwd: &str, id: &str, text: &[u8]) -> PathBuf {
        let folder = self.path().join("projects").join(slug(Path::new(cwd)));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{id}.jsonl"));
        fs::write(&path, text).unwrap();
        path
    }

    fn lines(&self, lines: &[Value]) -> PathBuf {
        let text: Vec<_> = lines.iter().map(Value::to_string).collect();
        self.keep("/project", ID, text.join("\n").as_bytes())
    }

    fn read(&self) -> Vec<String> {
        told(&read(self.path(), ID, Path::new("/project")).unwrap())
    }
}

fn id(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// A line with its place in the tree; 0 is no parent.
fn line(number: u32, parent: u32, kind: &str, content: impl Into<Value>) -> Value {
    let parent = if parent == 0 { Value::Null } else { id(parent).into() };
    json!({
        "type": kind, "uuid": id(number), "parentUuid": parent, "cwd": "/project",
        "message": { "role": kind, "id": format!("msg_{number}"), "content": content.into() },
    })
}

fn said(number: u32, parent: u32, words: &str) -> Value {
    line(number, parent, "user", words)
}

fn answered(number: u32, parent: u32, words: &str) -> Value {
    line(number, parent, "assistant", json!([{ "type": "text", "text": words }]))
}

fn used(number: u32, parent: u32, tool: &str) -> Value {
    let input = json!({ "command": tool });
    line(
        number,
        parent,
        "assistant",
        json!([{ "type": "tool_use", "id": tool, "name": "Bash", "input": input }]),
    )
}

fn gave(number: u32, parent: u32, tool: &str) -> Value {
    line(number, parent, "user", json!([{ "type": "tool_result", "tool_use_id": tool, "content": tool }]))
}

/// Updates in short, one line each.
fn told(updates: &[SessionUpdate]) -> Vec<String> {
    let short = |update: &SessionUpdate| {
        let value = checked(update);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let content = &value["content"];
        match value["sessionUpdate"].as_str().unwrap() {
            "user_message_chunk" => {
                format!("user: {}", text(&content["text"]).unwrap_or_else(|| "<image>".into()))
            }
            "agent_message_chunk" => format!("agent: {}", text(&content["text"]).unwrap()),
            "agent_thought_chunk" => format!("thought: {}", text(&content["text"]).unwrap()),
            "tool_call" => format!("call {}", text(&value["title"]).unwrap()),
            "tool_call_update" => format!("  {} {}", text(&value["status"]).unwrap(), shown(content)),
            "plan" => format!("plan {}", value["entries"]),
            other => other.to_owned(),
        }
    };
    updates.iter().map(short).collect()
}

fn shown(content: &Value) -> String {
    let item = |item: &Value| match item["type"].as_str().unwrap() {
        "diff" => format!("{:?} -> {:?}", item["oldText"].as_str(), item["newText"].as_str().unwrap()),
        _ => format!("{:?}", item["content"]["text"].as_str().unwrap_or("<image>")),
    };
    content.as_array().map(|items| items.iter().map(item).collect::<Vec<_>>().join(", ")).unwrap_or_default()
}

#[test]
fn real_transcripts_are_told_again() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/transcripts");
    let mut report = String::new();
    for version in ["2.1.197", "2.1.325"] {
        for name in ["tools", "talk", "agents", "compact", "interrupted", "killed"] {
            let text = fs::read_to_string(fixtures.join(version).join(format!("{name}.jsonl"))).unwrap();
            // The prompts hold the script for the model; nobody wants to read it twice.
            let config = Config::new();
            config.keep("/project", ID, text.as_bytes());
            report.push_str(&format!("# {version} {name}\n"));
            for line in config.read() {
                let line =
                    line.split_once("SCRIPT: ").map_or(line.clone(), |(before, _)| format!("{before}SCRIPT"));
                report.push_str(&format!("{line}\n"));
            }
        }
    }
    insta::assert_snapshot!(report);
}

#[test]
fn the_branch_that_ends_last_is_told() {
    let config = Config::new();
    config.lines(&[
        said(1, 0, "one"),
        answered(2, 1, "first answer"),
        answered(3, 1, "second answer"),
        said(4, 3, "two"),
        said(5, 2, "off the branch"),
        answered(6, 4, "end"),
    ]);
    assert_eq!(config.read(), ["user: one", "agent: second answer", "user: two", "agent: end"]);
}

#[test]
fn calls_that_ran_side_by_side_all_have_their_result() {
    let config = Config::new();
    config.lines(&[
        said(1, 0, "go"),
        used(2, 1, "a"),
        used(3, 2, "b"),
        gave(4, 2, "a"),
        gave(5, 3, "b"),
        answered(6, 5, "done"),
    ]);
    let text = |tool: &str| format!("  completed \"```console\\n{tool}\\n```\"");
    assert_eq!(config.read(), ["user: go", "call a", "call b", &text("a"), &text("b"), "agent: done"]);
}

#[test]
fn a_call_that_never_ended_is_closed() {
    let config = Config::new();
    config.lines(&[said(1, 0, "go"), used(2, 1, "a")]);
    assert_eq!(config.read(), ["user: go", "call a", "  failed \"It was not heard of again.\""]);
}

#[test]
fn what_nobody_said_is_left_out() {
    let flagged = |number: u32, flag: &str| {
        let mut line = said(number, number - 1, "hidden");
        line[flag] = json!(true);
        line
    };
    let mut error = answered(6, 5, "API Error: 500");
    error["isApiErrorMessage"] = json!(true);
    let config = Config::new();
    config.lines(&[
        said(1, 0, "<command-name>/model</command-name><command-args>x</command-args>"),
        said(2, 1, "<local-command-stdout>Set model to x</local-command-stdout>"),
        flagged(3, "isMeta"),
        flagged(4, "isCompactSummary"),
        flagged(5, "isSidechain"),
        error,
        said(7, 6, "[Request interrupted by user]"),
        said(8, 7, "seen"),
    ]);
    assert_eq!(config.read(), ["user: seen"]);
}

#[test]
fn broken_lines_cost_only_themselves() {
    let config = Config::new();
    let whole = [said(1, 0, "one"), answered(2, 1, "lost"), said(3, 2, "three")].map(|line| line.to_string());
    let [one, two, three] = whole;
    let cut: String = two.chars().take(60).collect();
    let mut text = format!("\n{one}\n{cut}\n[]\n\"x\"\n").into_bytes();
    text.extend_from_slice(b"\xff\xfe\x00\n");
    text.extend_from_slice(three.as_bytes());
    config.keep("/project", ID, &text);
    assert_eq!(config.read(), ["user: one", "user: three"]);
}

#[test]
fn circles_end() {
    let config = Config::new();
    config.lines(&[said(1, 2, "one"), said(2, 1, "two")]);
    assert_eq!(config.read(), ["user: one", "user: two"]);
}

#[test]
fn of_a_very_long_conversation_the_end_is_told() {
    let config = Config::new();
    let words = "x".repeat(1 << 20);
    let lines: Vec<_> =
        (1..=40).map(|number| said(number, number - 1, &format!("{number} {words}"))).collect();
    config.lines(&lines);
    let updates = config.read();
    assert!(updates.len() < 34, "{}", updates.len());
    assert!(updates[0].starts_with("agent: [The beginning"));
    assert!(updates[updates.len() - 1].starts_with("user: 40 x"));
}

#[test]
fn a_session_is_found_from_another_folder_and_by_no_other_name() {
    let config = Config::new();
    config.lines(&[said(1, 0, "one")]);
    assert_eq!(read(config.path(), ID, Path::new("/elsewhere")).unwrap().len(), 1);
    for id in [&id(2), "", "..", "../-project/00000000-0000-4000-8000-000000000001"] {
        assert!(matches!(read(config.path(), id, Path::new("/")), Err(TranscriptError::NotFound)), "{id}");
    }
}

#[test]
fn folders_are_named_as_the_cli_names_them() {
    assert_eq!(slug(Path::new("/home/user/my_app.2")), "-home-user-my-app-2");
    // As both 2.1.197 and 2.1.325 named it.
    let deep = format!("/srv/sample{}", "/deep folder ä😀x".repeat(16));
    let name = slug(Path::new(&deep));
    assert!(name.starts_with("-srv-sample-deep-folder----x-deep-folder----x"), "{name}");
    assert!(name.ends_with("----x-d-7aj6j3") && name.len() == 207, "{name}");
}

fn touch(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn sessions_are_listed_latest_first() {
    let config = Config::new();
    let cwd = |mut line: Value, cwd: &str| {
        line["cwd"] = cwd.into();
        line.to_string()
    };
    let named = json!({ "type": "custom-title", "customTitle": "A name", "sessionId": id(2) });
    let text = format!("{}\n{named}\n", cwd(said(1, 0, "first words"), "/project"));
    touch(&config.keep("/project", &id(2), text.as_bytes()), 2000);
    touch(&config.keep("/project", &id(3), cwd(said(1, 0, "more\nwords"), "/project").as_bytes()), 3000);
    touch(&config.keep("/other", &id(4), cwd(said(1, 0, "elsewhere"), "/other").as_bytes()), 1000);
    // The same name of a folder, but not the same folder.
    touch(&config.keep("/pro-ject", &id(5), cwd(said(1, 0, "near"), "/pro/ject").as_bytes()), 500);
    // Nothing was said in these.
    config.keep("/project", &id(6), b"{\"type\":\"mode\",\"mode\":\"normal\"}\n");
    config.keep("/project", "agent-1", cwd(said(1, 0, "sub-agent"), "/project").as_bytes());

    let all = |cwd: Option<&str>| {
        let page = list(config.path(), cwd.map(Path::new), None).unwrap();
        assert_eq!(page.next, None);
        let short = |info: agent_client_protocol_schema::v1::SessionInfo| {
            format!("{} {} {}", info.cwd.display(), info.title.unwrap(), info.updated_at.unwrap())
        };
        page.sessions.into_iter().map(short).collect::<Vec<_>>()
    };
    assert_eq!(
        all(None),
        [
            "/project more… 1970-01-01T00:50:00.000Z",
            "/project A name 1970-01-01T00:33:20.000Z",
            "/other elsewhere 1970-01-01T00:16:40.000Z",
            "/pro/ject near 1970-01-01T00:08:20.000Z",
        ]
    );
    assert_eq!(all(Some("/other")), ["/other elsewhere 1970-01-01T00:16:40.000Z"]);
    assert_eq!(all(Some("/pro-ject")), [""; 0]);
    assert_eq!(all(Some("/nowhere")), [""; 0]);
}

#[test]
fn lists_come_in_pages() {
    let config = Config::new();
    for number in 1..=120_u32 {
        let text = said(1, 0, "words").to_string();
        // Many at once: their order is by id, then.
        touch(&config.keep("/project", &id(number), text.as_bytes()), u64::from(number / 7));
    }
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    let mut pages = 0;
    loop {
        let page = list(config.path(), None, cursor.as_deref()).unwrap();
        assert!(page.sessions.len() <= 50);
        seen.extend(page.sessions.into_iter().map(|info| info.session_id.to_string()));
        pages += 1;
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((pages, seen.len()), (3, 120));
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 120);
    assert!(matches!(list(config.path(), None, Some("nonsense")), Err(TranscriptError::BadCursor)));
    assert!(list(&config.path().join("nowhere"), None, None).unwrap().sessions.is_empty());
}

#[test]
fn a_deleted_session_is_gone_with_all_it_had() {
    let config = Config::new();
    let path = config.lines(&[said(1, 0, "one")]);
    let other = config.keep("/project", &id(2), said(1, 0, "other").to_string().as_bytes());
    fs::create_dir_all(path.with_extension("").join("subagents")).unwrap();
    fs::create_dir_all(config.path().join("tasks").join(ID)).unwrap();
    delete(config.path(), ID).unwrap();
    assert!(
        !path.exists() && !path.with_extension("").exists() && !config.path().join("tasks").join(ID).exists()
    );
    assert!(other.exists());
    delete(config.path(), ID).unwrap();
    delete(config.path(), "..").unwrap();
    assert!(other.exists());
}
