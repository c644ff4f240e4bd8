//! The conversation is summed up to make room.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::{CompactionStatus, CompactionUpdate, SessionUpdate};
use serde_json::json;

/// The compaction that runs, by the id of its part.
#[derive(Debug, Default)]
pub(super) struct Compaction {
    running: Option<String>,
}

impl Session {
    pub(super) fn compaction_began(&mut self, core: &mut Core, id: &str) {
        if self.compaction.running.as_deref() != Some(id) {
            self.compaction.running = Some(id.to_owned());
            self.tell_compaction(core, id, CompactionStatus::InProgress);
        }
    }

    pub(super) fn compaction_done(&mut self, core: &mut Core) {
        if let Some(id) = self.compaction.running.take() {
            self.tell_compaction(core, &id, CompactionStatus::Completed);
        }
    }

    /// It will not come to its end any more.
    pub(super) fn compaction_lost(&mut self, core: &mut Core) {
        if let Some(id) = self.compaction.running.take() {
            self.tell_compaction(core, &id, CompactionStatus::Failed);
        }
    }

    fn tell_compaction(&self, core: &mut Core, id: &str, status: CompactionStatus) {
        if core.client.follows_compaction() {
            let update = CompactionUpdate::new(id.to_owned(), status);
            return self.emit(core, &SessionUpdate::CompactionUpdate(update));
        }
        core.remark(&self.id, "compaction", json!({ "id": id, "status": status }));
    }
}
