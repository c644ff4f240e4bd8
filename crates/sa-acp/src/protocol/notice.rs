//! Notices: short texts for people about something that the protocol has no other place for.

use crate::protocol::client::Client;
use agent_client_protocol_schema::v1::{Notice, NoticeSeverity, SessionId, SessionUpdate};
use serde_json::{Value, json};
use std::time::Duration;

/// The longest reason that a notice quotes, in characters.
const MAX_REASON: usize = 500;

impl<T> Client<T> {
    /// Shows a notice. A client that did not opt in to notices gets `detail` as the remark `name` instead.
    pub fn notice(&mut self, session: &SessionId, notice: Notice, name: &str, detail: Value) {
        if self.handshake.shows_notices() {
            return self.update(session, &SessionUpdate::Notice(notice));
        }
        self.remark(session, name, detail);
    }

    /// Reports that a request to the model's API failed, in these words, and is made again.
    pub fn api_retried(&mut self, session: &SessionId, words: &str, about: Option<String>, detail: Value) {
        let title = format!("The model's API failed: {words}");
        let notice = Notice::new(NoticeSeverity::Warning, title).description(about);
        self.notice(session, notice, "apiRetry", detail);
    }

    /// Reports that prompts wait for MCP servers, at most for `limit`.
    pub fn mcp_waiting<'a>(
        &mut self,
        session: &SessionId,
        servers: impl IntoIterator<Item = &'a str>,
        limit: Duration,
    ) {
        let names: Vec<&str> = servers.into_iter().collect();
        let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        let noun = if names.len() == 1 { "MCP server" } else { "MCP servers" };
        let title = format!("Waiting for {noun} {}", quoted.join(", "));
        let seconds = limit.as_secs();
        let about =
            format!("The prompt starts without the tools of a server that needs more than {seconds} s");
        let notice = Notice::new(NoticeSeverity::Info, title).description(about);
        self.notice(session, notice, "mcp", json!({ "waiting": names }));
    }

    /// Reports that an MCP server is not available, and why.
    pub fn mcp_unavailable(&mut self, session: &SessionId, server: &str, reason: &str) {
        let reason = match reason.trim() {
            "" => "no reason given".to_owned(),
            reason => reason.chars().take(MAX_REASON).collect(),
        };
        let title = format!("MCP server '{server}' is not available");
        let about = format!("{reason}; the agent works without its tools");
        let notice = Notice::new(NoticeSeverity::Warning, title).description(about);
        let detail = json!({ "unavailable": [{ "name": server, "error": reason }] });
        self.notice(session, notice, "mcp", detail);
    }
}
