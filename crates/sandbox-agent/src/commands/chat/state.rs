//! The state of the session that `chat` shows, and the lower part of its screen.

use crate::commands::terminal::Asking;
use sa_api::sessions::{
    Command as AgentCommand, EventData, PermissionMode, Role, Session, SessionChoices, SessionState,
    UniversalEvent, UniversalMessage,
};
use sa_terminal::{Color, Editor, Line, Live, SessionView, Style, text_of};

/// A session that is shown.
pub(super) struct Chat {
    pub(super) session: Session,
    pub(super) asking: Asking,
    /// Messages that wait: ids and texts.
    pub(super) queue: Vec<(String, String)>,
    /// The agent's own commands.
    pub(super) commands: Vec<AgentCommand>,
    turn: Option<String>,
    pub(super) is_cancelling: bool,
    /// Ctrl-C was pressed; once more leaves.
    pub(super) is_leaving: bool,
}

impl Chat {
    pub(super) fn new(mut session: Session) -> Self {
        let mut asking = Asking::default();
        asking.add_open(std::mem::take(&mut session.permissions), std::mem::take(&mut session.questions));
        let turn = session.turn.as_ref().map(|turn| turn.turn_id.clone());
        Self {
            session,
            asking,
            queue: Vec::new(),
            commands: Vec::new(),
            turn,
            is_cancelling: false,
            is_leaving: false,
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.session.session_id
    }

    pub(super) fn is_running(&self) -> bool {
        self.turn.is_some()
    }

    pub(super) fn choices(&self) -> SessionChoices {
        self.session.choices.clone().unwrap_or_default()
    }

    pub(super) fn queue_message(&mut self, id: &str, text: String) {
        if !self.queue.iter().any(|(known, _)| known == id) {
            self.queue.push((id.to_owned(), text));
        }
    }

    /// Notes an event and shows it. Returns true if it asks something.
    pub(super) fn on_event(&mut self, event: &UniversalEvent, view: &mut SessionView) -> bool {
        match &event.data {
            // Shown where the turn begins.
            EventData::Message(UniversalMessage::Parsed(message)) if message.role == Role::User => {
                self.queue_message(&message.id, text_of(&message.parts));
            }
            EventData::TurnStarted(started) => {
                self.turn = Some(started.turn_id.clone());
                self.is_cancelling = false;
                let at = self.queue.iter().position(|(id, _)| Some(id) == started.message_id.as_ref());
                if let Some(at) = at {
                    let (_, text) = self.queue.remove(at);
                    view.show_user(&text);
                }
            }
            EventData::TurnEnded(_) => {
                self.turn = None;
                self.is_cancelling = false;
                self.is_leaving = false;
            }
            EventData::MessageWithdrawn(withdrawn) => {
                self.queue.retain(|(id, _)| *id != withdrawn.message_id)
            }
            EventData::QueueReordered(order) => {
                let place = |id: &str| order.message_ids.iter().position(|known| known == id);
                self.queue.sort_by_key(|(id, _)| place(id).unwrap_or(usize::MAX));
            }
            EventData::CommandsAvailable(available) => self.commands.clone_from(&available.commands),
            EventData::ModeChanged(changed) => {
                let choices = self.session.choices.get_or_insert_default();
                let new = changed.choices.clone();
                choices.mode = new.mode.or(choices.mode.take());
                choices.model = new.model.or(choices.model.take());
                choices.variant = new.variant.or(choices.variant.take());
                choices.modes = new.modes.unwrap_or_else(|| std::mem::take(&mut choices.modes));
                choices.models = new.models.unwrap_or_else(|| std::mem::take(&mut choices.models));
            }
            EventData::Ended(_) => self.session.state = SessionState::Ended,
            _ => {}
        }
        view.show(event);
        self.asking.on_event(&event.data)
    }

    /// Draws the queue, what is asked or the line that is typed, and the state.
    pub(super) fn lower(&self, view: &SessionView, editor: &Editor, width: usize) -> Live {
        if self.asking.is_open() {
            return self.asking.draw(view, width);
        }
        let mut lines = Vec::new();
        for (index, (_, text)) in self.queue.iter().enumerate() {
            let line = Line::styled(&format!("  queued {} ", index + 1), Style::of(Color::Yellow));
            lines.push(line.with(text, Style::DIM).fit(width));
        }
        let prompt = Line::styled("› ", Style::of(Color::Cyan).bold());
        let (typed, (row, column)) = editor.draw(&prompt, width);
        let cursor = Some((lines.len() + row, column));
        lines.extend(typed);
        lines.push(self.footer().fit(width));
        Live { lines, cursor }
    }

    fn footer(&self) -> Line {
        if self.is_leaving && !self.is_running() {
            return Line::styled("  Ctrl-C again or Ctrl-D leaves", Style::of(Color::Yellow));
        }
        let choices = self.session.choices.as_ref();
        let model = choices.and_then(|choices| choices.model.clone()).or_else(|| self.session.model.clone());
        let mode = match self.session.permission_mode {
            PermissionMode::Default => "asks before changes",
            PermissionMode::Plan => "plans only",
            PermissionMode::Bypass => "never asks",
        };
        let mut parts = vec![self.session.agent.clone()];
        parts.extend(model);
        parts.extend([mode.to_owned(), "/help".to_owned()]);
        Line::styled(&format!("  {}", parts.join(" · ")), Style::DIM)
    }
}
