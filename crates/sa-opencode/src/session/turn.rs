//! Prompts on their way to their answers, one at a time.

use super::Session;
use super::prompt::Work;
use crate::core::Core;
use crate::limits::SETTLE;
use crate::native::call::{Call, of_session};
use crate::native::message::{Failure, Whole};
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::{CompactionStatus, Error, StopReason};
use sa_acp::{Cancellation, Session as _, failure};
use serde_json::{Value, json};
use std::time::Duration;

/// The longest wait for the last events of a prompt that was aborted.
const ABORTED: Duration = Duration::from_millis(100);

/// The server's own report of its work on a prompt.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    #[default]
    Unbegun,
    Working,
    Done,
}

/// A prompt that the server works on.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The work that waits for the rules; `None` once it was sent.
    pub(super) work: Option<Work>,
    pub(super) cancel: Cancellation,
    /// The time at which the abort is sent again if the server still works.
    pub(super) abort_at: Option<Duration>,
    /// The end, and the time until which earlier events are awaited.
    pub(super) ended: Option<(Result<StopReason, Error>, Duration)>,
    /// The last message, in case its events come late or not at all.
    last: Option<Whole>,
    pub(super) progress: Progress,
    /// The failure that the server reported.
    pub(super) error: Option<Failure>,
    first_line: String,
}

impl Turn {
    pub(super) fn deadline(&self) -> Option<Duration> {
        let settle = self.ended.as_ref().map(|(_, until)| *until);
        [settle, self.cancel.deadline(), self.abort_at].into_iter().flatten().min()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_requested()
    }

    pub(super) fn new(work: Work, first_line: String) -> Self {
        Self { work: Some(work), first_line, ..Self::default() }
    }
}

impl Session {
    /// Returns the MCP servers that other sessions brought.
    pub(super) fn foreign(&self, core: &Core) -> Vec<String> {
        core.registry.foreign(&self.workspace.cwd, &self.conversation.id.0)
    }

    /// Returns a request about the session.
    pub(super) fn post(&self, what: &str, body: Value) -> Call {
        Call::post(of_session(&self.conversation.id.0, what), body).within(&self.workspace.cwd)
    }

    /// Has the server follow the rules of the session.
    pub(super) fn send_rules(&self, core: &mut Core, then: Then) {
        let call = Call::patch(of_session(&self.conversation.id.0, ""), json!({ "permission": self.ruled }));
        core.ask_soon(&call.within(&self.workspace.cwd), then);
    }

    /// The rules are right, or the prompt must not be sent.
    pub(crate) fn on_ruled(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        match outcome.text() {
            Ok(_) => self.send_work(core),
            Err(reason) => {
                self.ruled.clear();
                self.end_turn(core, Err(failure(reason, "refused")));
            }
        }
    }

    pub(super) fn send_work(&mut self, core: &mut Core) {
        if self.turn.as_ref().is_some_and(Turn::is_cancelled) {
            return self.end_turn(core, Ok(StopReason::Cancelled));
        }
        let Some(work) = self.turn.as_mut().and_then(|turn| turn.work.take()) else { return };
        let Some(model) = self.settings.model().cloned() else {
            return self.end_turn(core, Err(failure("there is no model", "model_not_found")));
        };
        let agent = self.settings.agent();
        // A compaction takes no effort.
        let effort = self.settings.effort().filter(|_| !matches!(work, Work::Compact));
        let (what, mut body) = match work {
            Work::Turn(parts) => {
                let model = json!({ "providerID": model.provider, "modelID": model.model });
                ("message", json!({ "agent": agent, "model": model, "parts": parts }))
            }
            Work::Command(name, rest, files) => {
                let mut body = json!({ "command": name, "arguments": rest, "agent": agent, "parts": files });
                body["model"] = json!(model.id());
                ("command", body)
            }
            Work::Compact => {
                ("summarize", json!({ "providerID": model.provider, "modelID": model.model, "auto": false }))
            }
        };
        if let Some(effort) = effort {
            body["variant"] = json!(effort);
        }
        core.ask(&self.post(what, body), None, Then::Prompted(self.conversation.id.clone()));
    }

