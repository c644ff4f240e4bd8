//! Prompts on their way to their answers, one native turn at a time.

use super::control::Then;
use super::opening::ControlOutcome;
use super::{Activity, Session};

use crate::core::Core;
use crate::limits::SETTLE;
use crate::native::answer::Settings;
use crate::native::frame::TurnResult;
use crate::native::line::{plain, prompt as prompt_line};
use agent_client_protocol_schema::v1::{Error, StopReason, Usage};
use sa_acp::{Cancellation, Session as _, auth_required, failure};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// A prompt that the CLI works on.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The prompt's own id in the CLI.
    uuid: String,
    /// Set if the CLI has taken it up.
    pub(super) echoed: bool,
    pub(super) cancel: Cancellation,
    /// The turn was cancelled and the CLI reported its result and usage. The prompt is answered when the CLI is idle, so that nothing
    /// follows the answer.
    ended: Option<Option<Usage>>,
    /// The CLI's name for the error of the model's API.
    pub(super) error: Option<String>,
    first_line: String,
}

impl Turn {
    pub(super) fn is(&self, uuid: &str) -> bool {
        self.uuid == uuid
    }
}

impl Session {
    /// Sends the next prompt, or starts a process for it.
    pub(super) fn send_prompt(&mut self, core: &mut Core) {
        let Some(child) = &self.child else { return self.restart(core) };
        let is_ready = child.note.greeting.is_none() && !child.is_ending();
        if is_ready && !self.mcp.wait.is_done() {
            return self.mcp.wait.hold(core.io.now.elapsed);
        }
        if !is_ready {
            return;
        }
        let id = child.id;
        let Some(prompt) = self.conversation.next_prompt() else { return };
        let uuid = (core.host.new_id)();
        core.io.processes.write(id, prompt_line(prompt.parts, &uuid));
        self.turn = Some(Turn { uuid, first_line: prompt.first_line, ..Turn::default() });
    }

    /// An interrupt that comes before the CLI has taken the prompt up does not hold: it is sent again once the CLI has.
    pub(super) fn interrupt_again(&mut self, core: &mut Core) {
        if self.turn.as_ref().is_some_and(|turn| turn.cancel.is_requested()) {
            self.order(core, &plain("interrupt"), "interrupt");
        }
    }

    /// Ends a CLI that does not stop its work.
    pub(super) fn enforce_cancel(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        if self.turn.as_mut().is_some_and(|turn| turn.cancel.expire(now))
            && let Some(child) = &mut self.child
        {
            tracing::warn!(session = %self.conversation.id, "claude does not heed an interrupt and is ended");
            child.hurry(&mut core.io.processes, Duration::ZERO);
        }
    }

    pub(super) fn on_result(&mut self, core: &mut Core, result: &TurnResult) {
        self.meter_result(core, result);
        if self.activity != Activity::Idle {
            self.activity = Activity::Settling(core.io.now.elapsed + SETTLE);
        }
        if let Some(child) = self.child.as_mut().filter(|child| child.note.greeting.is_some()) {
            child.complaint = Some(errors(result));
            return;
        }
        let Some(mut turn) = self.turn.take_if(|turn| turn.ended.is_none() && concerns(result, turn)) else {
            return;
        };
        if turn.cancel.is_requested() {
            self.tools.close(&mut core.io.client, &self.conversation.id, "Cancelled");
            if self.activity != Activity::Idle {
                if self.conversation.is_awaited() {
                    self.conversation.name_after(&mut core.io.client, core.io.now, &turn.first_line);
                }
                turn.ended = Some(result.usage.map(|tokens| tokens.usage()));
                self.turn = Some(turn);
                return;
            }
        }
        self.follow_command(core, &turn.first_line);
        let outcome = outcome(result, &turn);
        if self.conversation.is_awaited() && outcome.is_ok() {
            self.conversation.name_after(&mut core.io.client, core.io.now, &turn.first_line);
        }
        let usage = result.usage.map(|tokens| tokens.usage());
        self.conversation.finish(&mut core.io.client, outcome, usage);
        self.send_next(core);
    }

    /// The CLI says that it is idle. A prompt that it has taken up and that got no result is over all the same.
    pub(super) fn on_idle(&mut self, core: &mut Core) {
        self.activity = Activity::Idle;
        self.settle_cancelled(core);
        if let Some(turn) = self.turn.take_if(|turn| turn.echoed) {
            let reason = if turn.cancel.is_requested() { StopReason::Cancelled } else { StopReason::EndTurn };
            self.conversation.finish(&mut core.io.client, Ok(reason), None);
        }
        self.send_next(core);
    }

    /// Answers a cancelled turn whose result is there.
    pub(super) fn settle_cancelled(&mut self, core: &mut Core) {
        if let Some(mut turn) = self.turn.take_if(|turn| turn.ended.is_some()) {
            let usage = turn.ended.take().flatten();
            self.conversation.finish(&mut core.io.client, Ok(StopReason::Cancelled), usage);
        }
    }

