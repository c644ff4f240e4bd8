//! Each kind of event, and what it adds to the view.

use super::{Block, SessionView};
use crate::style::{Color, Line, Style};
use crate::wording::{Explanation, duration, explain_crash, stop_reason, usage};
use sa_api::sessions::{
    Continuity, ContinuityKind, EventData, Notice, NoticeSeverity, PermissionReplyKind, Plan, PlanStatus,
    QuestionOutcome, QuestionResolved, ResolvedBy, Role, StopReason, TurnEnded, UniversalEvent,
    UniversalMessage, WithdrawnBy,
};

impl SessionView {
    pub fn show(&mut self, event: &UniversalEvent) {
        let now = event.timestamp.as_millis();
        if self.agent.is_empty() {
            self.agent.clone_from(&event.agent);
        }
        match &event.data {
            EventData::MessageDelta(delta) => self.on_delta(delta),
            EventData::Message(UniversalMessage::Parsed(message)) if message.role == Role::Assistant => {
                self.show_parts(&message.id, &message.parts, &message.metadata);
            }
            EventData::TurnStarted(_) => self.turn_began = Some(now),
            EventData::TurnEnded(ended) => self.on_turn_ended(ended, now),
            EventData::PermissionAsked(request) => {
                self.permissions.insert(request.id.clone(), request.title.clone());
            }
            EventData::PermissionResolved(resolved) => {
                if let Some(title) = self.permissions.remove(&resolved.id) {
                    self.on_permission_resolved(&title, resolved.reply, resolved.by);
                }
            }
            EventData::QuestionResolved(resolved) => self.on_question_resolved(resolved),
            EventData::Plan(plan) => self.on_plan(plan),
            EventData::Error(crash) => {
                self.explain(&explain_crash(&self.agent, crash, self.key_variable.as_deref()));
            }
            EventData::Notice(notice) => self.on_notice(notice),
            EventData::MessageWithdrawn(withdrawn) => match withdrawn.by {
                WithdrawnBy::Ended | WithdrawnBy::Transferred => {}
                WithdrawnBy::Client | WithdrawnBy::Cancelled => self.note("a queued message was withdrawn"),
                WithdrawnBy::DaemonRestarted => {
                    self.note("a queued message was lost when the daemon restarted")
                }
            },
            EventData::QueueHeld(held) => {
                let messages = match held.message_ids.len() {
                    1 => "a queued message waits".to_owned(),
                    count => format!("{count} queued messages wait"),
                };
                self.note(&format!("the daemon restarted; {messages} until the session is resumed"));
            }
            EventData::QueueReleased(_) => self.note("the queued messages continue"),
            EventData::Continuity(continuity) => self.on_continuity(continuity),
            EventData::Compaction(compaction) => match (compaction.status.as_deref(), &compaction.summary) {
                (Some("completed"), _) | (None, None) => {
                    self.note("the agent summarized the conversation to make room");
                }
                (Some("failed"), _) => self.note("the agent could not summarize the conversation"),
                _ => {}
            },
            EventData::Ended(_) => self.note("the session ended"),
            _ => {}
        }
    }

    /// Shows a request that is decided elsewhere.
    pub fn show_request(&mut self, data: &EventData) {
        match data {
            EventData::PermissionAsked(request) => {
                self.note(&format!("asks for permission: {}", request.title.replace('`', "")));
            }
            EventData::QuestionAsked(request) => {
                for question in &request.questions {
                    let labels: Vec<&str> =
                        question.options.iter().map(|option| option.label.as_str()).collect();
                    let options =
                        if labels.is_empty() { String::new() } else { format!(" ({})", labels.join(", ")) };
                    self.note(&format!("asks: {}{options}", question.question));
                }
            }
            _ => {}
        }
    }

