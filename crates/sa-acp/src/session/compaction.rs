//! Compactions of a conversation, for CLIs that report their begin and their end.

use crate::protocol::client::Client;
use agent_client_protocol_schema::v1::{CompactionStatus, SessionId};

/// The compaction that runs, by the CLI's own id.
#[derive(Debug, Default)]
pub struct Compaction {
    running: Option<String>,
}

impl Compaction {
    /// Reports that a compaction began, unless that was reported.
    pub fn begin(&mut self, client: &mut Client, session: &SessionId, id: &str) {
        if self.running.as_deref() != Some(id) {
            self.running = Some(id.to_owned());
            client.compaction(session, id, CompactionStatus::InProgress);
        }
    }

    /// Reports the end of the compaction that runs.
    pub fn end(&mut self, client: &mut Client, session: &SessionId, status: CompactionStatus) {
        if let Some(id) = self.running.take() {
            client.compaction(session, &id, status);
        }
    }
}
