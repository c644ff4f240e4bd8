//! The connection of one session to its agent.

use crate::agent::{AgentFailure, Connection, FromAgent, Mailbox, Messages, Opens, Process, RpcError, Slot};
use crate::session::{Agent, Origin};
use crate::shared::Shared;
use serde_json::Value;
use std::sync::Arc;

pub(super) struct AgentLink {
    shared: Arc<Shared>,
    /// Keeps the agent's process alive.
    slot: Arc<Slot>,
    connection: Connection,
    mailbox: Mailbox,
    incoming: Messages,
    /// The agent's session whose messages come here.
    native: Option<String>,
}

impl AgentLink {
    /// Connects a session to a process, and shows clients which server that is.
    pub(super) fn new(shared: &Arc<Shared>, process: Process) -> (Self, Agent) {
        let Process { slot, connection, joined } = process;
        shared.state().server = Some(connection.server_id().to_owned());
        let greeting = connection.greeting();
        let agent = Agent {
            capabilities: greeting.agent_capabilities.clone(),
            prompts: greeting.prompts,
            version: connection.agent_version(),
            origin: if joined { Origin::Joined } else { Origin::Started },
        };
        let (mailbox, incoming) = Mailbox::new();
        let shared = Arc::clone(shared);
        (Self { shared, slot, connection, mailbox, incoming, native: None }, agent)
    }

    pub(super) async fn receive(&mut self) -> FromAgent {
        match self.incoming.next().await {
            Some(message) => message,
            // The link has a sender itself, so this is never reached.
            None => std::future::pending().await,
        }
    }

    /// Returns a message with those that have come since.
    pub(super) fn batch(&mut self, first: FromAgent) -> Vec<FromAgent> {
        self.incoming.batch(first)
    }

    /// Returns the last messages of an agent that has ended, its exit included.
    pub(super) fn last_messages(&mut self) -> Option<Vec<FromAgent>> {
        let exit = self.connection.ended()?;
        let mut messages: Vec<FromAgent> = std::iter::from_fn(|| self.incoming.try_next()).collect();
        messages.push(FromAgent::Ended(exit));
        Some(messages)
    }

    /// Has messages of this session of the agent come here.
    pub(super) fn adopt(&mut self, native: String) {
        self.connection.adopt(&native, self.mailbox.clone());
        self.native = Some(native);
    }

    pub(super) async fn call(
        &self,
        call: u64,
        method: &str,
        params: &Value,
        opens: Opens,
    ) -> Result<(), AgentFailure> {
        self.connection.call(call, method, params, &self.mailbox, opens).await
    }

    pub(super) async fn notify(&self, method: &str, params: &Value) {
        if let Err(error) = self.connection.notify(method, params).await {
            tracing::debug!(session = %self.shared.id, method, %error, "a notification did not reach the agent");
        }
    }

    pub(super) async fn answer(&self, request: &str, outcome: &Result<Value, RpcError>) {
        if let Err(error) = self.connection.answer(request, outcome).await {
            // The agent has ended, which is reported next.
            tracing::debug!(session = %self.shared.id, %error, "an answer did not reach the agent");
        }
    }

    /// Has the process take no new sessions.
    pub(super) fn retire(&self) {
        self.slot.retire();
    }
}

impl Drop for AgentLink {
    fn drop(&mut self) {
        if let Some(native) = &self.native {
            self.connection.release(native, &self.mailbox);
        }
        self.shared.state().server = None;
    }
}
