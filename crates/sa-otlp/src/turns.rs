//! The spans of a session, out of its events: one for each turn, and in it one for each tool call, permission and question.
//!
//! ```text
//! invoke_agent claude                      the turn, a child of the request that sent its message
//! ├─ execute_tool Bash                     from the first word of the call to its end
//! │  └─ permission                         from the question to the decision
//! ├─ execute_tool Task
//! │  └─ execute_tool Read                  of the sub-agent that the call is
//! └─ question
//! ```
//!
//! Events and times go in, spans go to the exporter. It does no I/O.

mod open;

use crate::attributes as name;
use crate::content::Content;
use crate::context::TraceContext;
use crate::exporter::Exporter;
use crate::span::{Attribute, Span, SpanId, SpanKind, SpanStatus, Value, derived};
use open::{OpenTurn, Tool, Wait};
use sa_api::Timestamp;
use sa_api::sessions::{
    CutOff, EventData, MessagePart, ParsedMessage, PermissionReplyKind, ResolvedBy, Role, StopReason,
    TokenCounts, ToolStatus, TurnEnded, UniversalMessage,
};

/// The names that all spans of a session carry.
#[derive(Debug, Clone)]
pub struct Conversation {
    pub session: String,
    pub agent: String,
    /// The provider of the model, as far as it is known.
    pub provider: String,
}

/// Makes spans of one session's events.
#[derive(Debug)]
pub struct TurnTracer {
    exporter: Exporter,
    conversation: Conversation,
    content: Content,
    agent_version: Option<String>,
    /// The turn that is about to begin, or runs.
    turn: Option<OpenTurn>,
}

impl TurnTracer {
    /// Creates a tracer that has seen nothing.
    pub fn new(exporter: Exporter, conversation: Conversation, content: Content) -> Self {
        Self { exporter, conversation, content, agent_version: None, turn: None }
    }

    /// Changes what is cut out of content.
    pub fn set_content(&mut self, content: Content) {
        self.content = content;
    }

    /// Begins a turn, and returns its context: the parent of what the agent does in it.
    pub fn begin(
        &mut self,
        turn: &str,
        parent: Option<&TraceContext>,
        prompt: &[MessagePart],
        at_ms: u64,
    ) -> TraceContext {
        let session = self.conversation.session.as_str();
        let trace_id = parent.map_or_else(|| derived(&["trace", session, turn]), |parent| parent.trace_id);
        let context = TraceContext {
            trace_id,
            span_id: SpanId(derived(&["turn", session, turn])),
            sampled: self.exporter.sampler().takes(&trace_id, parent),
            state: parent.and_then(|parent| parent.state.clone()),
        };
        let prompt = texts(prompt);
        let mut open = OpenTurn::new(turn, context.clone(), parent.map(|parent| parent.span_id), at_ms);
        open.prompt = (!self.content.is_omitted()).then_some(prompt);
        self.turn = Some(open);
        context
    }

    /// Takes note of an event. The model is the one that the session has now.
    pub fn event(&mut self, event: &EventData, model: Option<&str>, at_ms: u64) {
        match event {
            EventData::Started(started) => self.agent_version.clone_from(&started.agent_version),
            EventData::Message(UniversalMessage::Parsed(message)) => self.message(message, at_ms),
            EventData::PermissionAsked(asked) => {
                let tool = Some(asked.tool_call_id.as_str());
                self.wait("permission", name::PERMISSION, &asked.id, tool, at_ms);
            }
            EventData::PermissionResolved(resolved) => {
                let outcome = resolved.reply.map_or("withdrawn", PermissionReplyKind::name);
                self.resolve("permission", &resolved.id, outcome, resolved.by, at_ms);
            }
            EventData::QuestionAsked(asked) => {
                self.wait("question", name::QUESTION, &asked.id, asked.tool_call_id.as_deref(), at_ms);
            }
            EventData::QuestionResolved(resolved) => {
                self.resolve("question", &resolved.id, resolved.outcome.name(), resolved.by, at_ms);
            }
            EventData::Error(crash) => {
                if let Some(turn) = &mut self.turn {
                    turn.failure = Some((crash.kind.as_str().to_owned(), crash.message.clone()));
                }
            }
            EventData::TurnEnded(ended) => self.end(ended, model, at_ms),
            _ => {}
        }
    }

