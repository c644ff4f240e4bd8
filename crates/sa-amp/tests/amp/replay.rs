//! Recorded conversations with real builds of the CLI, played to the machine. Requests of the recording's program become
//! requests of a client; lines of the CLI go in as they are. The output is in the snapshots.

use crate::client::{Client, host};
use sa_acp::testing::recordings;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;

struct Replay {
    client: Client,
    thread: String,
    log: String,
}

impl Replay {
    fn play(recording: &str) -> String {
        let rows: Vec<Value> = recording.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let native = |row: &&Value| row["dir"] == "<-";
        let thread = rows.iter().find_map(|row| row["raw"]["session_id"].as_str()).unwrap_or("T-none");
        let mut replay = Self {
            client: Client::open_with(host(), thread, json!([])),
            thread: thread.to_owned(),
            log: String::new(),
        };
        let by_argument = !rows.iter().any(|row| row["dir"] == "->");
        if by_argument {
            let echo = rows
                .iter()
                .filter(native)
                .find_map(|row| row["raw"]["message"]["content"][0]["text"].as_str());
            replay.prompt(echo.unwrap_or("hello"));
        }
        for row in &rows {
            match row["dir"].as_str().unwrap() {
                "->" => {
                    let text = row["raw"]["message"]["content"][0]["text"].as_str().unwrap_or("not json");
                    replay.prompt(text);
                }
                "<-" => replay.read(&row["raw"]),
                "--" => replay.ends(&row["raw"]["exit"]),
                _ => {}
            }
        }
        replay.log
    }

    fn prompt(&mut self, text: &str) {
        let messages = self.client.prompt_in(&self.thread.clone(), text);
        let written = self.client.written();
        self.tell("the client prompts", &messages);
        for line in written {
            writeln!(self.log, "  to the CLI: {line}").unwrap();
        }
    }

    /// The CLI wrote this. A recording in which a helper was asked has it asked here, too.
    fn read(&mut self, line: &Value) {
        let kind = line["type"].as_str().unwrap_or("text").to_owned();
        if line.as_str().is_some_and(|text| text.trim().is_empty()) {
            return;
        }
        if line["error"].as_str().is_some_and(|error| error.starts_with("User cancelled")) {
            let messages = self.client.cancel_in(&self.thread.clone());
            self.tell("the client cancels", &messages);
        }
        let messages = self.client.native(line);
        self.tell(&format!("the CLI writes {kind}"), &messages);
    }

    fn ends(&mut self, exit: &Value) {
        let code = exit.as_i64().and_then(|code| i32::try_from(code).ok());
        let signal = code.is_none().then_some(9);
        let messages = self.client.exit(code, signal, "");
        self.tell("the CLI ends", &messages);
    }

    fn tell(&mut self, what: &str, messages: &[Value]) {
        writeln!(self.log, "{what}").unwrap();
        for message in messages {
            let text = match message["method"].as_str() {
                Some("session/update") => message["params"]["update"].to_string(),
                _ => message.to_string(),
            };
            writeln!(self.log, "  {text}").unwrap();
        }
    }
}

#[test]
fn recordings_become_what_is_in_the_snapshots() {
    let files = recordings(env!("CARGO_MANIFEST_DIR"), "captures");
    assert_eq!(files.len(), 23, "a recording more or less");
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_suffix => "", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, Replay::play(&fs::read_to_string(&file).unwrap()));
        });
    }
}
