//! A session's events as lines. Lines that are final are taken once; what is still changing can be looked at any time.

mod events;

use crate::clean::clean;
use crate::markdown::Markdown;
use crate::style::{Color, Line, Span, Style};
use crate::tool::{Tool, indented, preview};
use crate::wording::Explanation;
use crate::wrap::{Break, Margin, wrap};
use sa_api::sessions::{DeltaKind, MessageDelta, MessagePart, PermissionRequest, Plan, QuestionRequest};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Lines of a thought that are shown.
const THOUGHT_LINES: usize = 3;

/// The way in which the agent's text is shown.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum TextMode {
    /// As lines, with its Markdown rendered. For terminals.
    #[default]
    Rendered,
    /// As it is, apart from the other lines. For pipes and files.
    Verbatim,
}

/// A session as it is seen.
#[derive(Debug, Default)]
pub struct SessionView {
    agent: String,
    /// Variable that takes a key for the agent, named when it is not logged in.
    key_variable: Option<String>,
    mode: TextMode,
    width: usize,
    done: Vec<Line>,
    verbatim: String,
    writing: Option<Writing>,
    /// Messages of which pieces were shown.
    streamed: HashMap<String, HashSet<TextKind>>,
    tools: Vec<Tool>,
    ended_tools: HashSet<String>,
    /// Nesting of each tool call that other messages belong to.
    depths: HashMap<String, usize>,
    plan: Option<Plan>,
    turn_began: Option<u64>,
    /// Titles of the open permission requests.
    permissions: HashMap<String, String>,
    last: Block,
}

/// The kind of block that was shown last. Blocks of different kinds have a blank line between them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Block {
    #[default]
    Nothing,
    Text,
    Tool,
    Note,
}

/// The kinds of text that a message is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum TextKind {
    Text,
    Reasoning,
}

/// A text that is being written.
#[derive(Debug)]
struct Writing {
    message_id: String,
    kind: TextKind,
    depth: usize,
    markdown: Markdown,
    /// The text of a thought.
    thought: String,
}

impl SessionView {
    /// A view of a session of `agent`, wrapped to so many columns.
    pub fn new(agent: &str, key_variable: Option<&str>, mode: TextMode, width: usize) -> Self {
        Self {
            agent: agent.to_owned(),
            key_variable: key_variable.map(str::to_owned),
            mode,
            width,
            ..Self::default()
        }
    }

    /// Changes the width, for what comes from now on.
    pub fn set_width(&mut self, width: usize) {
        self.width = width;
        if let Some(writing) = &mut self.writing {
            writing.markdown.set_width(width.saturating_sub(2 * writing.depth));
        }
    }

