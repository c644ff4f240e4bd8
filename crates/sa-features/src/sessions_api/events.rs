//! Events of a session, as ACP.

use super::Inner;
use crate::log::Entry;
use sa_api::sessions::{
    EventData, ResolvedBy, Role, StopReason, TurnEnded, UniversalEvent, UniversalMessage,
};
use sa_universal::testing::Projector;
use serde_json::{Value, json};

impl Inner {
    pub(super) fn tell(&self, session: &str, projector: &mut Projector, settled: u64, event: UniversalEvent) {
        let own = matches!(&event.data, EventData::Message(UniversalMessage::Parsed(message))
            if message.role == Role::User && message.metadata.contains_key("turnId") && message.id.starts_with("msg_"));
        // Initial choices are in the answer that opened the session.
        let initial = event.id <= settled && matches!(event.data, EventData::ModeChanged(_));
        let updates = projector.updates(&event.data);
        // A client's own messages are not repeated to it in ACP.
        if !own && !initial {
            for update in updates {
                let params = json!({ "sessionId": session, "update": update });
                (self.take)(json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
            }
        }
        match event.data {
            EventData::PermissionAsked(request) => self.permission(session, request),
            EventData::QuestionAsked(request) => self.question(session, request),
            EventData::PermissionResolved(resolved) => self.withdrawn(&resolved.id, resolved.by),
            EventData::QuestionResolved(resolved) => self.withdrawn(&resolved.id, resolved.by),
            EventData::Error(crash) => {
                if let Some(turn) = &crash.turn_id {
                    let code = crash.details.as_ref().and_then(|details| details["code"].as_i64());
                    let code = match crash.kind.as_str() {
                        "authRequired" => -32000,
                        _ => code.unwrap_or(-32603),
                    };
                    let error = json!({ "code": code, "message": crash.message, "data": crash.details });
                    self.state().faults.insert(turn.clone(), error);
                }
                let data = serde_json::to_value(&crash).unwrap_or_default();
                self.log.push(Entry::Fact { name: crash.kind.as_str().to_owned(), data });
            }
            EventData::Unknown(unknown) => {
                let own = unknown.raw["_meta"].as_object();
                if own.is_some_and(|own| own.values().any(|about| !about["unparsed"].is_null())) {
                    self.log.push(Entry::Fact { name: "unparsed".to_owned(), data: unknown.raw });
                }
            }
            EventData::TurnEnded(ended) => self.turn_ended(&ended),
            EventData::MessageWithdrawn(withdrawn) => self.turn_ended(&TurnEnded {
                turn_id: withdrawn.turn_id,
                stop_reason: StopReason::Cancelled,
                reason: None,
                usage: None,
            }),
            _ => {}
        }
    }

    /// Nobody waits for the answer any more, though nobody of ours has given it.
    fn withdrawn(&self, id: &str, by: ResolvedBy) {
        if by != ResolvedBy::Client {
            let params = json!({ "requestId": id });
            (self.take)(json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": params }));
        }
    }

    fn turn_ended(&self, ended: &TurnEnded) {
        let (outcome, prompt) = {
            let mut state = self.state();
            let fault = state.faults.remove(&ended.turn_id);
            let outcome = match fault.filter(|_| ended.stop_reason == StopReason::Error) {
                Some(fault) => json!({ "error": fault }),
                None => json!({ "result": result(ended) }),
            };
            let prompt = state.prompts.remove(&ended.turn_id);
            if prompt.is_none() {
                state.ended.insert(ended.turn_id.clone(), outcome.clone());
            }
            (outcome, prompt)
        };
        if let Some(prompt) = prompt {
            self.respond(&prompt, &outcome);
        }
    }
}

fn result(ended: &TurnEnded) -> Value {
    let reason = match ended.stop_reason {
        StopReason::EndTurn => "end_turn",
        StopReason::MaxTokens => "max_tokens",
        StopReason::MaxTurnRequests => "max_turn_requests",
        StopReason::Refusal => "refusal",
        StopReason::Cancelled => "cancelled",
        StopReason::Error | StopReason::Unknown => "unknown",
    };
    let mut result = json!({ "stopReason": reason });
    if let Some(usage) = &ended.usage {
        result["usage"] = json!(usage.tokens);
    }
    result
}
