//! Connections that are not open yet.

use sa_hub::{CallError, Hub, Response, Server, WhenStopped};
use sa_jsonrpc::Message;

/// A connection whose client does not know its id yet. It ends with its agent if the client goes away before it does.
pub(super) struct Opening {
    hub: Hub,
    server: Server,
    is_settled: bool,
}

impl Opening {
    pub(super) fn new(hub: &Hub, server: Server) -> Self {
        Self { hub: hub.clone(), server, is_settled: false }
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// Returns the connection, which is open from now on.
    pub(super) fn complete(mut self) -> Server {
        self.is_settled = true;
        self.server.clone()
    }

    /// Sends `initialize` and waits for its answer. The connection is open if that is no error.
    pub(super) async fn initialize(mut self, message: Message<bytes::Bytes>) -> Result<Response, CallError> {
        let answer = self.server.call(message, WhenStopped::Start).await;
        if !answer.as_ref().is_ok_and(|response| !response.is_error) {
            self.hub.close(self.server.id()).await;
        }
        self.is_settled = true;
        answer
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        let (hub, server) = (self.hub.clone(), self.server.clone());
        tracing::debug!(server = %server.id(), "the client left before its connection was open");
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { hub.close(server.id()).await });
        }
    }
}
