//! Lines of the CLI.

use super::{Activity, Session};
use crate::core::Core;
use crate::native::Frame;
use agent_client_protocol_schema::v1::{Notice, NoticeSeverity, SessionUpdate};
use sa_acp::{Session as _, auth_required};
use serde_json::{Value, json};

impl Session {
    pub(super) fn on_frame(&mut self, core: &mut Core, frame: Frame) {
        match frame {
            Frame::Init(init) => self.on_init(core, &init),
            Frame::State(state) => self.on_state(core, &state),
            Frame::Status(status) => self.on_status(core, &status),
            Frame::Stream(stream) => self.on_stream(core, &stream),
            Frame::Assistant(assistant) => self.on_assistant(core, &assistant),
            Frame::User(user) => self.on_user_frame(core, &user),
            Frame::Result(result) => self.on_result(core, &result),
            Frame::Request(asked) => self.on_request(core, &asked),
            Frame::Withdrawn(id) => self.conversation.withdraw(&mut core.io.client, &id),
            Frame::Answered(mut answered) => self.on_control_response(core, answered["response"].take()),
            Frame::Retry(retry) => self.on_retry(core, &retry),
            Frame::Denied(denied) => self.on_tool_denied(core, &denied),
            Frame::Task(task) => self.on_task(core, &task),
            Frame::Progress(progress) => self.on_tool_progress(core, &progress),
            Frame::Compacted(compacted) => self.on_compacted(core, &compacted),
            Frame::Title(title) => self.conversation.rename(&mut core.io.client, core.io.now, title),
            Frame::Information(information) => self.on_information(core, &information),
            Frame::Commands(commands) => {
                self.learn_commands(&commands);
                self.conversation.report_commands(&mut core.io.client, self.commands.clone());
            }
            Frame::Ignored => {}
            Frame::Unknown(value) => {
                self.conversation.report_unknown_message(&mut core.io.client, value);
            }
        }
    }

    /// The CLI introduces itself at the start of each turn.
    fn on_init(&mut self, core: &mut Core, init: &Value) {
        if let Some(version) = init["claude_code_version"].as_str() {
            tracing::debug!(session = %self.conversation.id, version, "claude begins a turn");
        }
        self.is_stored = true;
        if let Some(id) = init["session_id"].as_str().filter(|id| *id != self.native_id) {
            // The user had the conversation cleared. A later process has to continue the new one.
            if let Err(error) = core.host.disk.moved(&self.conversation.id.0, id) {
                tracing::warn!(session = %self.conversation.id, %error, "it cannot be noted that a conversation was cleared");
            }
            id.clone_into(&mut self.native_id);
        }
        let mode = init["permissionMode"].as_str().is_some_and(|mode| self.settings.saw_mode(mode));
        let model = init["model"].as_str().is_some_and(|model| {
            self.meter.saw_model(model, core.windows.get(model).copied());
            self.settings.saw_model(model)
        });
        if mode {
            self.report_mode(core);
        } else if model {
            core.io.client.options_changed(&self.conversation.id, self.settings.options());
        }
    }

    fn on_state(&mut self, core: &mut Core, state: &str) {
        match state {
            "idle" => self.on_idle(core),
            "running" => {
                let before = std::mem::replace(&mut self.activity, Activity::Working);
                if before == Activity::Idle {
                    self.interrupt_again(core);
                }
            }
            _ if self.activity == Activity::Idle => self.activity = Activity::Working,
            _ => {}
        }
    }

    fn on_status(&mut self, core: &mut Core, status: &Value) {
        if let Some(mode) = status["permissionMode"].as_str()
            && self.settings.saw_mode(mode)
        {
            self.report_mode(core);
        }
        self.on_compaction_status(core, status);
    }

    /// The model's API failed. Nothing comes of trying again with credentials that are wrong.
    fn on_retry(&mut self, core: &mut Core, retry: &Value) {
        let kind = retry["error"].as_str().unwrap_or("unknown");
        if kind == "authentication_failed" {
            let message = "The model's API refused the credentials of Claude Code";
            if self.fail_turn(core, &auth_required(message)) {
                self.interrupt(core);
            }
            return;
        }
        let attempt = retry["attempt"].as_u64().unwrap_or(1);
        let of = retry["max_retries"].as_u64().unwrap_or_default();
        let milliseconds = retry["retry_delay_ms"].as_f64().unwrap_or_default().round();
        let status = retry["error_status"].as_i64();
        let detail = json!({
            "attempt": attempt,
            "maxRetries": of,
            "delayMs": milliseconds,
            "httpStatus": status,
            "errorKind": kind,
        });
        let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
        let seconds = milliseconds / 1000.0;
        let about = format!("Attempt {attempt} of {of}; the next one follows in {seconds:.1} s");
        core.io.client.api_retried(&self.conversation.id, &format!("{kind}{status}"), Some(about), detail);
    }

    fn on_information(&self, core: &mut Core, information: &Value) {
        let text = information["content"].as_str().unwrap_or_default();
        if core.io.client.handshake.shows_notices() && !text.trim().is_empty() {
            let severity = match information["level"].as_str() {
                Some("error") => NoticeSeverity::Error,
                Some("warning") => NoticeSeverity::Warning,
                _ => NoticeSeverity::Info,
            };
            let notice = Notice::new(severity, text.trim());
            return self.conversation.update(&mut core.io.client, &SessionUpdate::Notice(notice));
        }
        let about = json!({ "text": text, "level": information["level"] });
        core.io.client.remark(&self.conversation.id, "information", about);
    }

    /// Handles a message to the model in the user's name. Apart from results of tools it is the prompt itself, or text of
    /// the CLI that nobody wrote.
    fn on_user_frame(&mut self, core: &mut Core, user: &Value) {
        if user["isReplay"] == true {
            if let Some(turn) = &mut self.turn
                && user["uuid"].as_str().is_some_and(|uuid| turn.is(uuid))
            {
                turn.echoed = true;
                self.is_stored = true;
            }
            return;
        }
        self.tool_results(core, user);
    }
}
