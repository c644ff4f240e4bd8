//! The operations on processes.

use crate::client::{EVENT_STREAM, JSON};
use crate::{Client, ClientError, EventStream, Terminal};
use reqwest::Method;
use sa_api::{
    ProcessConfig, ProcessConfigChange, ProcessCreateRequest, ProcessInfo, ProcessInputRequest,
    ProcessInputResponse, ProcessListResponse, ProcessLogsResponse, ProcessLogsStream, ProcessOwner,
    ProcessRunRequest, ProcessRunResponse, ProcessTerminalSize,
};
use serde::Serialize;
use std::time::Duration;

/// The part of a process's output to read, and how.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct ProcessOutput {
    /// Only this stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<ProcessLogsStream>,
    /// Start with the last so many entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<usize>,
    /// Start after the entry of this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// At most so many entries; not for streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `text` has entries that are UTF-8 come as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessEnding {
    /// Do not wait longer than this for the end.
    pub wait: Option<Duration>,
    /// Time between SIGTERM and SIGKILL.
    pub grace: Option<Duration>,
}

impl ProcessEnding {
    fn query(self) -> Vec<(&'static str, String)> {
        let number = |name, time: Option<Duration>| Some((name, time?.as_millis().to_string()));
        [number("waitMs", self.wait), number("graceMs", self.grace)].into_iter().flatten().collect()
    }
}

impl Client {
    /// Runs a command and waits for its end.
    pub async fn run_process(&self, request: &ProcessRunRequest) -> Result<ProcessRunResponse, ClientError> {
        self.post_json(&["v1", "processes", "run"], request).await
    }

    /// Starts a process.
    pub async fn create_process(&self, request: &ProcessCreateRequest) -> Result<ProcessInfo, ClientError> {
        self.post_json(&["v1", "processes"], request).await
    }

    /// All processes, or those of one owner.
    pub async fn list_processes(
        &self,
        owner: Option<ProcessOwner>,
    ) -> Result<ProcessListResponse, ClientError> {
        let request = self.request(Method::GET, &["v1", "processes"], JSON)?;
        self.ask(request.query(&owner.map(|owner| [("owner", owner)]))).await
    }

    pub async fn get_process(&self, id: &str) -> Result<ProcessInfo, ClientError> {
        self.get_json(&["v1", "processes", id]).await
    }

    /// Deletes a process that has ended.
    pub async fn delete_process(&self, id: &str) -> Result<(), ClientError> {
        self.send(self.request(Method::DELETE, &["v1", "processes", id], JSON)?).await.map(drop)
    }

    /// Asks a process to end, and has it killed after a grace.
    pub async fn stop_process(&self, id: &str, ending: ProcessEnding) -> Result<ProcessInfo, ClientError> {
        let request = self.request(Method::POST, &["v1", "processes", id, "stop"], JSON)?;
        self.ask(request.query(&ending.query())).await
    }

    /// Kills a process; its grace does not count.
    pub async fn kill_process(&self, id: &str, ending: ProcessEnding) -> Result<ProcessInfo, ClientError> {
        let request = self.request(Method::POST, &["v1", "processes", id, "kill"], JSON)?;
        self.ask(request.query(&ProcessEnding { grace: None, ..ending }.query())).await
    }

    /// Reads a process's output.
    pub async fn get_process_logs(
        &self,
        id: &str,
        output: ProcessOutput,
    ) -> Result<ProcessLogsResponse, ClientError> {
        let request = self.request(Method::GET, &["v1", "processes", id, "logs"], JSON)?;
        self.ask(request.query(&output)).await
    }

    /// Streams a process's output until it ends.
    pub async fn follow_process_logs(
        &self,
        id: &str,
        output: ProcessOutput,
    ) -> Result<EventStream, ClientError> {
        let request = self.request(Method::GET, &["v1", "processes", id, "logs", "sse"], EVENT_STREAM)?;
        let cursor = output.after.map(|after| [("lastEventId", after)]);
        let output = ProcessOutput { after: None, limit: None, ..output };
        EventStream::new(self.send(request.query(&output).query(&cursor)).await?)
    }

    /// Writes to a process's standard input.
    pub async fn send_process_input(
        &self,
        id: &str,
        input: &ProcessInputRequest,
    ) -> Result<ProcessInputResponse, ClientError> {
        self.post_json(&["v1", "processes", id, "input"], input).await
    }

    /// Resizes a process's terminal.
    pub async fn resize_process_terminal(
        &self,
        id: &str,
        size: ProcessTerminalSize,
    ) -> Result<ProcessTerminalSize, ClientError> {
        self.post_json(&["v1", "processes", id, "terminal", "resize"], &size).await
    }

    /// A process's terminal, beginning with so many bytes of what was printed before.
    pub async fn attach_process_terminal(
        &self,
        id: &str,
        scrollback: Option<u64>,
    ) -> Result<Terminal, ClientError> {
        let request = self.request(Method::GET, &["v1", "processes", id, "terminal", "ws"], JSON)?;
        Terminal::open(self, request.query(&scrollback.map(|bytes| [("scrollback", bytes)]))).await
    }

    /// The limits on processes.
    pub async fn get_process_config(&self) -> Result<ProcessConfig, ClientError> {
        self.get_json(&["v1", "processes", "config"]).await
    }

    /// Changes the limits on processes.
    pub async fn set_process_config(
        &self,
        change: &ProcessConfigChange,
    ) -> Result<ProcessConfig, ClientError> {
        self.post_json(&["v1", "processes", "config"], change).await
    }
}
