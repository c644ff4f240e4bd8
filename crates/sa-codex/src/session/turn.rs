//! Prompts on their way to their answers, one native turn at a time.

use super::Session;
use super::failing::outcome;
use super::plan_exit::Proposal;
use super::prompt::Work;
use crate::core::Core;
use crate::native::answer::{Turn as NativeTurn, TurnAccepted, TurnError};
use crate::native::call::{Input, OfThread, StartReview, StartTurn};
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::{Error, StopReason};
use sa_acp::{Link, RequestKey, Session as _, Voice, failure};
use std::time::Duration;

/// A prompt that the CLI works on.
#[derive(Debug)]
pub(super) struct Turn {
    /// The request to answer; `None` if it was answered before the CLI was done.
    pub(super) key: Option<RequestKey>,
    /// The turn's own id, once it is known.
    pub(super) id: Option<String>,
    /// It was cancelled; when that is enforced if the CLI does not heed it.
    pub(super) cancel: Option<Duration>,
    /// When an interrupt that was refused is sent again.
    pub(super) interrupt_at: Option<Duration>,
    /// What the CLI said about a failure that it does not try again after.
    pub(super) error: Option<TurnError>,
    /// A plan that is to be approved when the turn is over.
    pub(super) proposal: Option<Proposal>,
    /// What a review came to, with the id of its item: told at the end if nothing else was said.
    pub(super) review: Option<(String, String)>,
    first_line: String,
}

impl Turn {
    pub(super) fn deadline(&self) -> Option<Duration> {
        let cancel = self.cancel.filter(|at| *at < Duration::MAX);
        [cancel, self.interrupt_at].into_iter().flatten().min()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_some()
    }

    /// Whether this is the native turn of that id, or may be: not all that starts one tells its id.
    pub(super) fn may_be(&self, id: &str) -> bool {
        self.id.as_deref().is_none_or(|own| own == id)
    }

    /// Whether this is the native turn of that id.
    pub(super) fn is(&self, id: &str) -> bool {
        self.id.as_deref() == Some(id)
    }

    pub(super) fn new(key: Option<RequestKey>, first_line: String) -> Self {
        Self {
            key,
            id: None,
            cancel: None,
            interrupt_at: None,
            error: None,
            proposal: None,
            review: None,
            first_line,
        }
    }
}

impl Session {
    /// Sends the next prompt to the app-server if that is ready for it. What is sent while it works would be folded into
    /// that work and never get an answer of its own.
    pub(super) fn send_next(&mut self, core: &mut Core) {
        if self.is_busy() || self.conversation.queue.is_empty() || !self.conversation.is_open() {
            return;
        }
        if self.link != Link::Up {
            return core.server.revive(&mut self.link, &self.conversation.id);
        }
        if !self.mcp.is_done() {
            return self.mcp.hold(core.now.elapsed);
        }
        let Some(prompt) = self.conversation.queue.pop_front() else { return };
        let work = self.work_of(prompt.content);
        self.begin(core, Turn::new(Some(prompt.key), prompt.first_line), &work);
    }

    pub(super) fn begin(&mut self, core: &mut Core, turn: Turn, work: &Work) {
        self.turn = Some(turn);
        self.meter.turn_begins();
        let (then, limit) = (Then::Started(self.conversation.id.clone()), core.host.limits.open);
        let thread_id = self.thread.as_str();
        match work {
            Work::Turn(input) => self.start_turn(core, input),
            Work::Compact => core.ask("thread/compact/start", OfThread { thread_id }, limit, then),
            Work::Review(target) => {
                let params = StartReview { thread_id, target: target.clone(), delivery: "inline" };
                core.ask("review/start", params, limit, then);
            }
        }
    }

    fn start_turn(&self, core: &mut Core, input: &[Input]) {
        let settings = &self.settings;
        let params = StartTurn {
            thread_id: &self.thread,
            input,
            cwd: &self.conversation.workspace.cwd,
            approval_policy: settings.approval_policy(),
            sandbox_policy: settings.sandbox_policy(&self.conversation.workspace.directories),
            model: settings.model(),
            effort: settings.effort(),
            summary: "auto",
            collaboration_mode: settings.collaboration(),
        };
        core.ask("turn/start", params, core.host.limits.open, Then::Started(self.conversation.id.clone()));
    }

