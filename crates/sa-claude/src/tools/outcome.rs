//! Results of tool calls, from the model's input and from the CLI's own data.

use super::blocks::{blocks_of, text_of};
use super::shell::Ran;
use super::{edits, mcp_parts};
use agent_client_protocol_schema::v1::{
    ContentBlock, ImageContent, ResourceLink, ToolCallContent, ToolCallLocation, ToolCallStatus,
};
use sa_acp::{Outcome, fenced, one_line, paragraph, place};
use serde_json::Value;
use std::path::Path;

/// Files that a search names, at most.
const PLACES: usize = 100;

/// The beginning of the CLI's message that the model must stop.
const REJECTED: &str = "The user doesn't want to proceed with this tool use.";

/// Members of structured results that say again what the content shows, in full.
const BULKY: [&str; 5] = ["originalFile", "originalFileContents", "original_file", "updated_file", "base64"];

/// Reads a result. `block` is the `tool_result` that the model got, `structured` the `tool_use_result` next to it: an object or
/// a list by tool, a text for a failure, absent within sub-agents.
pub(crate) fn result(
    name: &str,
    input: &Value,
    block: &Value,
    structured: Option<&Value>,
    cwd: &Path,
) -> Outcome {
    let structured = structured.unwrap_or(&Value::Null);
    let failed =
        block["is_error"] == true || structured.as_str().is_some_and(|text| text.starts_with("Error: "));
    let result = Parts { name, input, content: &block["content"], structured, cwd };
    let is_shell = matches!(name, "Bash" | "PowerShell");
    let ran = match is_shell {
        true if failed => Ran::failed(&result.said()),
        true => Ran::completed(&result.said(), structured),
        false => None,
    };
    let (content, locations) = match &ran {
        Some(ran) => (ran.content(), Vec::new()),
        None if failed => (result.complaint(), Vec::new()),
        None => result.shown(),
    };
    let id = block["tool_use_id"].as_str().unwrap_or_default();
    Outcome {
        status: if failed { ToolCallStatus::Failed } else { ToolCallStatus::Completed },
        content,
        locations,
        output: result.raw(),
        meta: ran.map(|ran| ran.meta(id)),
    }
}

type Shown = (Vec<ToolCallContent>, Vec<ToolCallLocation>);

struct Parts<'a> {
    name: &'a str,
    input: &'a Value,
    content: &'a Value,
    structured: &'a Value,
    cwd: &'a Path,
}

