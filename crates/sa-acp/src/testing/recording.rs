//! Recorded conversations, and how what comes of them is written down.

use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The recordings of a crate in a folder of its fixtures, in the order of their names.
pub fn recordings(manifest_dir: &str, folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(manifest_dir).join("tests/fixtures").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The result of a recording, line by line.
#[derive(Debug, Default)]
pub struct Log(pub String);

impl Log {
    /// Returns what is done next.
    pub fn title(&mut self, title: &str) {
        if !title.is_empty() {
            writeln!(self.0, "# {title}").unwrap();
        }
    }

    /// Returns what the agent said, as [`describe`] has it. Pieces of one message stand on one line.
    pub fn said(&mut self, line: &str) {
        match line.split_once(" += ") {
            Some((start, piece)) if self.0.lines().last().is_some_and(|last| last.starts_with(start)) => {
                self.0.truncate(self.0.trim_end().len());
                writeln!(self.0, "|{piece}").unwrap();
            }
            Some((start, piece)) => writeln!(self.0, "{start} {piece}").unwrap(),
            None => writeln!(self.0, "{line}").unwrap(),
        }
    }

    /// Returns what was written to the process.
    pub fn wrote(&mut self, what: &str) {
        writeln!(self.0, "  > {what}").unwrap();
    }
}

/// A message of the agent in one line: what is the same in all of them is left out, and so are long lists that other tests
/// look at.
pub fn describe(message: &Value) -> String {
    let update = &message["params"]["update"];
    match (message["method"].as_str(), update["sessionUpdate"].as_str()) {
        (_, Some(kind @ ("agent_message_chunk" | "agent_thought_chunk"))) => {
            let text = update["content"]["text"].to_string();
            format!("{kind} {} += {}", update["messageId"], shorten(&text))
        }
        (_, Some(kind @ ("available_commands_update" | "config_option_update"))) => kind.to_owned(),
        (_, Some(kind)) => {
            let mut update = update.clone();
            update.as_object_mut().unwrap().shift_remove("sessionUpdate");
            format!("{kind} {}", shorten(&update.to_string()))
        }
        (Some(method), None) => {
            let mut params = message["params"].clone();
            params.as_object_mut().unwrap().shift_remove("sessionId");
            format!("{method} {}", shorten(&params.to_string()))
        }
        (None, None) => {
            let mut result = message["result"].clone();
            if let Some(result) = result.as_object_mut() {
                result.shift_remove("modes");
                result.shift_remove("configOptions");
            }
            match message.get("error") {
                Some(error) => format!("error {error}"),
                None => format!("result {result}"),
            }
        }
    }
}

/// Long texts are the same in every run; their beginning and their length say enough.
pub fn shorten(text: &str) -> String {
    let count = text.chars().count();
    if count <= 900 {
        return text.to_owned();
    }
    format!("{}… ({count} characters)", text.chars().take(900).collect::<String>())
}
