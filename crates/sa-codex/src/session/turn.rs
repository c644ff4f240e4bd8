//! Prompts on their way to their answers, one native turn at a time.

use super::Session;
use super::failing::outcome;
use super::plan_exit::Proposal;
use super::prompt::Work;
use crate::core::Core;
use crate::native::answer::{Turn as NativeTurn, TurnError};
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::{CompactionStatus, Error, StopReason};
use sa_acp::{Cancellation, ChunkKind, Session as _, failure};
use serde_json::{Value, json};
use std::time::Duration;

/// A prompt that the CLI works on.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The turn's own id, once it is known.
    pub(super) id: Option<String>,
    pub(super) cancel: Cancellation,
    /// The time at which an interrupt that was refused is sent again.
    pub(super) interrupt_at: Option<Duration>,
    /// The failure after which the CLI does not try again.
    pub(super) error: Option<TurnError>,
    /// A plan that is to be approved when the turn is over.
    pub(super) proposal: Option<Proposal>,
    /// The result of a review with the id of its item, reported at the end if the model said nothing else.
    pub(super) review: Option<(String, String)>,
    first_line: String,
}

impl Turn {
    pub(super) fn deadline(&self) -> Option<Duration> {
        [self.cancel.deadline(), self.interrupt_at].into_iter().flatten().min()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_requested()
    }

    /// Returns whether this is the native turn of that id, or may be: some turns start without an id.
    pub(super) fn may_be(&self, id: &str) -> bool {
        self.id.as_deref().is_none_or(|own| own == id)
    }

    /// Returns whether this is the native turn of that id.
    pub(super) fn is(&self, id: &str) -> bool {
        self.id.as_deref() == Some(id)
    }

    pub(super) fn new(first_line: String) -> Self {
        Self { first_line, ..Self::default() }
    }
}

impl Session {
    pub(super) fn begin(&mut self, core: &mut Core, turn: Turn, work: &Work) {
        self.turn = Some(turn);
        self.meter.turn_begins();
        let (method, params) = match work {
            Work::Turn(input) => ("turn/start", self.turn_params(input)),
            Work::Compact => ("thread/compact/start", json!({ "threadId": self.thread })),
            Work::Review(target) => {
                let params = json!({ "threadId": self.thread, "target": target, "delivery": "inline" });
                ("review/start", params)
            }
        };
        let then = Then::Started(self.conversation.id.clone());
        core.ask(method, &params, core.host.options.limits.open, then);
    }

    /// Returns the parameters of a turn. Its settings stay for the turns that follow.
    fn turn_params(&self, input: &[Value]) -> Value {
        let settings = &self.settings;
        let mut params = json!({
            "threadId": self.thread,
            "input": input,
            "cwd": self.workspace.cwd,
            "approvalPolicy": settings.approval_policy(),
            "sandboxPolicy": settings.sandbox_policy(&self.workspace.directories),
            "model": settings.model(),
            "summary": "auto",
            "collaborationMode": settings.collaboration(),
        });
        if let Some(effort) = settings.effort() {
            params["effort"] = json!(effort);
        }
        params
    }

    /// The app-server has taken the prompt, or not.
    pub(crate) fn on_accepted(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        match outcome.read::<Value>() {
            Ok(accepted) => {
                // Compactions have no turn id here.
                if let Some(id) = accepted["turn"]["id"].as_str() {
                    self.turn_is(core, id);
                }
            }
            Err(reason) => {
                // A turn that began nevertheless ends by itself.
                let is_running = self.native_turn.is_some();
                let turn = self.turn.take_if(|turn| turn.id.is_none() && !is_running);
                if let Some(turn) = turn {
                    let outcome = if turn.is_cancelled() {
                        Ok(StopReason::Cancelled)
                    } else {
                        Err(failure(reason, "refused"))
                    };
                    self.finish_prompt(core, outcome);
                    self.let_go(core);
                    self.send_next(core);
                }
            }
        }
    }

