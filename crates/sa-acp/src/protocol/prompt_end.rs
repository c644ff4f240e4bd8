//! The end of a prompt, and requests that the client cancelled.

use crate::protocol::client::Client;
use crate::protocol::incoming::RequestKey;
use agent_client_protocol_schema::v1::{Error, Meta, PromptResponse, StopReason, Usage};
use sa_jsonrpc::Id;
use serde_json::json;

/// The key of `_meta` under which built-in agents report what the protocol has no field for.
pub const NAMESPACE: &str = "sandboxAgent";

impl<T> Client<T> {
    /// Answers a prompt. The protocol has no stable place for the tokens of a turn, so they are metadata. A prompt that the
    /// client cancelled as a request, by `$/cancel_request`, fails with the error for that.
    pub fn prompt_done(&mut self, key: &RequestKey, reason: StopReason, usage: Option<Usage>) {
        if self.was_cancelled(&key.id) && reason == StopReason::Cancelled {
            return self.fail(key, &Error::request_cancelled());
        }
        let usage = usage.map(|usage| Meta::from_iter([(NAMESPACE.to_owned(), json!({ "usage": usage }))]));
        self.reply(key, PromptResponse::new(reason).meta(usage));
    }

    /// Notes that the client cancelled a request, until that is answered.
    pub fn request_cancelled(&mut self, id: &Id) {
        if !self.cancelled.contains(id) {
            self.cancelled.push(id.clone());
        }
    }

    /// Returns whether the client cancelled this request, and forgets it.
    pub fn was_cancelled(&mut self, id: &Id) -> bool {
        let index = self.cancelled.iter().position(|cancelled| cancelled == id);
        index.map(|index| self.cancelled.swap_remove(index)).is_some()
    }
}
