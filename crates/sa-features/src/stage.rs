//! The stage of a body: a daemon, an agent behind it, a scripted model behind that, and a client in front of it.

use crate::client::Client;
use crate::policy::Policy;
use crate::script::Script;
use crate::session::Session;
use crate::subject::Subject;
use crate::way::Way;
use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use sa_model::{ModelServer, Request};
use sa_testkit::{Daemon, Sandbox};
use serde_json::{Value, json};
use std::fs;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

/// Differences from the usual stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Setup {
    /// The client shows no forms.
    pub(crate) formless: bool,
    /// There is no key for the model.
    pub(crate) keyless: bool,
    /// The agent's program writes lines that nobody knows.
    pub(crate) noisy: bool,
    /// The agent's program has none of the helpers that were installed with it.
    pub(crate) bare: bool,
}

/// The stage of a body.
pub(crate) struct Stage {
    pub(crate) subject: &'static Subject,
    setup: Setup,
    way: Way,
    client: Client,
    pub(crate) daemon: Daemon,
    model: ModelServer,
    /// The directory of sessions.
    pub(crate) project: PathBuf,
}

impl Stage {
    pub(crate) async fn set(subject: &'static Subject, setup: Setup, way: Way) -> Result<Self> {
        let sandbox = Arc::new(Sandbox::new()?);
        let project = sandbox.path("project");
        fs::create_dir_all(&project)?;
        // As agents see it.
        let project = fs::canonicalize(project)?;
        let model = ModelServer::start()?;
        let builder = subject.daemon(&sandbox, &model, setup).await?;
        let daemon = builder.sandbox(sandbox).start().await?;
        let client = connect(&daemon, "main", subject, (setup, way), project.clone()).await?;
        Ok(Self { subject, setup, way, client, daemon, model, project })
    }

    /// Sets the stage for another body: an empty project, a model that was asked nothing, a client that has heard nothing. The
    /// agent and its process stay, and the directory does, too: some agents take seconds for the first session in one.
    pub(crate) fn start_over(&self) -> Result<()> {
        for entry in fs::read_dir(&self.project)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        self.model.clear();
        self.client.start_over();
        Ok(())
    }

    /// Another agent of the same kind on the same daemon.
    pub(crate) async fn connect(&self, server: &str) -> Result<Client> {
        connect(&self.daemon, server, self.subject, (self.setup, self.way), self.project.clone()).await
    }

    pub(crate) fn text(&self, script: &Script) -> Result<String> {
        self.subject.render(script)
    }

    /// Returns a session in which every change is asked about.
    pub(crate) async fn asking_session(&self) -> Result<Session<'_>> {
        self.session_in(self.subject.modes.ask).await
    }

    /// Returns a session that never asks.
    pub(crate) async fn free_session(&self) -> Result<Session<'_>> {
        self.session_in(self.subject.modes.bypass).await
    }

    pub(crate) async fn session_in(&self, mode: &str) -> Result<Session<'_>> {
        let session = self.client.session().await?;
        if session.opened["modes"]["currentModeId"] != mode {
            session.set_mode(mode).await?;
        }
        Ok(session)
    }

    pub(crate) fn answer_with(&self, policy: Policy) {
        self.client.answer_with(policy);
    }

    /// Returns a file of the project, if it is there.
    pub(crate) fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.project.join(name)).ok()
    }

    /// Puts a file into the project.
    pub(crate) fn put(&self, name: &str, content: &str) -> Result<()> {
        fs::write(self.project.join(name), content).with_context(|| format!("writing {name}"))
    }

    /// Returns the processes of the agent's own program, one for each session that is open.
    pub(crate) fn native_processes(&self) -> Vec<u32> {
        let Some(program) = self.subject.native_program() else { return Vec::new() };
        let children = self.daemon.children();
        let is_native = |pid| children.iter().any(|child| child.pid == pid && child.name == program);
        let first = children.iter().filter(|child| is_native(child.pid) && !is_native(child.parent));
        first.filter(|child| !child.is_zombie()).map(|child| child.pid).collect()
    }

    /// Ends a process at once.
    pub(crate) fn kill(&self, pid: u32) -> Result<()> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).context("a process id")?;
        Ok(kill_process(pid, Signal::KILL)?)
    }

    /// Returns the requests to the model so far. An agent without a model has none.
    pub(crate) fn asked_of_model(&self) -> Result<Vec<Request>> {
        ensure!(self.subject.has_model(), "there is no model behind this agent");
        Ok(self.model.requests())
    }

    /// Returns the bodies of the requests in which the agent offers its tools: the conversation itself, no calls on
    /// the side.
    pub(crate) fn conversations(&self) -> Result<Vec<Value>> {
        let asked = self.asked_of_model()?.into_iter();
        let asked =
            asked.filter(|request| !request.path.contains("count_tokens")).map(|request| request.body);
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let conversing = |body: &Value| {
            let brought = list(&body["input"]).iter().any(|item| item["type"] == "additional_tools");
            brought || !list(&body["tools"]).is_empty()
        };
        Ok(asked.filter(conversing).collect())
    }

    /// Waits until the agent has stored what was said, if it does so later than it says it.
    pub(crate) async fn stored(&self, words: &str) -> Result<()> {
        if !self.subject.stores_late() {
            return Ok(());
        }
        let is_it = |request: &Request| {
            let sends = request.path.contains("uploadThread");
            sends
                && request.body["params"]["thread"]["messages"].to_string().contains(&format!("\"{words}\""))
        };
        sa_testkit::until("the session to be stored", || self.model.requests().iter().any(is_it)).await
    }

    /// Returns the whole text of the last conversation with the model.
    pub(crate) fn last_dialogue(&self) -> Result<String> {
        let last = self.conversations()?.pop().context("a request")?;
        let fields = ["messages", "contents", "input"];
        let field = fields.into_iter().find(|field| last[field].is_array()).context("what was said")?;
        Ok(last[field].to_string())
    }

    /// Checks that a model, if there is one, was sent these words with the last conversation.
    pub(crate) fn check_model_knows(&self, words: &str) -> Result<()> {
        if self.subject.has_model() {
            let last = self.last_dialogue()?;
            ensure!(last.contains(words), "the model does not know {words:?}: {last}");
        }
        Ok(())
    }
}

/// A stage is used like its client.
impl Deref for Stage {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

async fn connect(
    daemon: &Daemon,
    server: &str,
    subject: &'static Subject,
    (setup, way): (Setup, Way),
    cwd: PathBuf,
) -> Result<Client> {
    let session = json!({ "compaction": {} });
    let forms = json!({ "form": {} });
    let mut more = json!({ "session": session });
    if !setup.formless {
        more["elicitation"] = forms;
    }
    if subject.works_alone() {
        more["fs"] = json!({});
        more["terminal"] = json!(false);
    }
    let query = subject.query(setup);
    Client::connect(daemon, server, (subject, way), &query, &more, cwd).await
}
