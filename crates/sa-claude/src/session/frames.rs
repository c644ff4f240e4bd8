//! What becomes of each line of the CLI.

use super::Session;
use crate::core::Core;
use crate::native::Frame;
use crate::native::frame::{Information, Init, Retry, Status};
use crate::native::message::UserFrame;
use agent_client_protocol_schema::v1::{Notice, NoticeSeverity, SessionUpdate};
use sa_acp::{Session as _, auth_required, clipped};
use serde_json::json;

impl Session {
    /// Takes a line of the CLI.
    pub(crate) fn native(&mut self, core: &mut Core, line: &[u8]) {
        match Frame::read(line) {
            Ok(frame) => self.frame(core, frame),
            Err(reason) => {
                let text = String::from_utf8_lossy(line);
                self.conversation
                    .report_unknown(&mut core.client, json!({ "reason": reason, "raw": clipped(&text) }));
            }
        }
    }

    fn frame(&mut self, core: &mut Core, frame: Frame) {
        match frame {
            Frame::Init(init) => self.turn_began(core, init),
            Frame::State(state) => self.state_changed(core, &state.state),
            Frame::Status(status) => self.status_changed(core, &status),
            Frame::Stream(stream) => self.streamed(core, stream),
            Frame::Assistant(assistant) => self.spoke(core, assistant),
            Frame::User(user) => self.told(core, &user),
            Frame::Result(result) => self.turn_ended(core, &result),
            Frame::Asked(asked) => self.asked(core, asked),
            Frame::Withdrawn(id) => self.conversation.withdraw(&mut core.client, &id),
            Frame::Answered(answered) => self.control_answered(core, answered.response),
            Frame::Retry(retry) => self.retried(core, &retry),
            Frame::Denied(denied) => self.tool_denied(core, &denied),
            Frame::Task(task) => self.task_changed(core, task),
            Frame::Progress(progress) => self.tool_progressed(core, &progress),
            Frame::Compacted(compacted) => self.compacted(core, &compacted),
            Frame::Title(title) => self.rename(core, title),
            Frame::Information(information) => self.informed(core, &information),
            Frame::Commands(commands) => {
                self.learn_commands(&commands);
                self.tell_commands(core);
            }
            Frame::Ignored => {}
            Frame::Unknown(value) => {
                self.conversation.report_unknown_message(&mut core.client, value);
            }
        }
    }

    /// The CLI introduces itself at the start of each turn.
    fn turn_began(&mut self, core: &mut Core, init: Init) {
        if let Some(version) = init.claude_code_version {
            tracing::debug!(session = %self.conversation.id, version, "claude begins a turn");
        }
        self.is_stored = true;
        if let Some(id) = init.session_id.filter(|id| *id != self.native_id) {
            // The user had the conversation cleared. A later process has to continue the new one.
            if let Err(error) = core.host.disk.moved(&self.conversation.id.0, &id) {
                tracing::warn!(session = %self.conversation.id, %error, "it cannot be noted that a conversation was cleared");
            }
            self.native_id = id;
        }
        let mode = init.permission_mode.is_some_and(|mode| self.settings.saw_mode(&mode));
        let model = init.model.is_some_and(|model| {
            self.meter.saw_model(&model, core.windows.get(&model).copied());
            self.settings.saw_model(&model)
        });
        if mode {
            self.tell_mode(core);
        } else if model {
            core.client.options_changed(&self.conversation.id, self.settings.options());
        }
    }

    fn state_changed(&mut self, core: &mut Core, state: &str) {
        match state {
            "idle" => self.idle(core),
            "running" => {
                let resumed = std::mem::replace(&mut self.running, true);
                self.settling = None;
                if !resumed {
                    self.interrupt_again(core);
                }
            }
            _ => self.running = true,
        }
    }

    fn status_changed(&mut self, core: &mut Core, status: &Status) {
        if let Some(mode) = &status.permission_mode
            && self.settings.saw_mode(mode)
        {
            self.tell_mode(core);
        }
        self.compaction_changed(core, status);
    }

    /// The model's API failed. Nothing comes of trying again with credentials that are wrong.
    fn retried(&mut self, core: &mut Core, retry: &Retry) {
        let kind = retry.error.as_deref().unwrap_or("unknown");
        if kind == "authentication_failed" {
            let message = "The model's API refused the credentials of Claude Code";
            if self.fail_turn(core, &auth_required(message)) {
                self.interrupt(core);
            }
            return;
        }
        let (attempt, of) = (retry.attempt.unwrap_or(1), retry.max_retries.unwrap_or_default());
        let milliseconds = retry.retry_delay_ms.unwrap_or_default().round();
        let detail = json!({
            "attempt": attempt,
            "maxRetries": of,
            "delayMs": milliseconds,
            "httpStatus": retry.error_status,
            "errorKind": kind,
        });
        let status = retry.error_status.map(|status| format!(" ({status})")).unwrap_or_default();
        let title = format!("The model's API failed: {kind}{status}");
        let seconds = milliseconds / 1000.0;
        let about = format!("Attempt {attempt} of {of}; the next one follows in {seconds:.1} s");
        let notice = Notice::new(NoticeSeverity::Warning, title).description(about);
        core.client.notice(&self.conversation.id, notice, "apiRetry", detail);
    }

    fn informed(&self, core: &mut Core, information: &Information) {
        if core.client.handshake.shows_notices() && !information.content.trim().is_empty() {
            let severity = match information.level.as_deref() {
                Some("error") => NoticeSeverity::Error,
                Some("warning") => NoticeSeverity::Warning,
                _ => NoticeSeverity::Info,
            };
            let notice = Notice::new(severity, information.content.trim());
            return self.conversation.update(&mut core.client, &SessionUpdate::Notice(notice));
        }
        let about = json!({ "text": information.content, "level": information.level });
        core.client.remark(&self.conversation.id, "information", about);
    }

    /// Returns what goes to the model in the user's name. Only results of tools are of interest: the rest is the prompt
    /// itself, or words of the CLI that nobody said.
    fn told(&mut self, core: &mut Core, user: &UserFrame) {
        if user.is_replay {
            if let Some(turn) = &mut self.turn
                && user.uuid.as_deref().is_some_and(|uuid| turn.is(uuid))
            {
                turn.echoed = true;
                self.is_stored = true;
            }
            return;
        }
        self.tool_results(core, user);
    }
}
