//! Lines of the CLI: what the model says and thinks, in whole messages, what it calls, and what comes of it.

use super::Session;
use super::turn::total;
use crate::core::Core;
use crate::limits::LULL;
use crate::native::{AssistantMessage, Block, Line, Said, System, Tokens, UserMessage};
use agent_client_protocol_schema::v1::{SessionUpdate, StopReason, UsageUpdate};
use sa_acp::Voice;
use sa_acp::clipped;
use serde::Deserialize;
use serde_json::json;

impl Session {
    /// Handles a line of the process.
    pub(super) fn native(&mut self, core: &mut Core, line: &[u8]) {
        if let Some(turn) = &mut self.turn {
            turn.set_lull(None);
        }
        match serde_json::from_slice(line) {
            Ok(Line::System(system)) => self.began(core, &system),
            Ok(Line::User(said)) => self.results(core, said),
            Ok(Line::Assistant(said)) => self.spoke(core, said),
            Ok(Line::Result(outcome)) => self.result(core, &outcome),
            Err(_) => self.unknown(core, &String::from_utf8_lossy(line)),
        }
    }

    /// Passes on what is not understood. A process that cannot go on says why in plain text.
    pub(super) fn unknown(&mut self, core: &mut Core, line: &str) {
        self.unknown_lines += 1;
        if let Some(child) = &mut self.child
            && !line.starts_with('{')
        {
            child.complaint.get_or_insert_with(|| line.to_owned());
            if line.contains("No API key found") {
                // It would wait for somebody to log in.
                child.hurry(&mut core.processes, core.host.limits.drain);
            }
        }
        let kept = clipped(line);
        core.client.remark(
            &self.conversation.id,
            "unparsed",
            json!({ "number": self.unknown_lines, "line": kept }),
        );
    }

    fn began(&self, core: &mut Core, system: &System) {
        if let Some(servers) = system.mcp_servers.as_ref().filter(|servers| !servers.is_empty()) {
            core.client.remark(&self.conversation.id, "mcp", json!(servers));
        }
    }

    /// The results that a line brings. The echo of a prompt is nothing new.
    fn results(&mut self, core: &mut Core, said: Said<UserMessage>) {
        for value in said.message.content.into_iter().flatten() {
            if let Ok(Block::ToolResult { tool_use_id, content, is_error }) = Block::deserialize(value) {
                self.tool_done(core, &tool_use_id, &content, is_error == Some(true));
            }
        }
    }

    fn spoke(&mut self, core: &mut Core, said: Said<AssistantMessage>) {
        let Said { message, parent_tool_use_id: parent } = said;
        self.messages += 1;
        let content = message.content.unwrap_or_default();
        let calls = content.iter().any(|block| block["type"] == "tool_use");
        for value in content {
            match Block::deserialize(value) {
                Ok(Block::Text { text }) if parent.is_none() => self.say(core, Voice::Said, &text),
                Ok(Block::Thinking { thinking }) if parent.is_none() => {
                    self.say(core, Voice::Thought, &thinking)
                }
                Ok(Block::ToolUse { id, name, input }) => {
                    self.tool_called(core, &id, &name, &input, parent.as_deref());
                }
                _ => {}
            }
        }
        if parent.is_some() {
            return;
        }
        if let Some(tokens) = message.usage {
            self.meter(core, tokens);
        }
        let reason = match message.stop_reason.as_deref() {
            None if !calls => {
                let until = core.now.elapsed + LULL;
                if let Some(turn) = &mut self.turn {
                    turn.set_lull(Some(until));
                }
                return;
            }
            None | Some("tool_use" | "pause_turn") => return,
            Some("max_tokens") => StopReason::MaxTokens,
            Some("refusal") => StopReason::Refusal,
            Some(_) => StopReason::EndTurn,
        };
        self.turn_ended(core, reason);
    }

    fn say(&self, core: &mut Core, voice: Voice, text: &str) {
        core.client.say(
            &self.conversation.id,
            voice,
            &format!("{}-{}", self.conversation.id, self.messages),
            text,
        );
    }

    /// Tells how full the context is.
    fn meter(&mut self, core: &mut Core, tokens: Tokens) {
        if let Some(turn) = &mut self.turn {
            turn.count(tokens);
        }
        if let Some(size) = tokens.max_tokens {
            self.conversation
                .update(&mut core.client, &SessionUpdate::UsageUpdate(UsageUpdate::new(total(tokens), size)));
        }
    }
}
