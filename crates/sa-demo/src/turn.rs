//! One turn: a prompt on its way to its answer.
//!
//! A turn is a queue of commands; the command at its head becomes a queue of actions; each step of the turn does one action.
//! An action writes at most one message (so that a slow client holds the turn back), or waits for the time or for the client.
//! Answers of the client put further actions at the head of the queue.

use super::action::{Action, Numbered, Outcome, Then};
use super::commands::{self, Stage, expand};
use super::content::{Prompt, text, tokens};
use super::core::Core;
use super::faults::{self, Filler};
use super::script::{self, Line};
use super::session::Session;
use super::{permissions, questions, terminal, tools, tour};
use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, Cost, MessageId, SessionUpdate, StopReason, TerminalId, ToolCallId,
    ToolCallStatus, Usage, UsageUpdate,
};
use sa_acp::{Reply, RequestKey};
use std::collections::VecDeque;
use std::time::Duration;

#[derive(Debug, PartialEq, Eq)]
enum Wait {
    Nothing,
    Until(Duration),
    Shielded(Duration),
    Reply(i64),
    Forever,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Moved,
    /// The turn waits, until a time if one is given.
    Waits(Option<Duration>),
    /// There is no turn.
    Idle,
}

#[derive(Debug)]
pub(super) struct Turn {
    pub(super) key: RequestKey,
    pub(super) attachments: Vec<String>,
    first_line: String,
    script: VecDeque<Line>,
    actions: VecDeque<Action>,
    wait: Wait,
    cancelled: bool,
    open_tools: Vec<ToolCallId>,
    terminals: Vec<TerminalId>,
    input_tokens: u64,
    output_tokens: u64,
}

impl Turn {
    /// Takes a prompt up.
    pub(super) fn start(session: &mut Session, prompt: Prompt) -> Self {
        let message = MessageId::new(session.next_id("msg"));
        for block in prompt.blocks {
            let chunk = ContentChunk::new(block).message_id(message.clone());
            session.history.record(&SessionUpdate::UserMessageChunk(chunk));
        }
        let mut script: VecDeque<_> = script::parse(&prompt.text).into();
        if script.is_empty() {
            script.push_back(Line::Echo(String::new()));
        }
        Self {
            key: prompt.key,
            attachments: prompt.attachments,
            first_line: prompt.text.lines().next().unwrap_or_default().trim().to_owned(),
            script,
            actions: VecDeque::new(),
            wait: Wait::Nothing,
            cancelled: false,
            open_tools: Vec::new(),
            terminals: Vec::new(),
            input_tokens: tokens(&prompt.text),
            output_tokens: 0,
        }
    }

    pub(super) fn is_shielded(&self) -> bool {
        matches!(self.wait, Wait::Shielded(_))
    }

    /// Cancels the turn as soon as it heeds cancellation again.
    pub(super) fn cancel_later(&mut self) {
        self.cancelled = true;
    }

    /// Does the next action.
    fn advance(&mut self, session: &mut Session, core: &mut Core) -> Option<Outcome> {
        if self.cancelled {
            return Some(Ok(StopReason::Cancelled));
        }
        let Some(action) = self.actions.pop_front() else {
            let Some(line) = self.script.pop_front() else { return Some(Ok(StopReason::EndTurn)) };
            self.actions.extend(expand(&line, &mut Stage { session, core, attachments: &self.attachments }));
            return None;
        };
        self.perform(action, session, core)
    }

    fn perform(&mut self, action: Action, session: &mut Session, core: &mut Core) -> Option<Outcome> {
        match action {
            Action::Update(update) => self.update(*update, session, core),
            Action::Say(words) => {
                self.output_tokens += tokens(&words);
                let message = MessageId::new(session.next_id("msg"));
                session.emit(core, &said(text(words), message));
            }
            Action::Think(words) => {
                self.output_tokens += tokens(&words);
                let chunk = ContentChunk::new(text(words)).message_id(MessageId::new(session.next_id("msg")));
                session.emit(core, &SessionUpdate::AgentThoughtChunk(chunk));
            }
            Action::Show(block) => {
                let message = MessageId::new(session.next_id("msg"));
                session.emit(core, &said(*block, message));
            }
            Action::Numbered(numbered) => self.count(numbered, session, core),
            Action::Big(bytes) => faults::write_big(bytes, session, core),
            Action::Rename(title) => session.rename(core, title),
            Action::Choose(select, value) => {
                if session.about.settings.choose(select, &value) {
                    session.announce(core, select);
                }
            }
            Action::Report => self.report(session, core),
            Action::Notify { method, params } => core.client.notify(&method, params),
            Action::Call(call) => self.wait = Wait::Reply(session.call(core, *call)),
            Action::Hold(terminal) => self.terminals.push(terminal),
            Action::Release(terminal) => self.terminals.retain(|held| *held != terminal),
            Action::Pause(time) => self.wait = Wait::Until(core.now.elapsed + time),
            Action::Shield(time) => self.wait = Wait::Shielded(core.now.elapsed + time),
            Action::Hang => self.wait = Wait::Forever,
            Action::Silence(time) => core.silent_until = Some(core.now.elapsed + time),
            Action::Raw(bytes) => core.client.outbox.extend(bytes),
            Action::Fill(bytes) => core.filler = Some(Filler { session: session.about.id.clone(), bytes }),
            Action::Effect(effect) => {
                core.save(session);
                core.effects.push_back(effect);
            }
            Action::End(outcome) => return Some(outcome),
        }
        None
    }