    /// Some commands of the CLI change what a client can set: the CLI is asked what holds now.
    fn follow_command(&mut self, core: &mut Core, first_line: &str) {
        if let Some(model) =
            first_line.strip_prefix("/model ").map(str::trim).filter(|model| !model.is_empty())
        {
            let then = Then::ModelFollowed(model.to_owned());
            self.control(core, &plain("get_settings"), core.host.limits.control, then);
        }
    }

    pub(super) fn on_model_followed(&mut self, core: &mut Core, name: &str, answer: ControlOutcome) {
        let settings = answer.and_then(Result::ok).and_then(|value| Settings::deserialize(value).ok());
        let Some(full) = settings.and_then(|settings| settings.applied.model) else { return };
        if self.settings.follow_model(name, &full) {
            self.meter.model_changed();
            core.io.client.options_changed(&self.conversation.id, self.settings.options());
        }
    }

    /// Answers the running prompt although the CLI still works on it; `false` if that was done before.
    pub(super) fn fail_turn(&mut self, core: &mut Core, error: &Error) -> bool {
        let is_running = self.turn.as_ref().is_some_and(|turn| !turn.cancel.is_requested());
        if is_running {
            self.conversation.finish(&mut core.io.client, Err(error.clone()), None);
        }
        is_running
    }

    /// Ends the running prompt with its process: cancelled if that was wanted, otherwise with `error`.
    pub(super) fn abort_turn(&mut self, core: &mut Core, error: &Error) {
        let Some(turn) = self.turn.take() else { return };
        let outcome = if turn.cancel.is_requested() { Ok(StopReason::Cancelled) } else { Err(error.clone()) };
        self.conversation.finish(&mut core.io.client, outcome, None);
    }

    /// Refuses all prompts, running and waiting.
    pub(super) fn fail_prompts(&mut self, core: &mut Core, error: &Error) {
        self.abort_turn(core, error);
        self.conversation.fail_queue(&mut core.io.client, error);
    }
}

/// Returns whether a result is the answer to this turn's prompt. The CLI has turns of its own, too; and a prompt that
/// it took up during one of them is answered by that one.
fn concerns(result: &TurnResult, turn: &Turn) -> bool {
    let own = result.origin["kind"] == "task-notification";
    match &result.user_message_uuids {
        Some(uuids) if !uuids.is_empty() => uuids.contains(&turn.uuid),
        _ if own => turn.echoed,
        _ => true,
    }
}

fn outcome(result: &TurnResult, turn: &Turn) -> Result<StopReason, Error> {
    let is_aborted = result.terminal_reason.as_deref().is_some_and(|reason| reason.starts_with("aborted"));
    if turn.cancel.is_requested() || is_aborted {
        return Ok(StopReason::Cancelled);
    }
    if result.stop_reason.as_deref() == Some("refusal") {
        return Ok(StopReason::Refusal);
    }
    if result.subtype.as_deref().is_some_and(|subtype| subtype.starts_with("error_max")) {
        return Ok(StopReason::MaxTurnRequests);
    }
    // The CLI asks the model to continue a few times before it gives up.
    if turn.error.as_deref() == Some("max_output_tokens") {
        return Ok(StopReason::MaxTokens);
    }
    if result.is_error || result.subtype.as_deref() == Some("error_during_execution") {
        return Err(model_error(result, turn.error.as_deref()));
    }
    match result.stop_reason.as_deref() {
        Some("max_tokens") => Ok(StopReason::MaxTokens),
        _ => Ok(StopReason::EndTurn),
    }
}

fn model_error(result: &TurnResult, kind: Option<&str>) -> Error {
    let message = result.result.clone().filter(|text| !text.is_empty()).unwrap_or_else(|| errors(result));
    if kind == Some("authentication_failed") || message.contains("Please run /login") {
        return auth_required(message);
    }
    let kind = kind.filter(|kind| *kind != "unknown").unwrap_or_else(|| kind_of(result.api_error_status));
    failure(message, kind).data(json!({ "errorKind": kind, "httpStatus": result.api_error_status }))
}

/// Returns what went wrong by the status of the model's API, where the CLI has no word for it.
fn kind_of(status: Option<i64>) -> &'static str {
    match status {
        Some(400 | 413 | 422) => "invalid_request",
        Some(429) => "rate_limit",
        Some(529) => "overloaded",
        Some(500..) => "server_error",
        _ => "unknown",
    }
}

fn errors(result: &TurnResult) -> String {
    let word = |error: &Value| error.as_str().map_or_else(|| error.to_string(), str::to_owned);
    let words: Vec<_> = result.errors.iter().map(word).collect();
    if words.is_empty() { "claude failed without saying why".to_owned() } else { words.join("; ") }
}
