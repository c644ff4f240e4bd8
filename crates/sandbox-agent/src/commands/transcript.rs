//! How a session's events look to people: text on standard output, everything else on standard error.

use crate::diagnostics::diagnose;
use sa_api::sessions::{
    DeltaKind, EventData, MessagePart, NoticeSeverity, ParsedMessage, PermissionRequest, Plan, PlanStatus,
    QuestionRequest, Role, StopReason, ToolContent, ToolStatus, UniversalEvent, UniversalMessage,
};
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};

const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// What was shown so far.
pub(super) struct Transcript {
    /// Whether standard output is a terminal, where thoughts can be told from text.
    dims: bool,
    /// How much of each message's text and thoughts was shown while it was written.
    written: HashMap<String, Written>,
    /// How far each tool call was when it was last shown.
    tools: HashMap<String, ToolStatus>,
    /// Whether the line on standard output is unfinished.
    open_line: bool,
    thinking: bool,
    plan: Option<Plan>,
}

#[derive(Default)]
struct Written {
    text: bool,
    reasoning: bool,
}

impl Transcript {
    pub(super) fn new() -> Self {
        Self {
            dims: io::stdout().is_terminal(),
            written: HashMap::new(),
            tools: HashMap::new(),
            open_line: false,
            thinking: false,
            plan: None,
        }
    }

    /// Shows an event.
    pub(super) fn show(&mut self, event: &UniversalEvent) -> io::Result<()> {
        match &event.data {
            // The call is shown by its title, without its output.
            EventData::MessageDelta(delta) if delta.kind == DeltaKind::Output => Ok(()),
            EventData::MessageDelta(delta) => {
                let written = self.written.entry(delta.message_id.clone()).or_default();
                match delta.kind {
                    DeltaKind::Reasoning => written.reasoning = true,
                    DeltaKind::Text | DeltaKind::Output => written.text = true,
                }
                self.text(&delta.text, delta.kind == DeltaKind::Reasoning)
            }
            EventData::Message(UniversalMessage::Parsed(message)) if message.role == Role::Assistant => {
                self.message(message)
            }
            EventData::QuestionAsked(question) => self.question(question),
            EventData::PermissionAsked(permission) => self.permission(permission),
            EventData::Plan(plan) => self.plan(plan),
            EventData::Error(error) => self.note(&format!("error: {}", error.message)),
            EventData::Notice(notice) => {
                let word = match notice.severity {
                    NoticeSeverity::Info => "note",
                    NoticeSeverity::Warning => "warning",
                    NoticeSeverity::Error => "error",
                };
                let more = notice.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
                self.note(&format!("{word}: {}{more}", notice.title))
            }
            EventData::TurnEnded(ended) => {
                self.end_line()?;
                match ended.stop_reason {
                    StopReason::EndTurn => Ok(()),
                    reason => self.note(&format!("the turn ended: {}", name_of(&reason))),
                }
            }
            EventData::MessageWithdrawn(withdrawn) => self.note(&format!(
                "message {} was withdrawn: {}",
                withdrawn.message_id,
                name_of(&withdrawn.by)
            )),
            EventData::QueueHeld(held) => {
                let count = held.message_ids.len();
                self.note(&format!("{count} waiting messages are held until the session is resumed"))
            }
            EventData::QueueReleased(_) => self.note("the waiting messages continue"),
            EventData::QueueReordered(_) => self.note("the order of the waiting messages was changed"),
            EventData::Continuity(continuity) => {
                let why = continuity.reason.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
                self.note(&format!(
                    "the agent was started anew; its memory is {}{why}",
                    name_of(&continuity.kind)
                ))
            }
            EventData::Ended(_) => self.note("the session has ended"),
            _ => Ok(()),
        }
    }

