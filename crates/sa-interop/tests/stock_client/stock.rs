//! The official client with a memory of its notifications and requests, and its answers.

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ClientCapabilities, ContentBlock, ContentChunk, CreateElicitationRequest, CreateElicitationResponse,
    ElicitationAcceptAction, ElicitationAction, ElicitationCapabilities, ElicitationContentValue,
    ElicitationFormCapabilities, InitializeRequest, InitializeResponse, NewSessionRequest,
    PermissionOptionKind, PromptRequest, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionId, SessionNotification, SessionUpdate,
    StopReason,
};
use agent_client_protocol::{Agent, Client, Error, on_receive_notification, on_receive_request};
use agent_client_protocol_http::{HttpClient, HttpClientBuilder};
use anyhow::{Context, Result};
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use sa_testkit::{DEADLINE, Daemon, until, within};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// A way to reach an agent of the daemon.
pub(crate) struct Way {
    pub(crate) name: &'static str,
    build: fn(&str, &str) -> HttpClientBuilder,
}

/// Every way that this client knows. A base URL gets `/acp` appended by the client itself.
pub(crate) const WAYS: [Way; 6] = [
    Way {
        name: "HTTP, exact path",
        build: |base, agent| HttpClient::builder_with_endpoint(format!("{base}/v1/agents/{agent}/acp")),
    },
    Way {
        name: "HTTP, exact path with a query",
        build: |base, agent| HttpClient::builder_with_endpoint(format!("{base}/acp?agent={agent}")),
    },
    Way {
        name: "HTTP, base path",
        build: |base, agent| HttpClient::builder(format!("{base}/v1/agents/{agent}")),
    },
    Way {
        name: "HTTP, base with a query",
        build: |base, agent| HttpClient::builder(format!("{base}?agent={agent}")),
    },
    Way {
        name: "WebSocket, exact path",
        build: |base, agent| HttpClient::builder_with_endpoint(socket(base, "v1/agents", agent)),
    },
    Way {
        name: "WebSocket, exact path with a query",
        build: |base, agent| HttpClient::builder_with_endpoint(socket(base, "acp?agent=", agent)),
    },
];

fn socket(base: &str, path: &str, agent: &str) -> String {
    let base = base.replacen("http", "ws", 1);
    if path.ends_with('=') { format!("{base}/{path}{agent}") } else { format!("{base}/{path}/{agent}/acp") }
}

/// The notifications and requests that the client has received.
#[derive(Debug, Default)]
struct Memory {
    updates: Vec<SessionNotification>,
    permissions: usize,
    questions: Vec<String>,
}

/// One initialized connection.
#[derive(Clone)]
pub(crate) struct Stock {
    pub(crate) connection: ConnectionTo<Agent>,
    pub(crate) greeting: InitializeResponse,
    memory: Arc<Mutex<Memory>>,
}

impl Way {
    /// Connects, runs the script, and closes. Permissions are given once, questions are answered with "Green".
    pub(crate) async fn run<T>(
        &self,
        daemon: &Daemon,
        agent: &str,
        script: impl AsyncFnOnce(Stock) -> Result<T>,
    ) -> Result<T> {
        let token = daemon.token().context("a daemon with a token")?;
        let bearer = HeaderValue::from_str(&format!("Bearer {token}"))?;
        let headers = HeaderMap::from_iter([(AUTHORIZATION, bearer)]);
        let transport = (self.build)(&daemon.base_url(), agent)
            .configure_http(|http| http.no_proxy().default_headers(headers))
            .build()?;
        let memory = Arc::<Mutex<Memory>>::default();
        let connected = connect(transport, Arc::clone(&memory), async |connection: ConnectionTo<Agent>| {
            let greeting = connection.send_request(greeting()).block_task().await?;
            Ok(script(Stock { connection, greeting, memory }).await)
        });
        within(self.name, DEADLINE, connected).await?.map_err(described).context(self.name)?
    }
}

