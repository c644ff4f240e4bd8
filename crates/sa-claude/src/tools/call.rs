//! What a tool call is about, from its name and its input.

use super::{edits, mcp_parts};
use agent_client_protocol_schema::v1::{ToolCallContent, ToolCallLocation, ToolKind};
use sa_acp::{Described, absolute, fenced, fits_one_line, humanised, one_line, paragraph, place, shown};
use serde_json::Value;
use std::path::Path;

/// Describes a call. Input that is missing or of another shape than expected only makes the description poorer: models send
/// what they like, and while a call is streamed its input is empty.
pub(crate) fn call(name: &str, input: &Value, cwd: &Path) -> Described {
    let call = Call { name, input, cwd };
    match name {
        "Read" | "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | "NotebookRead" | "LS" => call.file(),
        "Bash" | "PowerShell" | "Monitor" | "BashOutput" | "TaskOutput" | "KillShell" | "KillBash"
        | "TaskStop" => call.command(),
        "Glob" | "Grep" | "ToolSearch" | "LSP" => call.search(),
        "WebFetch" | "WebSearch" => call.web(),
        "Agent" | "Task" => call.agent(),
        "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" => call.list(),
        "AskUserQuestion" => call.question(),
        "EnterPlanMode" | "ExitPlanMode" => call.mode(),
        _ => call.other(),
    }
}

struct Call<'a> {
    name: &'a str,
    input: &'a Value,
    cwd: &'a Path,
}

impl<'a> Call<'a> {
    fn described(&self, kind: ToolKind, title: impl Into<String>) -> Described {
        Described::new(self.name, kind, title, self.input.clone())
    }

