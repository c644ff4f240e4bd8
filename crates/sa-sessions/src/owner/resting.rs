//! Agents that have had nothing to do for a while: let go where nothing is lost by it, and started anew with the next message.

use super::Owner;
use super::ending::LEAVING;
use sa_api::sessions::{EventData, Notice, NoticeSeverity};
use tokio::time::Instant;

impl Owner {
    /// When the agent is let go if nothing happens until then. One that could not go on with its own session never is.
    pub(super) fn rests_at(&self) -> Option<Instant> {
        let idle = self.parts.limits.idle().filter(|_| self.turn.is_none() && self.asked.is_empty())?;
        let link = self.link.as_ref().filter(|link| link.ready)?;
        let can = &link.connection.greeting().agent_capabilities;
        let comes_back = can.session_capabilities.resume.is_some() || can.load_session;
        comes_back.then(|| self.last_heard + idle)
    }

    /// Lets go of the agent if the time for that has come.
    pub(super) async fn rest(&mut self, now: Instant) {
        if self.rests_at().is_none_or(|rests_at| rests_at > now) {
            return;
        }
        self.close_session(LEAVING).await;
        self.leave_agent();
        self.resting = true;
        self.draft.event(EventData::Notice(Notice {
            severity: NoticeSeverity::Info,
            title: "Resting".to_owned(),
            description: Some(
                "the agent had nothing to do for a while and was ended; the next message starts it again"
                    .to_owned(),
            ),
        }));
    }
}