async fn connect<T>(
    transport: HttpClient,
    memory: Arc<Mutex<Memory>>,
    script: impl AsyncFnOnce(ConnectionTo<Agent>) -> Result<T, Error>,
) -> Result<T, Error> {
    let (told, asked, questioned) = (Arc::clone(&memory), Arc::clone(&memory), memory);
    Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _| {
                lock(&told).updates.push(notification);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                lock(&asked).permissions += 1;
                responder.respond(RequestPermissionResponse::new(allowed_once(&request)))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CreateElicitationRequest, responder, _| {
                lock(&questioned).questions.push(request.message);
                responder.respond(CreateElicitationResponse::new(green()))
            },
            on_receive_request!(),
        )
        .connect_with(transport, script)
        .await
}

fn greeting() -> InitializeRequest {
    let forms = ElicitationCapabilities::new().form(ElicitationFormCapabilities::new());
    InitializeRequest::new(ProtocolVersion::V1)
        .client_capabilities(ClientCapabilities::new().elicitation(forms))
}

fn allowed_once(request: &RequestPermissionRequest) -> RequestPermissionOutcome {
    let option = request.options.iter().find(|option| option.kind == PermissionOptionKind::AllowOnce);
    option.map_or(RequestPermissionOutcome::Cancelled, |option| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
    })
}

fn green() -> ElicitationAction {
    let answer = ElicitationContentValue::String("Green".to_owned());
    let content = BTreeMap::from([("question_1".to_owned(), answer)]);
    ElicitationAction::Accept(ElicitationAcceptAction::new().content(content))
}

/// Returns the client's errors with all they say.
pub(crate) fn described(error: Error) -> anyhow::Error {
    anyhow::anyhow!("{} {}: {:?}", i32::from(error.code), error.message, error.data)
}

fn lock(memory: &Mutex<Memory>) -> MutexGuard<'_, Memory> {
    memory.lock().expect("no handler panics")
}

impl Stock {
    pub(crate) async fn new_session(&self) -> Result<SessionId> {
        let request = NewSessionRequest::new("/");
        let response = self.connection.send_request(request).block_task().await.map_err(described)?;
        Ok(response.session_id)
    }

    /// Prompts; why the turn ended.
    pub(crate) async fn prompt(&self, session: &SessionId, words: &str) -> Result<StopReason, Error> {
        let request = PromptRequest::new(session.clone(), vec![ContentBlock::from(words)]);
        Ok(self.connection.send_request(request).block_task().await?.stop_reason)
    }

    /// Prompts and waits until all that was said in the session ends with this; updates are noted on another task.
    pub(crate) async fn ask(&self, session: &SessionId, words: &str, expected: &str) -> Result<StopReason> {
        let reason = self.prompt(session, words).await.map_err(described)?;
        self.heard(session, expected).await?;
        Ok(reason)
    }

    /// Waits until what the agent said in the session ends with this.
    pub(crate) async fn heard(&self, session: &SessionId, expected: &str) -> Result<()> {
        let waited = until(expected, || self.said(session).ends_with(expected)).await;
        waited.with_context(|| format!("the agent said {:?}", self.said(session)))
    }

    /// Returns the agent's text in a session.
    pub(crate) fn said(&self, session: &SessionId) -> String {
        let memory = lock(&self.memory);
        let updates = memory.updates.iter().filter(|update| update.session_id == *session);
        updates.filter_map(|update| text(&update.update)).collect()
    }

    pub(crate) fn permissions(&self) -> usize {
        lock(&self.memory).permissions
    }

    pub(crate) fn questions(&self) -> Vec<String> {
        lock(&self.memory).questions.clone()
    }
}

fn text(update: &SessionUpdate) -> Option<&str> {
    match update {
        SessionUpdate::AgentMessageChunk(ContentChunk { content: ContentBlock::Text(text), .. }) => {
            Some(&text.text)
        }
        _ => None,
    }
}
