//! Requests of the agent that wait for a person, the oldest first.

use crate::commands::api::sessions::CLIENT;
use crate::commands::session::explain;
use crate::failure::Failure;
use sa_api::sessions::{EventData, PermissionReply, PermissionRequest, QuestionReply, QuestionRequest};
use sa_client::{Client, ClientError};
use sa_terminal::{Decision, Dialog, Key, Live, SessionView};
use std::collections::VecDeque;

/// The open requests.
#[derive(Debug, Default)]
pub(crate) struct Asking {
    open: VecDeque<Dialog>,
}

/// The result of sending a decision.
pub(crate) enum Sent {
    /// The answer counts, or somebody else was faster.
    Accepted,
    /// The answers do not fit; the message says why.
    Unfit(String),
}

impl Asking {
    /// Notes requests, and what others have decided. Returns true if a new request is the one to decide.
    pub(crate) fn on_event(&mut self, data: &EventData) -> bool {
        let dialog = match data {
            EventData::PermissionAsked(request) => Dialog::permission(request.clone()),
            EventData::QuestionAsked(request) => Dialog::questions(request.clone()),
            EventData::PermissionResolved(resolved) => return self.close(&resolved.id),
            EventData::QuestionResolved(resolved) => return self.close(&resolved.id),
            _ => return false,
        };
        self.add(dialog)
    }

    /// Adds the requests that are open already.
    pub(crate) fn add_open(&mut self, permissions: Vec<PermissionRequest>, questions: Vec<QuestionRequest>) {
        for request in permissions {
            self.add(Dialog::permission(request));
        }
        for request in questions {
            self.add(Dialog::questions(request));
        }
    }

    fn add(&mut self, dialog: Dialog) -> bool {
        if self.open.iter().any(|known| known.id() == dialog.id()) {
            return false;
        }
        self.open.push_back(dialog);
        self.open.len() == 1
    }

    /// Removes a request. Returns true if another one is to be decided now.
    pub(crate) fn close(&mut self, id: &str) -> bool {
        let was_first = self.open.front().is_some_and(|dialog| dialog.id() == id);
        self.open.retain(|dialog| dialog.id() != id);
        was_first && !self.open.is_empty()
    }

    /// Returns true if something is asked.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Handles a key, and sends the decision once there is one. Answers that do not fit are asked for again, from the
    /// first question on.
    pub(crate) async fn decide(
        &mut self,
        client: &Client,
        session: &str,
        key: Key,
        view: &mut SessionView,
    ) -> Result<(), Failure> {
        let Some(dialog) = self.open.front_mut() else { return Ok(()) };
        let Some(decision) = dialog.on_key(key) else { return Ok(()) };
        let id = dialog.id().to_owned();
        match send(client, session, &id, decision).await? {
            Sent::Accepted => drop(self.close(&id)),
            Sent::Unfit(why) => {
                view.note(&why);
                dialog.restart();
            }
        }
        Ok(())
    }

    /// Draws the request that is to be decided.
    pub(crate) fn draw(&self, view: &SessionView, width: usize) -> Live {
        let Some(dialog) = self.open.front() else { return Live::default() };
        let mut lines = match dialog {
            Dialog::Permission { request, .. } => view.permission(request),
            Dialog::Questions { request, .. } => view.introduction(request),
        };
        let (choices, cursor) = dialog.draw(width);
        let cursor = cursor.map(|(row, column)| (row + lines.len(), column));
        lines.extend(choices);
        Live { lines, cursor }
    }
}

/// Sends a decision.
pub(crate) async fn send(
    client: &Client,
    session: &str,
    id: &str,
    decision: Decision,
) -> Result<Sent, Failure> {
    let name = Some(CLIENT.to_owned());
    let sent = match decision {
        Decision::Permission { reply, reason } => {
            let reply = PermissionReply { reply, option_id: None, message: reason, rule: None, client: name };
            client.reply_to_permission(session, id, &reply).await
        }
        Decision::Answers(answers) => {
            client.reply_to_question(session, id, &QuestionReply { answers, client: name }).await
        }
        Decision::Reject => client.reject_question(session, id).await,
    };
    match sent {
        Ok(()) => Ok(Sent::Accepted),
        // Somebody else may have decided first, which is as good.
        Err(error) if matches!(error.problem_status(), Some(404 | 409)) => Ok(Sent::Accepted),
        Err(ClientError::Problem { status: 400, problem }) => Ok(Sent::Unfit(problem.detail)),
        Err(error) => Err(explain(error)),
    }
}
