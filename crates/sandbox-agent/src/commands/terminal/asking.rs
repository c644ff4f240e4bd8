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
    open: VecDeque<Open>,
}

#[derive(Debug)]
struct Open {
    request: Request,
    dialog: Dialog,
}

#[derive(Debug, Clone)]
enum Request {
    Permission(PermissionRequest),
    Questions(QuestionRequest),
}

impl Open {
    fn new(request: Request) -> Self {
        let dialog = match request.clone() {
            Request::Permission(request) => Dialog::permission(request),
            Request::Questions(request) => Dialog::questions(request),
        };
        Self { request, dialog }
    }
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
        let request = match data {
            EventData::PermissionAsked(request) => Request::Permission(request.clone()),
            EventData::QuestionAsked(request) => Request::Questions(request.clone()),
            EventData::PermissionResolved(resolved) => return self.close(&resolved.id),
            EventData::QuestionResolved(resolved) => return self.close(&resolved.id),
            _ => return false,
        };
        self.add(request)
    }

    /// Adds the requests that are open already.
    pub(crate) fn add_open(&mut self, permissions: Vec<PermissionRequest>, questions: Vec<QuestionRequest>) {
        for request in permissions {
            self.add(Request::Permission(request));
        }
        for request in questions {
            self.add(Request::Questions(request));
        }
    }

    fn add(&mut self, request: Request) -> bool {
        let open = Open::new(request);
        if self.open.iter().any(|known| known.dialog.id() == open.dialog.id()) {
            return false;
        }
        self.open.push_back(open);
        self.open.len() == 1
    }

    /// Removes a request. Returns true if another one is to be decided now.
    pub(crate) fn close(&mut self, id: &str) -> bool {
        let was_first = self.open.front().is_some_and(|open| open.dialog.id() == id);
        self.open.retain(|open| open.dialog.id() != id);
        was_first && !self.open.is_empty()
    }

    /// Asks the questions of a request again from the first.
    pub(crate) fn restart(&mut self) {
        if let Some(open) = self.open.front_mut() {
            *open = Open::new(open.request.clone());
        }
    }

    /// Returns true if something is asked.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Handles a key. Returns the request and the decision, once there is one.
    pub(crate) fn on_key(&mut self, key: Key) -> Option<(String, Decision)> {
        let dialog = &mut self.open.front_mut()?.dialog;
        let decision = dialog.on_key(key)?;
        Some((dialog.id().to_owned(), decision))
    }

    /// Draws the request that is to be decided.
    pub(crate) fn draw(&self, view: &SessionView, width: usize) -> Live {
        let Some(open) = self.open.front() else { return Live::default() };
        let mut lines = match &open.request {
            Request::Permission(request) => view.permission(request),
            Request::Questions(request) => view.introduction(request),
        };
        let (choices, cursor) = open.dialog.draw(width);
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
