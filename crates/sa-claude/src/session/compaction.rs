//! The conversation is summed up to make room.

use super::Session;
use crate::core::Core;
use crate::native::frame::{Compacted, Status};
use agent_client_protocol_schema::v1::{CompactionStatus, CompactionUpdate, SessionUpdate};
use serde_json::json;

/// The compaction that runs, if one does.
#[derive(Debug, Default)]
pub(super) struct Compaction {
    count: u64,
    running: bool,
}

impl Session {
    pub(super) fn compaction_changed(&mut self, core: &mut Core, status: &Status) {
        if status.status.as_deref() == Some("compacting") && !self.compaction.running {
            self.compaction.running = true;
            self.compaction.count += 1;
            return self.tell_compaction(core, CompactionStatus::InProgress, None);
        }
        let Some(result) = &status.compact_result else { return };
        if std::mem::take(&mut self.compaction.running) {
            let status_told =
                if result == "success" { CompactionStatus::Completed } else { CompactionStatus::Failed };
            self.tell_compaction(core, status_told, status.compact_error.clone());
        }
    }

    fn tell_compaction(&self, core: &mut Core, status: CompactionStatus, error: Option<String>) {
        let id = format!("compaction_{}", self.compaction.count);
        if core.client.handshake.follows_compaction() {
            let mut update = CompactionUpdate::new(id, status);
            if let Some(error) = error {
                update = update.error(error);
            }
            return self.conversation.update(&mut core.client, &SessionUpdate::CompactionUpdate(update));
        }
        core.client.remark(
            &self.conversation.id,
            "compaction",
            json!({ "id": id, "status": status, "error": error }),
        );
    }

    /// From here on the context is another one.
    pub(super) fn compacted(&mut self, core: &mut Core, compacted: &Compacted) {
        if let Some(tokens) = compacted.compact_metadata.as_ref().and_then(|metadata| metadata.post_tokens) {
            self.meter.set_used(tokens);
            self.tell_usage(core);
        }
    }
}
