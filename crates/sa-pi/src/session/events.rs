//! Events and responses of the CLI.

use super::opening::GATE;
use super::{Session, Then};
use crate::core::Core;
use crate::native::{Delta, Event, Message, ToolResult};
use crate::tools;
use agent_client_protocol_schema::v1::{CompactionStatus, StopReason, ToolCallStatus};
use sa_acp::{ChunkKind, failure};
use serde_json::{Value, json};

impl Session {
    pub(super) fn on_event(&mut self, core: &mut Core, event: Event) {
        match event {
            Event::Response { id, success, data, error } => {
                let Some(then) = id.and_then(|id| self.requests.answered(id.as_str())) else { return };
                let answer = match success {
                    true => Ok(data.unwrap_or_default()),
                    false => Err(error.unwrap_or_else(|| "refused".to_owned())),
                };
                self.on_response(core, then, answer);
            }
            Event::ToolExecutionStart { .. }
            | Event::ToolExecutionUpdate { .. }
            | Event::ToolExecutionEnd { .. } => self.on_tool_event(core, event),
            Event::CompactionStart | Event::CompactionEnd { .. } | Event::AutoRetryStart { .. } => {
                self.on_delay(core, event);
            }
            Event::AgentStart => self.on_agent_started(core),
            Event::AgentEnd => self.on_agent_ended(core),
            Event::MessageStart { message } if message.role == "assistant" => self.messages += 1,
            Event::MessageUpdate { assistant_message_event } => match assistant_message_event {
                Delta::Text { delta } => self.say(core, ChunkKind::Message, &delta),
                Delta::Thinking { delta } => self.say(core, ChunkKind::Thought, &delta),
                Delta::Other => {}
            },
            Event::MessageEnd { message } if message.role == "assistant" => {
                self.on_message_ended(core, message)
            }
            Event::ExtensionUiRequest { .. } => self.on_dialog(core, event),
            Event::ExtensionError { error } => tracing::warn!(error, "an extension of pi failed"),
            Event::MessageStart { .. }
            | Event::MessageEnd { .. }
            | Event::TurnStart
            | Event::TurnEnd
            | Event::AutoRetryEnd
            | Event::QueueUpdate
            | Event::ThinkingLevelChanged => {}
        }
    }

    fn on_tool_event(&mut self, core: &mut Core, event: Event) {
        match event {
            Event::ToolExecutionStart { tool_call_id, tool_name, args } => {
                let described =
                    tools::describe(&tool_name, &args, &self.workspace.cwd, core.host.disk.as_ref());
                let session = &self.conversation.id;
                self.tools.start(&mut core.io.client, session, &tool_call_id, described, None);
            }
            Event::ToolExecutionUpdate { tool_call_id, partial_result } => {
                let text = partial_result.text();
                self.tools.printed(&tool_call_id, core.io.now.elapsed, |output| {
                    let is_new = *output != text;
                    *output = text;
                    is_new
                });
            }
            Event::ToolExecutionEnd { tool_call_id, result, is_error } => {
                let status = if is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
                self.on_tool_ended(core, &tool_call_id, &result, status);
            }
            _ => {}
        }
    }

    /// Handles what makes a turn take longer: compaction, and attempts of the model's API that failed.
    fn on_delay(&mut self, core: &mut Core, event: Event) {
        match event {
            Event::CompactionStart => {
                self.turn_continues();
                let id = format!("compaction_{}", self.messages);
                self.compaction.begin(&mut core.io.client, &self.conversation.id, &id);
            }
            Event::CompactionEnd { result, will_retry } => {
                let status = match result {
                    Some(_) => CompactionStatus::Completed,
                    None => CompactionStatus::Failed,
                };
                self.compaction.end(&mut core.io.client, &self.conversation.id, status);
                if will_retry != Some(true) {
                    self.on_agent_ended(core);
                }
            }
            Event::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                self.turn_continues();
                let seconds = delay_ms / 1000;
                let about =
                    format!("Attempt {attempt} of {max_attempts}; the next one follows in {seconds} s");
                let detail = json!({
                    "attempt": attempt, "maxRetries": max_attempts, "delayMs": delay_ms, "message": error_message,
                });
                core.io.client.api_retried(&self.conversation.id, &error_message, Some(about), detail);
            }
            _ => {}
        }
    }

    pub(super) fn on_response(&mut self, core: &mut Core, then: Then, answer: Result<Value, String>) {
        match then {
            Then::Gate | Then::State | Then::Models | Then::Commands | Then::History => {
                self.on_greeting(core, &then, answer);
            }
            Then::Reloaded => self.on_reloaded(core, answer),
            Then::Prompted => self.on_prompted(core, answer),
            Then::Settled => self.on_settled(core),
            // Nothing may have run that would end.
            Then::Aborted => self.on_agent_ended(core),
            Then::Compacted => match answer {
                Ok(_) => self.end_turn(core, Ok(StopReason::EndTurn)),
                Err(reason) => self.end_turn(core, Err(failure(reason, "compaction_failed"))),
            },
            Then::Changed(request, change) => match answer {
                Ok(_) => self.apply(core, &request, change),
                Err(reason) => core.io.client.fail(&request.key, &failure(reason, "refused")),
            },
            Then::Nothing => {
                if let Err(reason) = answer {
                    tracing::debug!(reason, "pi refused a command");
                }
            }
        }
    }

    /// Handles a dialog of the extension. Dialogs of others are cancelled.
    fn on_dialog(&mut self, core: &mut Core, event: Event) {
        let Event::ExtensionUiRequest { id, method, title, placeholder, status_key } = event else { return };
        match (method.as_str(), title.as_deref()) {
            ("setStatus", _) if status_key.as_deref() == Some("sandbox-agent") => {
                if let Some(then) = self.requests.answered(GATE) {
                    self.on_response(core, then, Ok(Value::Null));
                }
            }
            ("input", Some("sandbox-agent/permission")) => {
                match serde_json::from_str(&placeholder.unwrap_or_default()) {
                    Ok(call) => self.on_gate(core, &id, call),
                    Err(error) => {
                        self.answer_gate(core, &id, Some(&format!("The call is not known: {error}")))
                    }
                }
            }
            ("select" | "confirm" | "input" | "editor", _) => self.answer_gate(core, &id, None),
            _ => {}
        }
    }

    fn say(&self, core: &mut Core, kind: ChunkKind, text: &str) {
        let message = format!("{}-{}", self.conversation.id, self.messages);
        core.io.client.say(&self.conversation.id, kind, &message, text);
    }

    fn on_message_ended(&mut self, core: &mut Core, message: Message) {
        if let Some(tokens) = message.usage {
            self.on_metered(core, tokens);
        }
        if let Some(turn) = &mut self.turn {
            turn.last = Some(message);
        }
    }

    fn on_tool_ended(&mut self, core: &mut Core, id: &str, result: &ToolResult, status: ToolCallStatus) {
        let Some(tool) = self.tools.get(id) else { return };
        let outcome = tools::outcome(id, &tool.described.name, &result.text(), status);
        self.tools.done(&mut core.io.client, &self.conversation.id, id, outcome);
    }
}