impl Parts<'_> {
    /// Returns the text for the model, without the marks that are meant for it alone.
    fn said(&self) -> String {
        let mut text = text_of(self.content);
        if text.trim().is_empty() {
            text = self.structured.as_str().unwrap_or_default().to_owned();
        }
        let inner = text.trim().strip_prefix("<tool_use_error>");
        let inner = inner.and_then(|text| text.strip_suffix("</tool_use_error>"));
        inner.map_or_else(|| text.clone(), str::to_owned)
    }

    fn complaint(&self) -> Vec<ToolCallContent> {
        let said = self.said();
        if said.starts_with(REJECTED) && !said.contains("the user said") {
            return vec![paragraph("It was rejected or interrupted.")];
        }
        if said.trim().is_empty() { Vec::new() } else { vec![paragraph(said)] }
    }

    /// The structured result, without what the content has in full. Without one, the model's.
    fn raw(&self) -> Value {
        let mut raw = if self.structured.is_null() { self.content.clone() } else { self.structured.clone() };
        if mcp_parts(self.name).is_none() {
            slim(&mut raw);
        }
        raw
    }

    fn shown(&self) -> Shown {
        match self.name {
            "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => self.edit(),
            "Read" | "NotebookRead" => self.read(),
            "Glob" | "Grep" | "LS" => (self.code(), self.found()),
            "BashOutput" | "TaskOutput" | "Monitor" => (self.code(), Vec::new()),
            "WebSearch" => (self.links(), Vec::new()),
            "Agent" | "Task" => (self.report(), Vec::new()),
            // The plan shows it.
            "TodoWrite" => (Vec::new(), Vec::new()),
            "AskUserQuestion" => (self.answers(), Vec::new()),
            "EnterPlanMode" => (self.only("message"), Vec::new()),
            "ExitPlanMode" => {
                let file = self.structured["filePath"].as_str().map(|path| place(path, None, self.cwd));
                (self.only("plan"), file.into_iter().collect())
            }
            _ => (self.plain(), Vec::new()),
        }
    }

    fn edit(&self) -> Shown {
        // Within a sub-agent nothing but a sentence comes back; the diff that the call showed is better.
        edits::done(self.structured, self.cwd).unwrap_or_default()
    }

    fn read(&self) -> Shown {
        let file = &self.structured["file"];
        let path = file["filePath"].as_str().or(self.input["file_path"].as_str());
        let locations = path.map(|path| place(path, file["startLine"].as_u64(), self.cwd));
        let content = match (file["content"].as_str(), file["base64"].as_str(), file["type"].as_str()) {
            (Some(text), ..) => vec![paragraph(fenced("", text))],
            (_, Some(data), Some(mime)) if mime.starts_with("image/") => {
                vec![ContentBlock::Image(ImageContent::new(data, mime)).into()]
            }
            _ => self.plain().into_iter().map(as_code).collect(),
        };
        (content, locations.into_iter().collect())
    }

    /// The result as it is.
    fn plain(&self) -> Vec<ToolCallContent> {
        let structured = &self.structured["structuredContent"];
        if mcp_parts(self.name).is_some() && structured.is_object() && self.content.is_string() {
            let json = serde_json::to_string_pretty(structured).unwrap_or_default();
            return vec![paragraph(fenced("json", &json))];
        }
        blocks_of(self.content).into_iter().map(ToolCallContent::from).collect()
    }

    /// The result as output to be read line by line.
    fn code(&self) -> Vec<ToolCallContent> {
        self.plain().into_iter().map(as_code).collect()
    }

    /// One member of the structured result, for tools whose words to the model are instructions.
    fn only(&self, key: &str) -> Vec<ToolCallContent> {
        let text = self.structured[key].as_str().filter(|text| !text.trim().is_empty());
        text.map(paragraph).into_iter().collect()
    }

    fn found(&self) -> Vec<ToolCallLocation> {
        let files = self.structured["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str);
        files.take(PLACES).map(|file| place(file, None, self.cwd)).collect()
    }

    /// A list of pages, and what was said between.
    fn links(&self) -> Vec<ToolCallContent> {
        let results = self.structured["results"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut shown: Vec<ToolCallContent> = Vec::new();
        for result in results {
            shown.extend(result.as_str().filter(|text| !text.trim().is_empty()).map(paragraph));
            for page in result["content"].as_array().into_iter().flatten() {
                let Some(url) = page["url"].as_str() else { continue };
                let title = page["title"].as_str().unwrap_or(url);
                shown.push(ContentBlock::ResourceLink(ResourceLink::new(one_line(title), url)).into());
            }
        }
        if shown.is_empty() { self.plain() } else { shown }
    }

    /// A sub-agent's report, without the notes to the model that follow it.
    fn report(&self) -> Vec<ToolCallContent> {
        match self.structured["status"].as_str() {
            Some("completed") => {
                let mut blocks = blocks_of(&self.structured["content"]);
                blocks.retain(|block| !is_note(block));
                blocks.into_iter().map(ToolCallContent::from).collect()
            }
            Some(_) => vec![paragraph("It works in the background.")],
            None => self.plain(),
        }
    }

    fn answers(&self) -> Vec<ToolCallContent> {
        let Some(answers) = self.structured["answers"].as_object() else { return self.plain() };
        let answer = |(question, answer): (&String, &Value)| {
            let answer = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
            format!("{question} — {answer}")
        };
        let lines: Vec<_> = answers.iter().map(answer).collect();
        vec![paragraph(if lines.is_empty() { "No answer.".to_owned() } else { lines.join("\n") })]
    }
}

/// Returns whether a block of a sub-agent's report is a note that the CLI put there.
fn is_note(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(text) if text.text.trim_start().starts_with("<tools-used-before-summary>"))
}

fn as_code(content: ToolCallContent) -> ToolCallContent {
    match content {
        ToolCallContent::Content(content) => match content.content {
            ContentBlock::Text(text) => paragraph(fenced("", &text.text)),
            other => other.into(),
        },
        other => other,
    }
}

/// Takes bulky members out, at any depth.
fn slim(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, _| !BULKY.contains(&key.as_str()));
            // Pictures in the model's blocks.
            if members.get("type").is_some_and(|kind| kind == "base64") {
                members.remove("data");
            }
            members.values_mut().for_each(slim);
        }
        Value::Array(items) => items.iter_mut().for_each(slim),
        _ => {}
    }
}
