//! Where sessions play: a daemon, a scripted model behind it, and a client that makes sessions and has turns in them.

use crate::script::Script;
use crate::stage::Setup;
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use sa_model::{ModelServer, Request};
use sa_testkit::{Daemon, DaemonBuilder, Http, Reply, Sandbox, Sse};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Agents take their time to start.
pub(super) const START: Duration = Duration::from_secs(60);

/// A scene of universal sessions.
pub(super) struct Scene {
    pub(super) subject: &'static Subject,
    pub(super) daemon: Daemon,
    pub(super) model: ModelServer,
    /// The directory of sessions.
    pub(super) project: PathBuf,
}

impl Scene {
    /// Starts the usual daemon for this agent, with a separate key for the model.
    pub(super) async fn set(subject: &'static Subject) -> Result<Self> {
        Self::set_with(subject, |builder, _, _| Ok(builder)).await
    }

    /// Starts the daemon with further options.
    pub(super) async fn set_with(
        subject: &'static Subject,
        more: impl FnOnce(DaemonBuilder, &Sandbox, &ModelServer) -> Result<DaemonBuilder>,
    ) -> Result<Self> {
        let sandbox = Arc::new(Sandbox::new()?);
        let project = sandbox.path("project");
        fs::create_dir_all(&project)?;
        // As agents see it.
        let project = fs::canonicalize(project)?;
        let model = ModelServer::start()?;
        let builder = subject.daemon(&sandbox, &model, Setup::default()).await?;
        let daemon = more(builder, &sandbox, &model)?.sandbox(sandbox).start().await?;
        Ok(Self { subject, daemon, model, project })
    }

    pub(super) fn http(&self) -> &Http {
        self.daemon.http()
    }

    /// Asks for a session in the project.
    pub(super) async fn ask_for(&self, id: &str, more: &Value) -> Result<Reply> {
        let mut body = json!({ "agent": self.subject.agent, "cwd": self.project });
        let more = more.as_object().context("fields of the request")?;
        body.as_object_mut().context("an object")?.extend(more.clone());
        let path = format!("/v1/sessions/{id}");
        self.http().post(&path).json(body.to_string()).within(START).send().await
    }

    /// Makes a session, whose agent must be ready.
    pub(super) async fn make(&self, id: &str, more: Value) -> Result<()> {
        let created = self.ask_for(id, &more).await?.expect_status(201)?.json()?;
        ensure!(created["healthy"] == true, "{created}");
        Ok(())
    }

    /// Has a turn, which must end well, and gives its events.
    pub(super) async fn turn(&self, id: &str, script: &Script) -> Result<Vec<Value>> {
        let body = json!({ "message": self.subject.render(script)? }).to_string();
        let path = format!("/v1/sessions/{id}/messages/stream");
        let mut stream = Sse::open(self.http().post(&path).json(body).within(START)).await?;
        let mut events = Vec::new();
        while let Some(event) = stream.next_event().await? {
            events.push(event.json()?);
        }
        let ended = events.last().map(|event| event["data"]["turnEnded"]["stopReason"].clone());
        ensure!(ended == Some(json!("endTurn")), "{events:?}");
        Ok(events)
    }

    /// Returns the first event of a session that fits, now or later.
    pub(super) async fn event(&self, id: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        let path = format!("/v1/sessions/{id}/events/sse?offset=0");
        let mut stream = Sse::open(self.http().get(&path)).await?;
        loop {
            let event = stream.event().await?.json()?;
            if fits(&event) {
                return Ok(event);
            }
        }
    }

    pub(super) async fn ended(&self, id: &str, turn: &str) -> Result<Value> {
        let event = self.event(id, |event| event["data"]["turnEnded"]["turnId"] == turn).await?;
        Ok(event["data"]["turnEnded"].clone())
    }

    /// Puts something into the configuration of the project; `kind` names the parameter, too.
    pub(super) async fn configure(
        &self,
        (kind, parameter): (&str, &str),
        name: &str,
        entry: &Value,
    ) -> Result<()> {
        let directory = self.project.display();
        let path = format!("/v1/config/{kind}?directory={directory}&{parameter}={name}");
        self.http().put(&path).json(entry.to_string()).send().await?.expect_status(204)?;
        Ok(())
    }

    /// Returns the requests in which the model got these words.
    pub(super) fn told(&self, words: &str) -> Vec<Request> {
        let requests = self.model.requests().into_iter();
        requests.filter(|request| request.body.to_string().contains(words)).collect()
    }
}
