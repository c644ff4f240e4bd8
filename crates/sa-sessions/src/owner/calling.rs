//! Waiting: for the agent's answers, and for what its start needs. Clients are heard meanwhile.

use super::{Owner, at, heard};
use crate::agent::{AgentFailure, FromAgent, Opens, RpcError};
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::Duration;
use tokio::time::Instant;

impl Owner {
    /// Sends a request and waits for its answer. Meanwhile the agent is listened to, and clients may answer it.
    pub(super) async fn call(
        &mut self,
        method: &str,
        params: &Value,
        opens: Opens,
        limit: Duration,
    ) -> Result<Box<RawValue>, AgentFailure> {
        let Some(link) = &self.link else { return Err(AgentFailure::Ended(Default::default())) };
        let call = link.connection.call(method, params, &link.line, opens).await?;
        let mut deadline = Instant::now() + limit;
        let asked_before = self.asked.len();
        loop {
            // An agent that asks something before it answers may wait as long as that takes.
            let asks = self.asked.len() > asked_before;
            let wake = if asks {
                self.asked.iter().filter_map(|asked| asked.deadline).min()
            } else {
                Some(deadline)
            };
            tokio::select! {
                Some(urgent) = self.urgent.recv() => {
                    self.urgent(urgent).await;
                    if self.gives_up() {
                        return Err(AgentFailure::GivenUp);
                    }
                }
                input = heard(&mut self.link) => match input {
                    Some(FromAgent::Response { call: answered, outcome }) if answered == call => {
                        self.last_heard = Instant::now();
                        return outcome.map_err(|error| AgentFailure::refused(method, error));
                    }
                    Some(FromAgent::Ended(exit)) => {
                        self.agent_ended(exit.clone());
                        self.commit().await;
                        return Err(AgentFailure::Ended(exit));
                    }
                    Some(input) => {
                        self.input(input);
                        self.commit().await;
                    }
                    None => return Err(AgentFailure::Ended(Default::default())),
                },
                () = at(wake) => {
                    if !asks {
                        return Err(AgentFailure::Late { method: method.to_owned(), seconds: limit.as_secs() });
                    }
                    self.expire_asked(Instant::now());
                    self.commit().await;
                }
            }
            if asks && self.asked.len() <= asked_before {
                deadline = Instant::now() + limit;
            }
        }
    }

    /// Waits for something that the agent's start needs, unless a client cancels the turn or ends the session.
    pub(super) async fn unless_given_up<T>(
        &mut self,
        work: impl Future<Output = Result<T, AgentFailure>>,
    ) -> Result<T, AgentFailure> {
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                Some(urgent) = self.urgent.recv() => self.urgent(urgent).await,
            }
            if self.gives_up() {
                return Err(AgentFailure::GivenUp);
            }
        }
    }

    /// Returns whether whatever is being waited for is no longer wanted.
    pub(super) fn gives_up(&self) -> bool {
        self.given_up || self.ending.as_ref().is_some_and(|ending| !ending.begun)
    }

    /// Answers the agent, once what led to the answer is committed.
    pub(super) fn reply(&mut self, request: String, outcome: Result<Value, RpcError>) {
        self.draft.replies.push((request, outcome));
    }
}