    fn on_question_resolved(&mut self, resolved: &QuestionResolved) {
        match resolved.outcome {
            QuestionOutcome::Answered => {
                let answers: Vec<&str> =
                    resolved.answers.iter().flatten().flatten().map(String::as_str).collect();
                self.note(&format!("answered: {}", answers.join(", ")));
            }
            QuestionOutcome::Rejected => self.note("the question was rejected"),
            QuestionOutcome::Cancelled => self.note("the question was withdrawn"),
        }
    }

    fn on_continuity(&mut self, continuity: &Continuity) {
        let what = match continuity.kind {
            ContinuityKind::Native => return,
            ContinuityKind::Replayed => "the agent restarted; it gets the conversation as text",
            ContinuityKind::Lost => "the agent restarted and remembers nothing of this conversation",
        };
        let why = continuity.reason.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        self.note(&format!("{what}{why}"));
    }

    fn on_plan(&mut self, plan: &Plan) {
        if self.plan.as_ref() == Some(plan) || plan.entries.is_empty() {
            return;
        }
        self.begin(Block::Note);
        let done = plan.entries.iter().filter(|entry| entry.status == PlanStatus::Completed).count();
        self.done.push(
            Line::styled("Plan", Style::BOLD).with(&format!(" {done}/{}", plan.entries.len()), Style::DIM),
        );
        for entry in &plan.entries {
            let (mark, style) = match entry.status {
                PlanStatus::Completed => (Line::styled("  ✔ ", Style::of(Color::Green)), Style::DIM),
                PlanStatus::InProgress => (Line::styled("  ▸ ", Style::of(Color::Yellow)), Style::BOLD),
                PlanStatus::Pending => (Line::styled("  ☐ ", Style::DIM), Style::PLAIN),
            };
            self.wrap(mark, entry.content.trim(), style);
        }
        self.plan = Some(plan.clone());
    }

    fn on_notice(&mut self, notice: &Notice) {
        let more = notice.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        let text = format!("{}{more}", notice.title);
        match notice.severity {
            NoticeSeverity::Info => self.note(&text),
            NoticeSeverity::Warning => self.note(&format!("warning: {text}")),
            NoticeSeverity::Error => self.explain(&Explanation { what: text, next: None }),
        }
    }

    fn on_permission_resolved(&mut self, title: &str, reply: Option<PermissionReplyKind>, by: ResolvedBy) {
        let title = title.replace('`', "");
        let how = match by {
            ResolvedBy::Client => "",
            ResolvedBy::Rule => " by a rule",
            ResolvedBy::Timeout => " because nobody answered in time",
            ResolvedBy::PermissionMode | ResolvedBy::Agent => return,
            _ => " because the turn ended",
        };
        match reply {
            Some(PermissionReplyKind::Once) => self.note(&format!("allowed{how}: {title}")),
            Some(PermissionReplyKind::Always) => self.note(&format!("always allowed{how}: {title}")),
            Some(PermissionReplyKind::Reject) | None => self.note(&format!("rejected{how}: {title}")),
        }
    }

    fn on_turn_ended(&mut self, ended: &TurnEnded, now: u64) {
        self.finish_text();
        let tools = std::mem::take(&mut self.tools);
        self.print_tools(tools);
        let mut parts = Vec::new();
        parts.extend(self.turn_began.take().map(|began| duration(now.saturating_sub(began))));
        parts.extend(ended.usage.iter().flat_map(usage));
        let (mark, style) = match ended.stop_reason {
            StopReason::EndTurn => ("✓", Style::of(Color::Green)),
            StopReason::Cancelled => ("■", Style::of(Color::Yellow)),
            _ => ("✗", Style::of(Color::Red)),
        };
        self.begin(Block::Text);
        self.last = Block::Note;
        let mut line = Line::styled(mark, style);
        if let Some(reason) = stop_reason(ended.stop_reason) {
            line = line.with(&format!(" {reason}"), style);
        }
        if !parts.is_empty() {
            line = line.with(&format!(" {}", parts.join(" · ")), Style::DIM);
        }
        self.done.push(line.fit(self.width));
    }
}