    /// The id of the running turn is known. An interrupt needs it, so one that was wanted earlier goes out now.
    fn turn_is(&mut self, core: &mut Core, id: &str) {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.id.is_none()) else { return };
        turn.id = Some(id.to_owned());
        if turn.is_cancelled() {
            self.send_interrupt(core);
        }
    }

    /// The app-server begins to work. It refuses interrupts until now, even those that name the turn, so one that was sent
    /// before is sent again.
    pub(super) fn on_turn_started(&mut self, core: &mut Core, native: NativeTurn) {
        self.is_stored = true;
        let is_new = self.turn.as_ref().is_some_and(|turn| turn.id.is_none());
        self.turn_is(core, &native.id);
        self.native_turn = Some(native.id);
        if !is_new && self.is_stopping() {
            self.send_interrupt(core);
        }
    }

    /// The app-server has nothing to do; a turn of its own that is not known to be over is.
    pub(super) fn on_idle(&mut self, core: &mut Core) {
        if self.turn.is_none() {
            self.native_turn = None;
            self.let_go(core);
            self.send_next(core);
        }
    }

    fn report_review(&self, core: &mut Core, turn: &mut Turn) {
        if let Some((id, review)) = turn.review.take() {
            self.say(core, ChunkKind::Message, &id, &review);
        }
    }

    /// A turn is over.
    pub(super) fn on_turn_completed(&mut self, core: &mut Core, native: &NativeTurn) {
        // A review begins under another id than it ends.
        let is_ours = self.turn.as_ref().is_some_and(|turn| turn.may_be(&native.id));
        if is_ours || self.native_turn.as_deref() == Some(native.id.as_str()) {
            self.native_turn = None;
        }
        let is_interrupted = native.status.as_deref() == Some("interrupted");
        self.tools.running.report_due_output(&mut core.io.client, &self.conversation.id, core.io.now.elapsed);
        if is_interrupted || native.status.as_deref() == Some("failed") {
            self.close_tools(core, if is_interrupted { "Cancelled" } else { "The turn failed" });
            self.compaction.end(&mut core.io.client, &self.conversation.id, CompactionStatus::Failed);
        }
        self.drop_asks(core);
        self.speech.clear();
        if is_interrupted {
            self.clean(core);
        }
        if let Some(mut turn) = self.turn.take_if(|_| is_ours) {
            self.report_review(core, &mut turn);
            let outcome = outcome(native, &turn);
            if outcome.is_ok() {
                self.conversation.name_after(&mut core.io.client, core.io.now, &turn.first_line);
            }
            match turn.proposal.take() {
                Some(proposal) if matches!(outcome, Ok(StopReason::EndTurn)) => {
                    return self.ask_plan(core, turn, proposal);
                }
                _ => self.finish_prompt(core, outcome),
            }
        }
        self.let_go(core);
        self.send_next(core);
    }

    /// Answers the running prompt, with the tokens of the turn.
    pub(super) fn finish_prompt(&mut self, core: &mut Core, outcome: Result<StopReason, Error>) {
        self.conversation.finish(&mut core.io.client, outcome, self.meter.of_turn());
    }

    /// Answers the running prompt although the CLI still works on it; `false` if that was done before.
    pub(super) fn fail_turn(&mut self, core: &mut Core, error: &Error) -> bool {
        let is_running = self.turn.as_ref().is_some_and(|turn| !turn.is_cancelled());
        if is_running {
            self.finish_prompt(core, Err(error.clone()));
        }
        is_running
    }

    /// The model refuses: the prompt is answered, and the CLI does not try again.
    pub(super) fn refused(&mut self, core: &mut Core) {
        if self.turn.as_ref().is_some_and(|turn| !turn.is_cancelled()) {
            self.finish_prompt(core, Ok(StopReason::Refusal));
            self.interrupt(core);
        }
    }

    /// Answers the running prompt as cancelled without waiting for the CLI to stop.
    pub(super) fn settle_cancelled(&mut self, core: &mut Core) {
        self.close_tools(core, "Cancelled");
        self.turn = None;
        self.finish_prompt(core, Ok(StopReason::Cancelled));
    }

    /// Ends the running prompt with its process: cancelled if that was wanted, otherwise with `error`.
    pub(super) fn abort_turn(&mut self, core: &mut Core, error: &Error) {
        let Some(turn) = self.turn.take() else { return };
        let outcome = if turn.is_cancelled() { Ok(StopReason::Cancelled) } else { Err(error.clone()) };
        self.finish_prompt(core, outcome);
    }
}
