//! The conversation is summed up to make room.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::{CompactionStatus, CompactionUpdate, SessionUpdate};
use serde_json::{Value, json};

/// The compaction that runs, if one does.
#[derive(Debug, Default)]
pub(super) struct Compaction {
    count: u64,
    running: bool,
}

impl Session {
    pub(super) fn on_compaction_status(&mut self, core: &mut Core, status: &Value) {
        if status["status"] == "compacting" && !self.compaction.running {
            self.compaction.running = true;
            self.compaction.count += 1;
            return self.report_compaction(core, CompactionStatus::InProgress, None);
        }
        let Some(result) = status["compact_result"].as_str() else { return };
        if std::mem::take(&mut self.compaction.running) {
            let is_done = result == "success";
            let end = if is_done { CompactionStatus::Completed } else { CompactionStatus::Failed };
            let error = status["compact_error"].as_str().map(str::to_owned);
            self.report_compaction(core, end, error);
        }
    }

    fn report_compaction(&self, core: &mut Core, status: CompactionStatus, error: Option<String>) {
        let id = format!("compaction_{}", self.compaction.count);
        if core.io.client.handshake.follows_compaction() {
            let mut update = CompactionUpdate::new(id, status);
            if let Some(error) = error {
                update = update.error(error);
            }
            return self.conversation.update(&mut core.io.client, &SessionUpdate::CompactionUpdate(update));
        }
        core.io.client.remark(
            &self.conversation.id,
            "compaction",
            json!({ "id": id, "status": status, "error": error }),
        );
    }

    /// From here on the context is another one.
    pub(super) fn on_compacted(&mut self, core: &mut Core, compacted: &Value) {
        if let Some(tokens) = compacted["compact_metadata"]["post_tokens"].as_u64() {
            self.meter.set_used(tokens);
            self.report_usage(core);
        }
    }
}