    /// Reports an update and keeps track of the tool calls that are not done.
    fn update(&mut self, update: SessionUpdate, session: &mut Session, core: &mut Core) {
        match &update {
            SessionUpdate::AgentMessageChunk(chunk) | SessionUpdate::AgentThoughtChunk(chunk) => {
                if let ContentBlock::Text(content) = &chunk.content {
                    self.output_tokens += tokens(&content.text);
                }
            }
            SessionUpdate::ToolCall(call) => self.open_tools.push(call.tool_call_id.clone()),
            SessionUpdate::ToolCallUpdate(change)
                if matches!(
                    change.fields.status,
                    Some(ToolCallStatus::Completed | ToolCallStatus::Failed)
                ) =>
            {
                self.open_tools.retain(|open| *open != change.tool_call_id);
            }
            _ => {}
        }
        session.emit(core, &update);
    }

    /// Writes the next of some numbered chunks, and leaves the rest for later.
    fn count(&mut self, mut numbered: Numbered, session: &mut Session, core: &mut Core) {
        let Some(number) = numbered.numbers.next() else { return };
        let words = faults::numbered_text(number, numbered.bytes);
        self.output_tokens += tokens(&words);
        let update = said(text(words), numbered.message.clone());
        if numbered.kept {
            session.emit(core, &update);
        } else {
            core.client.update(&session.about.id, &update);
        }
        if let Some(time) = numbered.every.filter(|_| !numbered.numbers.is_empty()) {
            self.wait = Wait::Until(core.now.elapsed + time);
        }
        self.actions.push_front(Action::Numbered(numbered));
    }

    /// Reports the size of the context and its cost: one dollar per thousand tokens.
    fn report(&self, session: &Session, core: &mut Core) {
        let used = session.about.used_tokens + self.input_tokens + self.output_tokens;
        let cost = Cost::new(used as f64 / 1000.0, "USD");
        let size = session.about.settings.context_size();
        let update = UsageUpdate::new(used.min(size), size).cost(cost);
        core.client.update(&session.about.id, &SessionUpdate::UsageUpdate(update));
    }

    /// Ends the turn: sends the remaining updates, then the answer to the prompt.
    pub(super) fn finish(self, session: &mut Session, core: &mut Core, outcome: Outcome) {
        match outcome {
            Ok(StopReason::Cancelled) => self.abandon(session, core),
            Ok(_) => {
                if session.about.title.is_none() && !self.first_line.is_empty() {
                    session.rename(core, self.first_line.chars().take(60).collect());
                }
                self.report(session, core);
            }
            Err(_) => {}
        }
        session.about.used_tokens += self.input_tokens + self.output_tokens;
        match outcome {
            Ok(reason) => {
                let total = self.input_tokens + self.output_tokens;
                let usage = Usage::new(total, self.input_tokens, self.output_tokens);
                core.client.prompt_done(&self.key, reason, Some(usage));
            }
            Err(error) => core.client.fail(&self.key, &error),
        }
        session.touch(core);
        core.save(session);
    }

    /// Leaves nothing open behind a cancelled turn.
    fn abandon(&self, session: &mut Session, core: &mut Core) {
        if let Some(filler) = core.filler.as_mut().filter(|filler| filler.session == session.about.id) {
            filler.bytes = 0;
        }
        core.withdraw_calls(&session.about.id);
        for terminal in &self.terminals {
            let call = terminal::release(session, terminal.clone(), Then::Nothing);
            session.call(core, call);
        }
        for tool in &self.open_tools {
            session.emit(core, &tools::failed(tool.clone(), "Cancelled."));
        }
    }
}

/// A chunk of what the agent says.
fn said(content: ContentBlock, message: MessageId) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::new(content).message_id(message))
}

/// Lets the turn of a session do its next action.
pub(super) fn step(session: &mut Session, core: &mut Core) -> Progress {
    let Some(mut turn) = session.turn.take() else { return Progress::Idle };
    let waits = match turn.wait {
        Wait::Nothing => None,
        Wait::Until(time) | Wait::Shielded(time) if time <= core.now.elapsed => None,
        Wait::Until(time) | Wait::Shielded(time) => Some(Some(time)),
        Wait::Reply(_) | Wait::Forever => Some(None),
    };
    if let Some(until) = waits {
        session.turn = Some(turn);
        return Progress::Waits(until);
    }
    turn.wait = Wait::Nothing;
    match turn.advance(session, core) {
        None => session.turn = Some(turn),
        Some(outcome) => {
            turn.finish(session, core, outcome);
            session.start_next(core);
        }
    }
    Progress::Moved
}

/// Gives the turn of a session the answer it waits for.
pub(super) fn answered(session: &mut Session, core: &Core, id: i64, then: Then, answer: Reply) {
    let Some(mut turn) = session.turn.take_if(|turn| turn.wait == Wait::Reply(id)) else { return };
    turn.wait = Wait::Nothing;
    let actions = match then {
        Then::Permission(permission) => permissions::answered(session, *permission, answer),
        Then::Question(question) => questions::answered(question, answer),
        Then::File(step) => tools::answered(session, core, *step, answer),
        Then::Terminal(step) => terminal::answered(session, step, answer),
        Then::Tour => tour::answered(session, answer),
        Then::Tell(method) => commands::tell(&method, answer),
        Then::Nothing => Vec::new(),
    };
    for action in actions.into_iter().rev() {
        turn.actions.push_front(action);
    }
    session.turn = Some(turn);
}
