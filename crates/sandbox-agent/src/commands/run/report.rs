//! The answer and the cost of a run, as one JSON object.

use super::outcome::Outcome;
use crate::commands::render::print_json;
use crate::commands::terminal::key_variable;
use sa_api::sessions::{
    CrashInfo, CrashKind, DeltaKind, EventData, MessagePart, Role, StopReason, UniversalEvent,
    UniversalMessage, Usage,
};
use sa_terminal::explain_crash;
use serde::Serialize;
use std::io;
use std::time::Instant;

/// A run as it is reported at its end.
pub(super) struct Report {
    session_id: String,
    agent: String,
    pub(super) turn_id: Option<String>,
    started: Instant,
    /// The agent's messages and their texts, in order.
    texts: Vec<(String, String)>,
    usage: Option<Usage>,
    stop_reason: Option<StopReason>,
    crash: Option<CrashInfo>,
}

/// The object that is printed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Printed<'a> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<StopReason>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<&'a Usage>,
    duration_ms: u64,
    agent: &'a str,
    session_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<PrintedError>,
}

#[derive(Serialize)]
struct PrintedError {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Report {
    pub(super) fn new(session_id: &str, agent: &str) -> Self {
        Self {
            session_id: session_id.to_owned(),
            agent: agent.to_owned(),
            turn_id: None,
            started: Instant::now(),
            texts: Vec::new(),
            usage: None,
            stop_reason: None,
            crash: None,
        }
    }

    pub(super) fn on_event(&mut self, event: &UniversalEvent) {
        match &event.data {
            // The texts of sub-agents are not the answer.
            EventData::MessageDelta(delta) if delta.kind == DeltaKind::Text && delta.parent_id.is_none() => {
                self.text_of(&delta.message_id).push_str(&delta.text);
            }
            EventData::Message(UniversalMessage::Parsed(message))
                if message.role == Role::Assistant && !message.metadata.contains_key("parentId") =>
            {
                let texts: Vec<&str> = message
                    .parts
                    .iter()
                    .filter_map(|part| match part {
                        MessagePart::Text { text } => Some(text.as_str()),
                        _ => None,
                    })
                    .collect();
                if !texts.is_empty() {
                    *self.text_of(&message.id) = texts.concat();
                }
            }
            EventData::Usage(usage) => self.usage = Some(usage.clone()),
            EventData::Error(crash) => self.crash = Some(crash.clone()),
            EventData::TurnEnded(ended) => {
                self.stop_reason = Some(ended.stop_reason);
                self.usage = ended.usage.clone().or(self.usage.take());
            }
            _ => {}
        }
    }

    /// Returns true if the agent failed because it is not logged in.
    pub(super) fn is_logged_out(&self) -> bool {
        self.crash.as_ref().is_some_and(|crash| crash.kind == CrashKind::AuthRequired)
    }

    pub(super) fn print(&self, outcome: &Outcome) -> io::Result<()> {
        let crash = || {
            let variable = key_variable(&self.agent);
            self.crash.as_ref().map(|crash| explain_crash(&self.agent, crash, variable.as_deref()))
        };
        let error =
            outcome.explanation().cloned().or_else(|| if outcome.exit_code() == 0 { None } else { crash() });
        let texts: Vec<&str> =
            self.texts.iter().map(|(_, text)| text.trim_end()).filter(|text| !text.is_empty()).collect();
        print_json(&Printed {
            outcome: outcome.name(),
            stop_reason: self.stop_reason,
            text: texts.join("\n\n"),
            usage: self.usage.as_ref(),
            duration_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            agent: &self.agent,
            session_id: &self.session_id,
            turn_id: self.turn_id.as_deref(),
            error: error.map(|error| PrintedError { message: error.what, hint: error.next }),
        })
    }

    fn text_of(&mut self, id: &str) -> &mut String {
        let index = self.texts.iter().position(|(known, _)| known == id).unwrap_or_else(|| {
            self.texts.push((id.to_owned(), String::new()));
            self.texts.len() - 1
        });
        &mut self.texts[index].1
    }
}