    /// Takes the lines that are final.
    pub fn take_lines(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.done)
    }

    /// Takes the text that is to be written as it is.
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.verbatim)
    }

    /// The part that is still changing: the text that is being written and the tools that run.
    pub fn live(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        if let Some(writing) = &self.writing {
            lines.extend(match writing.kind {
                TextKind::Text => indented(writing.markdown.unfinished(), writing.depth),
                TextKind::Reasoning => self.thought(&writing.thought, writing.depth),
            });
        }
        for tool in &self.tools {
            if lines.is_empty() && self.last == Block::Text {
                lines.push(Line::new());
            }
            lines.extend(tool.running(self.width));
        }
        lines
    }

    /// Shows the parts of a message of the agent, or of its newest state.
    pub fn show_parts(&mut self, id: &str, parts: &[MessagePart], metadata: &Map<String, Value>) {
        let depth = self.enter(metadata.get("parentId").and_then(Value::as_str));
        if self.writing.as_ref().is_some_and(|writing| writing.message_id == id) {
            self.finish_text();
        }
        let streamed = self.streamed.entry(id.to_owned()).or_default().clone();
        for part in parts {
            match part {
                MessagePart::Text { text } if !streamed.contains(&TextKind::Text) => {
                    self.write(id, TextKind::Text, depth, text);
                }
                MessagePart::Reasoning { text } if !streamed.contains(&TextKind::Reasoning) => {
                    self.write(id, TextKind::Reasoning, depth, text);
                }
                MessagePart::ToolCall { id: call, .. } | MessagePart::ToolResult { id: call, .. } => {
                    self.on_tool(call, id, depth, part, metadata);
                }
                MessagePart::Error { message } => {
                    self.explain(&Explanation { what: message.clone(), next: None });
                }
                MessagePart::Image { mime_type, alt, .. } => {
                    let what = alt.clone().unwrap_or_else(|| mime_type.clone());
                    self.note(&format!("image: {what}"));
                }
                MessagePart::File { path, name, .. } => {
                    let what = path.as_ref().or(name.as_ref()).cloned().unwrap_or_default();
                    self.note(&format!("file: {what}"));
                }
                MessagePart::FunctionCall { name, .. } => self.note(&format!("calls the function {name}")),
                _ => {}
            }
        }
        if self.writing.as_ref().is_some_and(|writing| writing.message_id == id) {
            self.finish_text();
        }
        self.end_finished_tools();
    }

    /// Shows a message of the user.
    pub fn show_user(&mut self, text: &str) {
        self.begin(Block::Text);
        self.wrap(Line::styled("› ", Style::of(Color::Cyan).bold()), text.trim_end(), Style::BOLD);
    }

    /// Shows a remark that does not come from the agent.
    pub fn note(&mut self, text: &str) {
        self.begin(Block::Note);
        self.wrap(Line::styled("· ", Style::DIM), text.trim_end(), Style::DIM);
    }

    /// Shows a failure.
    pub fn explain(&mut self, explanation: &Explanation) {
        self.begin(Block::Note);
        for line in explanation.lines() {
            let margin = Margin { first: Line::new(), rest: Line::plain("  ") };
            self.done.extend(wrap(line.spans(), self.width, &margin, Break::Words));
        }
    }

    /// The lines that ask for a permission.
    pub fn permission(&self, request: &PermissionRequest) -> Vec<Line> {
        let question = Line::styled("? ", Style::of(Color::Yellow).bold()).with("Allow ", Style::BOLD);
        let title = request.title.replace('`', "");
        let mut lines = vec![question.with(title.trim(), Style::BOLD).fit(self.width)];
        lines.extend(preview(request.kind, request.input.as_ref(), &request.parts, self.width));
        lines
    }

    /// The introduction of a request for answers.
    pub fn introduction(&self, request: &QuestionRequest) -> Vec<Line> {
        let Some(message) = &request.message else { return Vec::new() };
        Markdown::render(message, self.width)
    }

    fn on_delta(&mut self, delta: &MessageDelta) {
        let depth = self.enter(delta.parent_id.as_deref());
        let kind = match delta.kind {
            DeltaKind::Text => TextKind::Text,
            DeltaKind::Reasoning => TextKind::Reasoning,
            DeltaKind::Output => {
                if let Some(tool) = self.tools.iter_mut().find(|tool| tool.message_id == delta.message_id) {
                    tool.push_output(&delta.text);
                }
                return;
            }
        };
        self.streamed.entry(delta.message_id.clone()).or_default().insert(kind);
        self.write(&delta.message_id, kind, depth, &delta.text);
    }

    fn write(&mut self, id: &str, kind: TextKind, depth: usize, text: &str) {
        let continues =
            self.writing.as_ref().is_some_and(|writing| writing.message_id == id && writing.kind == kind);
        if !continues {
            self.finish_text();
            if self.mode == TextMode::Rendered {
                self.begin(Block::Text);
            }
            let markdown = Markdown::new(self.width.saturating_sub(2 * depth));
            let (message_id, thought) = (id.to_owned(), String::new());
            self.writing = Some(Writing { message_id, kind, depth, markdown, thought });
        }
        // The text of sub-agents is not the answer.
        if self.mode == TextMode::Verbatim {
            if kind == TextKind::Text && depth == 0 {
                self.verbatim.push_str(&clean(text));
            }
            return;
        }
        let Some(writing) = &mut self.writing else { return };
        match kind {
            TextKind::Text => {
                let lines = writing.markdown.push(text);
                self.done.extend(indented(lines, depth));
            }
            TextKind::Reasoning => writing.thought.push_str(text),
        }
    }

    fn finish_text(&mut self) {
        let Some(mut writing) = self.writing.take() else { return };
        if self.mode == TextMode::Verbatim {
            if writing.kind == TextKind::Text && writing.depth == 0 {
                self.verbatim.push('\n');
            }
            return;
        }
        let lines = match writing.kind {
            TextKind::Text => indented(writing.markdown.finish(), writing.depth),
            TextKind::Reasoning => self.thought(&writing.thought, writing.depth),
        };
        self.done.extend(lines);
        self.last = Block::Text;
    }

    fn thought(&self, text: &str, depth: usize) -> Vec<Line> {
        let style = Style { italic: true, ..Style::DIM };
        let margin = Margin::hanging(Line::styled("✻ ", Style::DIM));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let width = self.width.saturating_sub(2 * depth);
        let mut lines = wrap(&[Span::new(&text, style)], width, &margin, Break::Words);
        if lines.len() > THOUGHT_LINES {
            lines.truncate(THOUGHT_LINES);
            if let Some(last) = lines.pop() {
                lines.push(last.with(" …", Style::DIM).fit(width));
            }
        }
        indented(lines, depth)
    }

    fn on_tool(
        &mut self,
        call: &str,
        message_id: &str,
        depth: usize,
        part: &MessagePart,
        metadata: &Map<String, Value>,
    ) {
        if self.ended_tools.contains(call) {
            return;
        }
        self.depths.insert(call.to_owned(), depth);
        let index = self.tools.iter().position(|tool| tool.id == call).unwrap_or_else(|| {
            self.finish_text();
            self.tools.push(Tool::new(call, message_id, depth));
            self.tools.len() - 1
        });
        if let Some(tool) = self.tools.get_mut(index) {
            tool.update(part, metadata);
        }
    }

    fn end_finished_tools(&mut self) {
        let (ended, running) = std::mem::take(&mut self.tools).into_iter().partition(Tool::has_ended);
        self.tools = running;
        self.print_tools(ended);
    }

    fn print_tools(&mut self, tools: Vec<Tool>) {
        for tool in tools {
            let lines = tool.ended(self.width);
            if !lines.is_empty() {
                self.begin(Block::Tool);
                self.done.extend(lines);
            }
            self.ended_tools.insert(tool.id);
        }
    }

    /// Returns the nesting of what belongs to a tool call, whose heading comes first.
    fn enter(&mut self, parent: Option<&str>) -> usize {
        let Some(parent) = parent else { return 0 };
        let heading = self.tools.iter_mut().find(|tool| tool.id == parent);
        if let Some(lines) = heading.and_then(|tool| tool.announce(self.width)) {
            self.begin(Block::Tool);
            self.done.extend(lines);
        }
        self.depths.get(parent).map_or(1, |depth| depth + 1)
    }

    /// Adds a text behind a mark; its further lines are as far from the margin.
    fn wrap(&mut self, mark: Line, text: &str, style: Style) {
        let margin = Margin::hanging(mark);
        self.done.extend(wrap(&[Span::new(text, style)], self.width, &margin, Break::Words));
    }

    /// Ends the text that is being written. Leaves a blank line between blocks of different kinds.
    fn begin(&mut self, block: Block) {
        self.finish_text();
        let needs_gap = match (self.last, block) {
            (Block::Nothing, _) => false,
            (Block::Tool, Block::Tool) | (Block::Note, Block::Note) => false,
            _ => self.mode == TextMode::Rendered,
        };
        if needs_gap {
            self.done.push(Line::new());
        }
        self.last = block;
    }
}

/// The text of a message's parts.
pub fn text_of(parts: &[MessagePart]) -> String {
    let parts = parts.iter().filter_map(|part| match part {
        MessagePart::Text { text } => Some(text.clone()),
        MessagePart::File { path: Some(path), .. } => Some(format!("[file {path}]")),
        MessagePart::Image { mime_type, .. } => Some(format!("[image {mime_type}]")),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("\n")
}
