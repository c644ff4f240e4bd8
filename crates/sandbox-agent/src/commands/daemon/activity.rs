//! The work that a daemon does at the moment, and that a restart would interrupt.

use sa_api::sessions::SessionState;
use sa_client::{Client, ClientError, SessionQuery};
use serde::Serialize;

/// The turns that a daemon is busy with.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Activity {
    /// Ids of the sessions whose turn runs, also if it waits for an answer.
    pub(super) running_sessions: Vec<String>,
    /// Ids of the ACP servers that owe an answer and serve no session.
    pub(super) busy_servers: Vec<String>,
}

impl Activity {
    pub(super) async fn of(client: &Client) -> Result<Self, ClientError> {
        let mut sessions = client.all_sessions(SessionQuery {
            states: vec![SessionState::Starting, SessionState::Running, SessionState::RequiresAction],
            ..SessionQuery::default()
        });
        let mut running_sessions = Vec::new();
        while let Some(session) = sessions.next().await? {
            running_sessions.push(session.session_id);
        }
        let servers = client.list_acp_servers().await?.servers;
        let busy =
            servers.into_iter().filter(|server| server.pending_requests > 0 && server.session_ids.is_empty());
        Ok(Self { running_sessions, busy_servers: busy.map(|server| server.server_id).collect() })
    }

    pub(super) fn is_none(&self) -> bool {
        self.running_sessions.is_empty() && self.busy_servers.is_empty()
    }

    /// Names what is busy, for a sentence.
    pub(super) fn in_words(&self) -> String {
        let named = |what: &str, ids: &[String]| match ids {
            [] => None,
            [id] => Some(format!("{what} {id}")),
            ids => Some(format!("{what}s {}", ids.join(", "))),
        };
        let parts = [named("session", &self.running_sessions), named("ACP server", &self.busy_servers)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }
}