    /// Handles the end of the prompt. Earlier events may not have arrived yet.
    pub(crate) fn on_prompted(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        if self.turn.as_ref().is_none_or(|turn| turn.ended.is_some()) {
            return;
        }
        let (ended, last) = match outcome.text() {
            Ok(_) => match outcome.read::<Whole>() {
                Ok(whole) => (self.outcome(&whole.info), Some(whole)),
                // The answer to a compaction has no message.
                Err(_) => (Ok(StopReason::EndTurn), None),
            },
            Err(reason) => (Err(failure(reason, "refused")), None),
        };
        if let Some(turn) = &mut self.turn {
            // A prompt that was aborted before the server had begun has no events.
            let patience = if turn.is_cancelled() { ABORTED } else { SETTLE };
            let until = core.io.now.elapsed + patience;
            turn.ended = Some((ended, until));
            turn.last = last;
        }
        self.try_settle(core);
    }

    /// Reports the rest of a message.
    fn complete(&mut self, core: &mut Core, whole: &Whole) {
        self.on_message(core, &whole.info);
        for part in &whole.parts {
            self.on_part(core, part);
        }
    }

    /// Answers the prompt if nothing more is to come.
    pub(super) fn try_settle(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        let is_over = |turn: &Turn| {
            let is_done = turn.progress == Progress::Done;
            turn.ended.as_ref().is_some_and(|(_, until)| is_done || *until <= now)
        };
        let Some(turn) = self.turn.as_mut().filter(|turn| is_over(turn)) else { return };
        let Some((ended, _)) = turn.ended.take() else { return };
        let last = turn.last.take();
        // The failure that the server reported says more than that of the request.
        let ended = match (&turn.error, ended) {
            _ if turn.is_cancelled() => Ok(StopReason::Cancelled),
            (Some(error), Err(_)) => super::failing::ended_by(error),
            (_, ended) => ended,
        };
        if let Some(last) = last {
            self.complete(core, &last);
        }
        self.end_turn(core, ended);
    }

    /// The turn is over.
    pub(super) fn end_turn(&mut self, core: &mut Core, ended: Result<StopReason, Error>) {
        self.tools.running.report_output(&mut core.io.client, &self.conversation.id, core.io.now.elapsed);
        let reason = match &ended {
            Ok(StopReason::Cancelled) => "Cancelled",
            _ => "The turn is over",
        };
        self.close_tools(core, reason);
        let compacted = match ended {
            Ok(StopReason::EndTurn) => CompactionStatus::Completed,
            _ => CompactionStatus::Failed,
        };
        self.end_compaction(core, compacted);
        self.drop_asks(core);
        self.speech.clear();
        if let Some(turn) = self.turn.take() {
            if ended.is_ok() {
                self.conversation.name_after(&mut core.io.client, core.io.now, &turn.first_line);
            }
            self.finish_prompt(core, ended);
        }
        self.let_go(core);
        self.send_next(core);
    }

    /// Answers the running prompt, with the tokens of the turn.
    pub(super) fn finish_prompt(&mut self, core: &mut Core, ended: Result<StopReason, Error>) {
        self.conversation.finish(&mut core.io.client, ended, self.meter.of_turn());
    }

    pub(super) fn end_compaction(&mut self, core: &mut Core, status: CompactionStatus) {
        self.compaction.end(&mut core.io.client, &self.conversation.id, status);
    }

    /// Answers the running prompt although the server still works on it, and has that stop.
    pub(super) fn fail_turn(&mut self, core: &mut Core, error: &Error) {
        if self.turn.as_ref().is_some_and(|turn| !turn.is_cancelled()) {
            self.finish_prompt(core, Err(error.clone()));
            self.interrupt(core);
        }
    }

    /// Answers the running prompt as cancelled without waiting for the server to stop.
    pub(super) fn settle_cancelled(&mut self, core: &mut Core) {
        self.close_tools(core, "Cancelled");
        self.conversation.withdraw_all(&mut core.io.client);
        self.turn = None;
        self.finish_prompt(core, Ok(StopReason::Cancelled));
    }

    /// Ends the running prompt with its process: cancelled if that was wanted, otherwise with `error`.
    pub(super) fn abort_turn(&mut self, core: &mut Core, error: &Error) {
        let Some(turn) = self.turn.take() else { return };
        let ended = match &turn.ended {
            _ if turn.is_cancelled() => Ok(StopReason::Cancelled),
            // It was over already.
            Some((Ok(reason), _)) => Ok(*reason),
            _ => Err(error.clone()),
        };
        self.finish_prompt(core, ended);
    }
}
