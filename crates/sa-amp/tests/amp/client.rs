//! A client, a CLI and its helper, all played by the test, with the machine between them.

use sa_acp::testing::{self, Peer};
use sa_acp::{ChildId, Ended, HelperId};
use sa_amp::{Core, Disk, Host, LIMITS, Launch, Machine, PermissionQuery};
use serde_json::{Map, Value, json};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) use sa_acp::testing::{answer, request, stop_reason, updates};

/// The thread of the first session, and so its id.
pub(crate) const THREAD: &str = "T-01a1e094-6888-77d3-a355-1560a145d899";

/// A disk with one directory and one file.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub(crate) rules: Option<PathBuf>,
    pub(crate) login: bool,
    pub(crate) broken: bool,
}

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with("/project")
    }

    fn read(&self, path: &Path) -> Option<String> {
        (path.file_name()? == "a.txt").then(|| "one\ntwo\n".to_owned())
    }

    fn has_login(&self) -> bool {
        self.login
    }

    fn settings(&self) -> Result<Map<String, Value>, String> {
        if self.broken { Err("settings.json: broken".to_owned()) } else { Ok(Map::new()) }
    }

    fn project_rules(&self, _: &Path) -> Option<PathBuf> {
        self.rules.clone()
    }
}

/// The processes of the CLI, as far as they are played.
#[derive(Debug, Default)]
pub(crate) struct Cli {
    /// Lines to the processes that the test has not taken.
    written: Vec<Value>,
    helpers: u64,
}

impl Peer for Cli {
    fn wrote(&mut self, line: Value) {
        self.written.push(line);
    }
}

pub(crate) struct Client(testing::Client<Core, Cli>);

impl Deref for Client {
    type Target = testing::Client<Core, Cli>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Client {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

pub(crate) fn host() -> Host {
    host_with(Folder::default())
}

pub(crate) fn host_with(folder: Folder) -> Host {
    Host {
        disk: Box::new(folder),
        has_key: true,
        helper: "/helper".into(),
        allow_bypass: true,
        limits: LIMITS,
    }
}

impl Client {
    /// A client that has said hello.
    pub(crate) fn greeted(host: Host) -> Self {
        let mut client = Self(testing::Client::new(Machine::new(host), Cli::default()));
        client.greet(json!({}));
        client
    }

    /// A client that has a session.
    pub(crate) fn open() -> Self {
        Self::open_with(host(), THREAD, json!([]))
    }

    pub(crate) fn open_with(host: Host, thread: &str, servers: Value) -> Self {
        Self::open_of(host, thread, json!({ "cwd": "/project", "mcpServers": servers }))
    }

    /// A client with a session that asks about everything.
    pub(crate) fn open_asking_all() -> Self {
        let ask_all = json!({ "sandboxAgent": { "askAll": true } });
        Self::open_of(host(), THREAD, json!({ "cwd": "/project", "mcpServers": [], "_meta": ask_all }))
    }

    fn open_of(host: Host, thread: &str, params: Value) -> Self {
        let mut client = Self::greeted(host);
        client.call("session/new", params);
        let help =
            "-m, --mode <value>\n  Set the agent mode (deep, large, rush, smart) — controls the model\n";
        client.run_errand(&Launch::Help, help);
        let opened = client.run_errand(&Launch::NewThread { cwd: "/project".into() }, thread);
        assert_eq!(answer(&opened)["result"]["sessionId"], thread, "{opened:?}");
        client
    }

    /// The last process that was started for this.
    pub(crate) fn started(&self, launch: &Launch) -> ChildId {
        let found = self.starts.iter().rfind(|(_, started)| started == launch);
        found.unwrap_or_else(|| panic!("no {launch:?}: {:?}", self.starts)).0
    }

    /// A process prints something and ends well.
    pub(crate) fn run_errand(&mut self, launch: &Launch, text: &str) -> Vec<Value> {
        let child = self.started(launch);
        for line in text.lines() {
            self.native_of(child, line);
        }
        self.ended_of(child, &Ended { code: Some(0), ..Ended::default() })
    }

    /// A process fails.
    pub(crate) fn fail_errand(&mut self, launch: &Launch, stderr: &str) -> Vec<Value> {
        let child = self.started(launch);
        let ended = Ended { code: Some(1), stderr: stderr.to_owned(), ..Ended::default() };
        self.ended_of(child, &ended)
    }

    pub(crate) fn prompt(&mut self, text: &str) -> Vec<Value> {
        self.prompt_in(THREAD, text)
    }

    pub(crate) fn set_mode(&mut self, mode: &str) -> Vec<Value> {
        self.call("session/set_mode", json!({ "sessionId": THREAD, "modeId": mode }))
    }

    /// The last process writes a line.
    pub(crate) fn native(&mut self, line: &Value) -> Vec<Value> {
        let text = line.as_str().map_or_else(|| line.to_string(), str::to_owned);
        self.native_text(&text)
    }

    /// The model says something in the last process.
    pub(crate) fn assistant(&mut self, content: Value, stop_reason: &str) -> Vec<Value> {
        let usage = json!({ "input_tokens": 100, "output_tokens": 20, "max_tokens": 300_000 });
        self.native(&json!({
            "type": "assistant",
            "message": { "role": "assistant", "content": content, "stop_reason": stop_reason, "usage": usage },
            "parent_tool_use_id": null, "session_id": THREAD,
        }))
    }

    pub(crate) fn says(&mut self, text: &str) -> Vec<Value> {
        self.assistant(json!([{ "type": "text", "text": text }]), "end_turn")
    }

    pub(crate) fn calls_tool(&mut self, id: &str, name: &str, input: Value) -> Vec<Value> {
        self.assistant(json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]), "tool_use")
    }

    pub(crate) fn tool_result(&mut self, id: &str, content: &str, is_error: bool) -> Vec<Value> {
        let block =
            json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error });
        self.native(&json!({ "type": "user", "message": { "role": "user", "content": [block] }, "session_id": THREAD }))
    }

    /// The CLI's helper comes to the door.
    pub(crate) fn helper(&mut self, thread: &str, tool: &str, call: &str, input: Value) -> Vec<Value> {
        self.peer.helpers += 1;
        let asked = PermissionQuery {
            tool: tool.to_owned(),
            call: Some(call.to_owned()),
            thread: thread.to_owned(),
            input,
        };
        let line = serde_json::to_vec(&asked).unwrap();
        let helper = HelperId(self.peer.helpers);
        self.ask_as_helper(helper, &line)
    }

    /// The answer that the last helper got.
    pub(crate) fn helped(&self) -> Value {
        let last = self.answers.iter().rfind(|(helper, _)| helper.0 == self.peer.helpers);
        last.map(|(_, answer)| answer.clone()).unwrap_or_default()
    }

    /// The last helper leaves.
    pub(crate) fn leaves(&mut self) -> Vec<Value> {
        let helper = HelperId(self.peer.helpers);
        self.drop_helper(helper)
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, seconds: u64) -> Vec<Value> {
        self.pass(Duration::from_secs(seconds))
    }

    /// Takes the lines that were written to processes.
    pub(crate) fn written(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.peer.written)
    }
}