    fn message(&mut self, message: &ParsedMessage, at_ms: u64) {
        let session = self.conversation.session.clone();
        let Some(turn) = &mut self.turn else { return };
        let parent = message.metadata.get("parentId").and_then(serde_json::Value::as_str);
        let mut ended = Vec::new();
        for part in &message.parts {
            match part {
                MessagePart::ToolCall { id, name, kind, status, input, .. } => {
                    let begin = || Tool {
                        id: id.clone(),
                        span: SpanId(derived(&["tool", &session, id])),
                        parent: parent.map(str::to_owned),
                        start_ms: at_ms,
                        ..Tool::default()
                    };
                    let Some(tool) = turn.tool(id, begin) else { continue };
                    tool.name = name.clone().or_else(|| tool.name.take());
                    tool.kind = *kind;
                    if let Some(input) = input.as_ref().and_then(|input| self.content.of(&input.to_string()))
                    {
                        tool.arguments = Some(input);
                    }
                    tool.status = *status;
                    if matches!(status, ToolStatus::Completed | ToolStatus::Failed) {
                        ended.push(id.clone());
                    }
                }
                MessagePart::ToolResult { id, output, content, .. } => {
                    let whole = || serde_json::to_string(content).unwrap_or_default();
                    let text = || output.as_ref().map_or_else(whole, ToString::to_string);
                    if !self.content.is_omitted()
                        && let Some(tool) = turn.tools.iter_mut().find(|tool| tool.id == *id)
                    {
                        tool.result = self.content.of(&text());
                    }
                }
                _ => {}
            }
        }
        if message.role == Role::Assistant && !self.content.is_omitted() {
            turn.say(&message.id, texts(&message.parts));
        }
        for id in ended {
            self.end_tool(&id, at_ms);
        }
    }

    fn end_tool(&mut self, id: &str, at_ms: u64) {
        let Some(turn) = &mut self.turn else { return };
        let parent = turn.parent_of(id);
        let Some(tool) = turn.tools.iter_mut().find(|tool| tool.id == id && !tool.ended) else { return };
        tool.ended = true;
        let shown = tool.name.clone().unwrap_or_else(|| tool.kind.name().to_owned());
        let mut attributes = vec![
            Attribute::text(name::OPERATION, "execute_tool"),
            Attribute::text(name::TOOL_NAME, shown.as_str()),
            Attribute::text(name::TOOL_CALL, id),
            Attribute::text(name::TOOL_KIND, tool.kind.name()),
            Attribute::text(name::OUTCOME, tool.status.name()),
        ];
        attributes.extend(tool.arguments.take().map(|text| Attribute::text(name::TOOL_ARGUMENTS, text)));
        attributes.extend(tool.result.take().map(|text| Attribute::text(name::TOOL_RESULT, text)));
        let mut status = SpanStatus::Unset;
        if tool.status == ToolStatus::Failed {
            attributes.push(Attribute::text(name::ERROR_TYPE, "tool_error"));
            status = SpanStatus::Error(String::new());
        }
        let (span, start_ms) = (tool.span, tool.start_ms);
        self.export(span, parent, format!("execute_tool {shown}"), (start_ms, at_ms), attributes, status);
    }

    fn wait(&mut self, kind: &'static str, key: &'static str, id: &str, tool: Option<&str>, at_ms: u64) {
        let span = SpanId(derived(&[kind, &self.conversation.session, id]));
        let Some(turn) = &mut self.turn else { return };
        let tool = tool.filter(|tool| turn.tools.iter().any(|known| known.id == *tool));
        let (id, tool) = (id.to_owned(), tool.map(str::to_owned));
        turn.wait(Wait { kind, id, key, span, tool, start_ms: at_ms });
    }

    fn resolve(&mut self, kind: &'static str, id: &str, outcome: &str, by: ResolvedBy, at_ms: u64) {
        let Some(wait) = self.turn.as_mut().and_then(|turn| turn.resolve(kind, id)) else { return };
        let mut attributes = vec![
            Attribute::text(wait.key, id),
            Attribute::text(name::OUTCOME, outcome),
            Attribute::text(name::RESOLVED_BY, by.name()),
        ];
        attributes.extend(wait.tool.as_ref().map(|tool| Attribute::text(name::TOOL_CALL, tool.as_str())));
        let turn = self.turn.as_ref();
        let parent = wait.tool.as_ref().and_then(|tool| turn?.tools.iter().find(|known| known.id == *tool));
        let parent = parent.map(|tool| tool.span).or_else(|| turn.map(|turn| turn.context.span_id));
        let times = (wait.start_ms, at_ms);
        self.export(wait.span, parent, kind.to_owned(), times, attributes, SpanStatus::Unset);
    }