    /// A member of the input that says something.
    fn text(&self, key: &str) -> Option<&'a str> {
        self.input[key].as_str().filter(|text| !text.trim().is_empty())
    }

    /// Text of the input as content.
    fn paragraphs(&self, key: &str) -> Vec<ToolCallContent> {
        self.text(key).map(paragraph).into_iter().collect()
    }

    fn file(&self) -> Described {
        let keys = ["file_path", "notebook_path", "path"];
        let path = keys.iter().find_map(|key| self.text(key));
        let (kind, verb) = match self.name {
            "Read" | "NotebookRead" => (ToolKind::Read, "Read"),
            "LS" => (ToolKind::Search, "List"),
            "Write" => (ToolKind::Edit, "Write"),
            _ => (ToolKind::Edit, "Edit"),
        };
        let Some(path) = path else { return self.described(kind, format!("{verb} file")) };
        let content = match self.name {
            "Write" => self.input["content"]
                .as_str()
                .map(|content| edits::written(path, content, self.cwd))
                .into_iter()
                .collect(),
            "Edit" => edits::asked(path, std::iter::once(self.input), self.cwd),
            "MultiEdit" => edits::asked(path, self.input["edits"].as_array().into_iter().flatten(), self.cwd),
            "NotebookEdit" => {
                let language = if self.input["cell_type"] == "markdown" { "markdown" } else { "" };
                self.text("new_source")
                    .map(|source| paragraph(fenced(language, source)))
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        };
        let title = format!("{verb} {}{}", shown(path, self.cwd), self.range());
        let locations = vec![place(path, self.input["offset"].as_u64(), self.cwd)];
        Described { locations, content, ..self.described(kind, title) }
    }

    /// Returns which lines of a file are read, if not all.
    fn range(&self) -> String {
        let offset = self.input["offset"].as_u64().filter(|_| self.name == "Read");
        let limit = self.input["limit"].as_u64().filter(|limit| self.name == "Read" && *limit > 0);
        let first = offset.unwrap_or(1).max(1);
        match (offset, limit) {
            (None, None) => String::new(),
            (_, Some(limit)) => format!(" ({first}–{})", first.saturating_add(limit - 1)),
            (_, None) => format!(" (from line {first})"),
        }
    }

    fn command(&self) -> Described {
        let id = ["task_id", "shell_id", "bash_id"].iter().find_map(|key| self.text(key)).map(one_line);
        let id = id.map(|id| format!(" {id}")).unwrap_or_default();
        match self.name {
            "BashOutput" | "TaskOutput" => {
                self.described(ToolKind::Execute, format!("Look at the output of task{id}"))
            }
            "KillShell" | "KillBash" | "TaskStop" => {
                self.described(ToolKind::Execute, format!("Stop task{id}"))
            }
            _ => {
                let command = self.text("command");
                let title = command.or(self.text("description")).map(one_line);
                let mut content = self.paragraphs("description");
                // People consent to what they read here, so a command that the title cuts is told whole.
                content.extend(
                    command
                        .filter(|command| !fits_one_line(command))
                        .map(|command| paragraph(fenced("sh", command))),
                );
                Described {
                    content,
                    ..self.described(ToolKind::Execute, title.unwrap_or_else(|| "Run a command".to_owned()))
                }
            }
        }
    }

    fn search(&self) -> Described {
        let pattern = ["pattern", "query", "operation"].iter().find_map(|key| self.text(key));
        let path = self.text("path").or(self.text("filePath"));
        let mut title = match (self.name, pattern) {
            ("Glob", Some(pattern)) => format!("Find `{}`", one_line(pattern)),
            ("Glob", None) => "Find files".to_owned(),
            ("ToolSearch", Some(query)) => format!("Search tools for `{}`", one_line(query)),
            ("LSP", Some(operation)) => humanised(operation),
            (_, Some(pattern)) => format!("Search for `{}`", one_line(pattern)),
            (_, None) => "Search".to_owned(),
        };
        if let Some(path) = path.filter(|path| absolute(path, self.cwd) != self.cwd) {
            title = format!("{title} in {}", shown(path, self.cwd));
        }
        if let Some(only) = self.text("glob").or(self.text("type")) {
            title = format!("{title} ({})", one_line(only));
        }
        let locations = path.map(|path| place(path, self.input["line"].as_u64(), self.cwd));
        Described { locations: locations.into_iter().collect(), ..self.described(ToolKind::Search, title) }
    }

    fn web(&self) -> Described {
        let title = match (self.text("url"), self.text("query")) {
            (Some(url), _) => format!("Fetch {}", one_line(url)),
            (None, Some(query)) => format!("Search the web for “{}”", one_line(query)),
            (None, None) => humanised(self.name),
        };
        Described { content: self.paragraphs("prompt"), ..self.described(ToolKind::Fetch, title) }
    }

    fn agent(&self) -> Described {
        let keys = ["description", "subagent_type", "prompt"];
        let title = keys.iter().find_map(|key| self.text(key)).map(one_line);
        Described {
            content: self.paragraphs("prompt"),
            ..self.described(ToolKind::Think, title.unwrap_or_else(|| "Delegate work".to_owned()))
        }
    }

    fn list(&self) -> Described {
        let subject = self.text("subject").map(one_line);
        let id = match &self.input["taskId"] {
            Value::String(id) => format!(" {}", one_line(id)),
            Value::Number(id) => format!(" {id}"),
            _ => String::new(),
        };
        let title = match (self.name, subject, self.text("status")) {
            ("TodoWrite", ..) => "Update the to-do list".to_owned(),
            ("TaskList", ..) => "Look at the task list".to_owned(),
            ("TaskGet", ..) => format!("Look at task{id}"),
            ("TaskCreate", Some(subject), _) => format!("Add task: {subject}"),
            ("TaskCreate", None, _) => "Add a task".to_owned(),
            (_, Some(subject), _) => format!("Update task{id}: {subject}"),
            (_, None, Some(status)) => format!("Mark task{id} as {}", one_line(&status.replace('_', " "))),
            (_, None, None) => format!("Update task{id}"),
        };
        Described { content: self.paragraphs("description"), ..self.described(ToolKind::Think, title) }
    }

    fn question(&self) -> Described {
        let questions = self.input["questions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let asked: Vec<_> = questions
            .iter()
            .filter_map(|question| Some((question["question"].as_str()?, question)))
            .collect();
        let title = match asked.as_slice() {
            [] => "Ask a question".to_owned(),
            [(question, _)] => one_line(question),
            several => format!("Ask {} questions", several.len()),
        };
        let content = asked.iter().map(|(words, question)| paragraph(choices(words, &question["options"])));
        Described { content: content.collect(), ..self.described(ToolKind::Other, title) }
    }

    fn mode(&self) -> Described {
        if self.name == "EnterPlanMode" {
            return self.described(ToolKind::SwitchMode, "Enter plan mode");
        }
        let path = self.text("planFilePath");
        let locations: Vec<ToolCallLocation> =
            path.map(|path| place(path, None, self.cwd)).into_iter().collect();
        let content = self.paragraphs("plan");
        Described { locations, content, ..self.described(ToolKind::SwitchMode, "Leave plan mode") }
    }

    fn other(&self) -> Described {
        if let Some((server, tool)) = mcp_parts(self.name) {
            return self.described(ToolKind::Other, format!("{} ({})", one_line(tool), one_line(server)));
        }
        let keys = ["description", "title", "subject", "message", "query", "name"];
        let (kind, verb, what) = match self.name {
            "Skill" => (ToolKind::Other, "Use skill".to_owned(), self.text("skill").or(self.text("command"))),
            "SlashCommand" => (ToolKind::Other, "Run".to_owned(), self.text("command")),
            "ListMcpResources" => (ToolKind::Read, "List MCP resources of".to_owned(), self.text("server")),
            "ReadMcpResource" | "ReadMcpResourceDir" => (ToolKind::Read, "Read".to_owned(), self.text("uri")),
            name => {
                (ToolKind::Other, format!("{}:", humanised(name)), keys.iter().find_map(|key| self.text(key)))
            }
        };
        let title = what.map(|what| one_line(&format!("{verb} {what}")));
        self.described(kind, title.unwrap_or_else(|| humanised(self.name)))
    }
}

/// A question with its options as a list.
fn choices(question: &str, options: &Value) -> String {
    let mut text = question.to_owned();
    for option in options.as_array().into_iter().flatten() {
        let Some(label) = option["label"].as_str() else { continue };
        text.push_str("\n- ");
        text.push_str(label);
        if let Some(description) = option["description"].as_str().filter(|words| !words.is_empty()) {
            text.push_str(": ");
            text.push_str(description);
        }
    }
    text
}