    /// Says something that the agent did not.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.end_line()?;
        diagnose!("[{}]", printable(text));
        Ok(())
    }

    fn message(&mut self, message: &ParsedMessage) -> io::Result<()> {
        // Told again, it is not shown again.
        let all = Written { text: true, reasoning: true };
        let written = self.written.insert(message.id.clone(), all).unwrap_or_default();
        let (mut said, mut changed) = (false, None);
        for part in &message.parts {
            match part {
                MessagePart::Text { text } if !written.text => self.text(text, false)?,
                MessagePart::Reasoning { text } if !written.reasoning => self.text(text, true)?,
                MessagePart::Text { .. } | MessagePart::Reasoning { .. } => {}
                MessagePart::ToolCall { id, title, status, .. } => {
                    changed = self.tool(id, title, *status)?;
                    continue;
                }
                MessagePart::ToolResult { content, .. } => {
                    if changed == Some(ToolStatus::Completed) {
                        self.changes(content)?;
                    }
                    continue;
                }
                MessagePart::Error { message } => self.note(&format!("error: {message}"))?,
                MessagePart::Image { mime_type, .. } => self.note(&format!("an image ({mime_type})"))?,
                MessagePart::File { path, .. } => {
                    self.note(&format!("a file: {}", path.as_deref().unwrap_or("without a name")))?;
                }
                MessagePart::FunctionCall { name, .. } => self.note(&format!("calls {name}"))?,
                MessagePart::FunctionResult { .. } | MessagePart::Unknown { .. } => continue,
            }
            said = true;
        }
        if said { self.end_line() } else { Ok(()) }
    }

    /// Shows a tool call when it is first told of, and if it fails; how far it has come, if that is news.
    fn tool(&mut self, id: &str, title: &str, status: ToolStatus) -> io::Result<Option<ToolStatus>> {
        let before = self.tools.insert(id.to_owned(), status);
        if before == Some(status) {
            return Ok(None);
        }
        match (before, status) {
            (_, ToolStatus::Failed) => self.note(&format!("{title}: failed"))?,
            (None, _) => self.note(title)?,
            _ => {}
        }
        Ok(Some(status))
    }

    fn changes(&mut self, content: &[ToolContent]) -> io::Result<()> {
        for one in content {
            if let ToolContent::Diff { path, .. } = one {
                self.note(&format!("changed {path}"))?;
            }
        }
        Ok(())
    }

    fn question(&mut self, request: &QuestionRequest) -> io::Result<()> {
        if let Some(message) = &request.message {
            self.note(message)?;
        }
        for question in &request.questions {
            self.note(&format!("question: {}", question.question))?;
            for option in &question.options {
                let more = option.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
                diagnose!("  - {}{}", printable(&option.label), printable(&more));
            }
            if let Some(url) = &question.url {
                diagnose!("  {}", printable(url));
            }
        }
        Ok(())
    }

    fn permission(&mut self, permission: &PermissionRequest) -> io::Result<()> {
        self.note(&format!("permission: {}", permission.title))
    }

    fn plan(&mut self, plan: &Plan) -> io::Result<()> {
        if self.plan.as_ref() == Some(plan) {
            return Ok(());
        }
        self.note("plan")?;
        for entry in &plan.entries {
            let mark = match entry.status {
                PlanStatus::Pending => ' ',
                PlanStatus::InProgress => '>',
                PlanStatus::Completed => 'x',
            };
            diagnose!("  [{mark}] {}", printable(&entry.content));
        }
        self.plan = Some(plan.clone());
        Ok(())
    }

    /// Writes text; thoughts are dimmed on a terminal, and left out where they could not be told from text.
    fn text(&mut self, text: &str, thinking: bool) -> io::Result<()> {
        if thinking && !self.dims {
            return Ok(());
        }
        if thinking != self.thinking {
            self.end_line()?;
            self.thinking = thinking;
        }
        let text = printable(text);
        let mut out = io::stdout().lock();
        if thinking {
            write!(out, "{DIM}{text}{PLAIN}")?;
        } else {
            write!(out, "{text}")?;
        }
        self.open_line = if text.is_empty() { self.open_line } else { !text.ends_with('\n') };
        out.flush()
    }

    /// Whatever comes next begins a line.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.open_line) {
            let mut out = io::stdout().lock();
            writeln!(out)?;
            out.flush()?;
        }
        Ok(())
    }
}

/// What the contract calls it.
fn name_of(value: &impl serde::Serialize) -> String {
    let name = serde_json::to_value(value).ok();
    name.as_ref().and_then(|name| name.as_str()).unwrap_or_default().to_owned()
}

/// What comes from an agent must not steer the terminal.
pub(crate) fn printable(text: &str) -> String {
    let fits = |c: char| !c.is_control() || c == '\n' || c == '\t';
    text.chars().map(|c| if fits(c) { c } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_its_lines_and_loses_what_steers_terminals() {
        assert_eq!(printable("a\n\tb\u{1b}[31m\rc"), "a\n\tb\u{fffd}[31m\u{fffd}c");
    }

    #[test]
    fn names_are_those_of_the_contract() {
        assert_eq!(name_of(&StopReason::MaxTurnRequests), "maxTurnRequests");
        assert_eq!(name_of(&ToolStatus::InProgress), "inProgress");
    }
}