    fn end(&mut self, ended: &TurnEnded, model: Option<&str>, at_ms: u64) {
        if self.turn.as_ref().is_none_or(|turn| turn.id != ended.turn_id) {
            return;
        }
        let open = |turn: &OpenTurn| {
            turn.tools.iter().filter(|tool| !tool.ended).map(|tool| tool.id.clone()).collect()
        };
        let tools: Vec<String> = self.turn.as_ref().map(open).unwrap_or_default();
        for (kind, id) in self.turn.as_ref().map(OpenTurn::waiting).unwrap_or_default() {
            self.resolve(kind, &id, "withdrawn", ResolvedBy::TurnEnded, at_ms);
        }
        tools.iter().for_each(|id| self.end_tool(id, at_ms));
        let Some(turn) = &mut self.turn else { return };
        let mut attributes = vec![
            Attribute::text(name::OPERATION, "invoke_agent"),
            Attribute::text(name::AGENT, self.conversation.agent.as_str()),
            Attribute::text(name::TURN, turn.id.as_str()),
            Attribute { key: name::FINISH, value: Value::Texts(vec![ended.stop_reason.name().to_owned()]) },
        ];
        attributes.extend(model.map(|model| Attribute::text(name::MODEL, model)));
        let version = self.agent_version.as_deref();
        attributes.extend(version.map(|version| Attribute::text(name::AGENT_VERSION, version)));
        attributes.extend(ended.usage.as_ref().map(|usage| tokens(&usage.tokens)).unwrap_or_default());
        let mut status = SpanStatus::Unset;
        if matches!(ended.stop_reason, StopReason::Error | StopReason::Unknown) {
            let (kind, message) = turn.failure.take().unwrap_or_else(|| {
                (ended.reason.as_ref().map_or("unknown", CutOff::as_str).to_owned(), String::new())
            });
            attributes.push(Attribute::text(name::ERROR_TYPE, kind));
            // Messages of agents may quote what they worked on.
            status = SpanStatus::Error(self.content.of(&message).unwrap_or_default());
        }
        if let Some(prompt) = turn.prompt.take().and_then(|text| self.content.of(&messages("user", &[text])))
        {
            attributes.push(Attribute::text(name::INPUT_MESSAGES, prompt));
        }
        if let Some(said) = self.content.of(&messages("assistant", &turn.said())) {
            attributes.push(Attribute::text(name::OUTPUT_MESSAGES, said));
        }
        let (span, parent, start) = (turn.context.span_id, turn.parent, turn.start_ms);
        let shown = format!("invoke_agent {}", self.conversation.agent);
        self.export(span, parent, shown, (start, at_ms), attributes, status);
        self.turn = None;
    }

    fn export(
        &self,
        span: SpanId,
        parent: Option<SpanId>,
        shown: String,
        (start_ms, end_ms): (u64, u64),
        mut attributes: Vec<Attribute>,
        status: SpanStatus,
    ) {
        let Some(turn) = self.turn.as_ref().filter(|turn| turn.context.sampled) else { return };
        attributes.push(Attribute::text(name::CONVERSATION, self.conversation.session.as_str()));
        attributes.push(Attribute::text(name::PROVIDER, self.conversation.provider.as_str()));
        let context = TraceContext { span_id: span, ..turn.context.clone() };
        let kind = SpanKind::Internal;
        self.exporter.span(Span { context, parent, name: shown, kind, start_ms, end_ms, attributes, status });
    }
}

impl Drop for TurnTracer {
    /// Reports the turn that a daemon is stopped in: nobody knows whether another one follows.
    fn drop(&mut self) {
        if let Some(turn) = &self.turn {
            let (turn_id, reason) = (turn.id.clone(), Some(CutOff::Other("daemonStopped".to_owned())));
            let ended = TurnEnded { turn_id, stop_reason: StopReason::Unknown, reason, usage: None };
            self.end(&ended, None, Timestamp::now().as_millis());
        }
    }
}

/// Returns the tokens of a turn. The conventions count cached tokens as input, too; the daemon's own figures keep
/// them apart.
fn tokens(counts: &TokenCounts) -> Vec<Attribute> {
    let cached = [counts.cached_read_tokens, counts.cached_write_tokens].into_iter().flatten().sum::<u64>();
    let input = counts.input_tokens.map(|input| input.saturating_add(cached));
    let attributes = [
        (name::INPUT_TOKENS, input),
        (name::OUTPUT_TOKENS, counts.output_tokens),
        (name::CACHE_READ, counts.cached_read_tokens),
        (name::CACHE_CREATION, counts.cached_write_tokens),
        (name::REASONING, counts.thought_tokens),
    ];
    attributes.into_iter().filter_map(|(key, count)| Some(Attribute::int(key, count?))).collect()
}

fn texts(parts: &[MessagePart]) -> String {
    let text = |part: &MessagePart| match part {
        MessagePart::Text { text } => Some(text.clone()),
        _ => None,
    };
    parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

/// Messages in the form of the conventions.
fn messages(role: &str, texts: &[String]) -> String {
    let message =
        |text: &String| serde_json::json!({ "role": role, "parts": [{ "type": "text", "content": text }] });
    serde_json::Value::from_iter(texts.iter().map(message)).to_string()
}