    /// The app-server has taken the prompt, or not.
    pub(crate) fn turn_accepted(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        match outcome.text() {
            Ok(_) => {
                // Compactions do not tell which turn they are.
                if let Ok(accepted) = outcome.read::<TurnAccepted>() {
                    self.turn_is(core, &accepted.turn.id);
                }
            }
            Err(reason) => {
                // What has begun all the same comes to its own end.
                let is_running = self.native_turn.is_some();
                let turn = self.turn.take_if(|turn| turn.id.is_none() && !is_running);
                if let Some(turn) = turn {
                    let outcome = if turn.is_cancelled() {
                        Ok(StopReason::Cancelled)
                    } else {
                        Err(failure(reason, "refused"))
                    };
                    self.settle(core, turn, outcome);
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
    pub(super) fn turn_started(&mut self, core: &mut Core, native: NativeTurn) {
        self.is_stored = true;
        let is_new = self.turn.as_ref().is_some_and(|turn| turn.id.is_none());
        self.turn_is(core, &native.id);
        self.native_turn = Some(native.id);
        if !is_new && self.is_stopping() {
            self.send_interrupt(core);
        }
    }

    /// The app-server has nothing to do; a turn of its own that is not known to be over is.
    pub(super) fn idle(&mut self, core: &mut Core) {
        if self.turn.is_none() {
            self.native_turn = None;
            self.let_go(core);
            self.send_next(core);
        }
    }

    fn tell_review(&self, core: &mut Core, turn: &mut Turn) {
        if let Some((id, review)) = turn.review.take() {
            self.say(core, Voice::Said, &id, &review);
        }
    }

    /// A turn is over.
    pub(super) fn turn_completed(&mut self, core: &mut Core, native: &NativeTurn) {
        // A review begins under another id than it ends.
        let is_ours = self.turn.as_ref().is_some_and(|turn| turn.may_be(&native.id));
        if is_ours || self.native_turn.as_deref() == Some(native.id.as_str()) {
            self.native_turn = None;
        }
        let is_interrupted = native.status.as_deref() == Some("interrupted");
        self.tell_printed(core);
        if is_interrupted || native.status.as_deref() == Some("failed") {
            self.close_tools(core, if is_interrupted { "Cancelled" } else { "The turn failed" });
            self.compaction_lost(core);
        }
        self.drop_asks(core);
        self.speech.clear();
        if is_interrupted {
            self.clean(core);
        }
        if let Some(mut turn) = self.turn.take_if(|_| is_ours) {
            self.tell_review(core, &mut turn);
            let outcome = outcome(native, &turn);
            if outcome.is_ok() {
                self.name_after(core, &turn.first_line);
            }
            match turn.proposal.take() {
                Some(proposal) if matches!(outcome, Ok(StopReason::EndTurn)) => {
                    return self.ask_plan(core, turn, proposal);
                }
                _ => self.settle(core, turn, outcome),
            }
        }
        self.let_go(core);
        self.send_next(core);
    }

    pub(super) fn settle(&mut self, core: &mut Core, turn: Turn, outcome: Result<StopReason, Error>) {
        let Some(key) = turn.key else { return };
        match outcome {
            Ok(reason) => core.client.prompt_done(&key, reason, self.meter.of_turn()),
            Err(error) => core.client.fail(&key, &error),
        }
    }

    /// Answers the running prompt although the CLI still works on it; `false` if that was done before.
    pub(super) fn fail_turn(&mut self, core: &mut Core, error: &Error) -> bool {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.cancel.is_none()) else { return false };
        if let Some(key) = turn.key.take() {
            core.client.fail(&key, error);
        }
        true
    }

    /// The model refuses: the prompt is answered, and the CLI does not try again.
    pub(super) fn refused(&mut self, core: &mut Core) {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.cancel.is_none()) else { return };
        if let Some(key) = turn.key.take() {
            core.client.prompt_done(&key, StopReason::Refusal, self.meter.of_turn());
        }
        self.stop(core);
    }

    /// Answers the running prompt as cancelled without waiting for the CLI to stop.
    pub(super) fn settle_cancelled(&mut self, core: &mut Core) {
        self.close_tools(core, "Cancelled");
        if let Some(turn) = self.turn.take() {
            self.settle(core, turn, Ok(StopReason::Cancelled));
        }
    }

    /// Ends the running prompt with its process: cancelled if that was wanted, otherwise with `error`.
    pub(super) fn abort_turn(&mut self, core: &mut Core, error: &Error) {
        let Some(turn) = self.turn.take() else { return };
        let outcome = if turn.is_cancelled() { Ok(StopReason::Cancelled) } else { Err(error.clone()) };
        self.settle(core, turn, outcome);
    }

    /// A new session is called by what was asked first, until it gets a better name.
    fn name_after(&mut self, core: &mut Core, first_line: &str) {
        if self.is_nameless {
            self.conversation.name_after(&mut core.client, core.now, first_line);
        }
    }

    pub(super) fn rename(&mut self, core: &mut Core, title: String) {
        self.conversation.rename(&mut core.client, core.now, title);
    }
}
