//! The conversation is summed up to make room.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::CompactionStatus;

/// The compaction that runs, by its item's id.
#[derive(Debug, Default)]
pub(super) struct Compaction {
    running: Option<String>,
}

impl Session {
    pub(super) fn compaction_began(&mut self, core: &mut Core, id: &str) {
        self.compaction.running = Some(id.to_owned());
        core.client.compaction(&self.conversation.id, id, CompactionStatus::InProgress);
    }

    pub(super) fn compaction_done(&mut self, core: &mut Core, id: &str) {
        self.compaction.running = None;
        core.client.compaction(&self.conversation.id, id, CompactionStatus::Completed);
    }

    /// It will not come to its end any more.
    pub(super) fn compaction_lost(&mut self, core: &mut Core) {
        if let Some(id) = self.compaction.running.take() {
            core.client.compaction(&self.conversation.id, &id, CompactionStatus::Failed);
        }
    }
}
