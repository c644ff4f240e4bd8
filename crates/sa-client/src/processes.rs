//! The operations on processes.

use crate::client::{EVENT_STREAM, JSON};
use crate::operations::operations;
use crate::{Client, EventStream, Result, Terminal};
use reqwest::Method;
use sa_api::{
    ProcessConfig, ProcessConfigChange, ProcessCreateRequest, ProcessInfo, ProcessInputRequest,
    ProcessInputResponse, ProcessListResponse, ProcessLogsResponse, ProcessLogsStream, ProcessOwner,
    ProcessRunRequest, ProcessRunResponse, ProcessTerminalSize,
};
use serde::Serialize;

/// The part of a process's output to read, and how.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct ProcessOutput {
    /// Only this stream.
    pub stream: Option<ProcessLogsStream>,
    /// Start with the last so many entries.
    pub tail: Option<usize>,
    /// Start after the entry of this number.
    pub after: Option<u64>,
    /// At most so many entries; not for streams.
    pub limit: Option<usize>,
    /// `text` has entries that are UTF-8 come as text.
    pub encoding: Option<&'static str>,
}

/// The ways of ending a process.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessEnding {
    /// Answers after this time, even if the process has not ended.
    pub wait_ms: Option<u64>,
    /// Time between SIGTERM and SIGKILL.
    pub grace_ms: Option<u64>,
}

operations! {
    /// Runs a command and waits for its end.
    run_process(request: &ProcessRunRequest) -> ProcessRunResponse =
        POST ["v1", "processes", "run"], json request;
    /// Starts a process.
    create_process(request: &ProcessCreateRequest) -> ProcessInfo = POST ["v1", "processes"], json request;
    /// Lists all processes, or those of one owner.
    list_processes(owner: Option<ProcessOwner>) -> ProcessListResponse =
        GET ["v1", "processes"], query owner.map(|owner| [("owner", owner)]);
    get_process(id: &str) -> ProcessInfo = GET ["v1", "processes", id];
    /// Deletes a process that has ended.
    delete_process(id: &str) = DELETE ["v1", "processes", id];
    /// Asks a process to end, and has it killed after a grace.
    stop_process(id: &str, ending: ProcessEnding) -> ProcessInfo =
        POST ["v1", "processes", id, "stop"], query ending;
    /// Kills a process; its grace does not count.
    kill_process(id: &str, ending: ProcessEnding) -> ProcessInfo =
        POST ["v1", "processes", id, "kill"], query ProcessEnding { grace_ms: None, ..ending };
    /// Reads a process's output.
    get_process_logs(id: &str, output: ProcessOutput) -> ProcessLogsResponse =
        GET ["v1", "processes", id, "logs"], query output;
    /// Writes to a process's standard input.
    send_process_input(id: &str, input: &ProcessInputRequest) -> ProcessInputResponse =
        POST ["v1", "processes", id, "input"], json input;
    /// Resizes a process's terminal.
    resize_process_terminal(id: &str, size: ProcessTerminalSize) -> ProcessTerminalSize =
        POST ["v1", "processes", id, "terminal", "resize"], json &size;
    /// Returns the limits on processes.
    get_process_config() -> ProcessConfig = GET ["v1", "processes", "config"];
    /// Changes the limits on processes.
    set_process_config(change: &ProcessConfigChange) -> ProcessConfig =
        POST ["v1", "processes", "config"], json change;
}

impl Client {
    /// Streams a process's output until it ends.
    pub async fn follow_process_logs(&self, id: &str, output: ProcessOutput) -> Result<EventStream> {
        let request = self.request(Method::GET, &["v1", "processes", id, "logs", "sse"], EVENT_STREAM)?;
        let cursor = output.after.map(|after| [("lastEventId", after)]);
        let output = ProcessOutput { after: None, limit: None, ..output };
        EventStream::new(self.send(request.query(&output).query(&cursor)).await?)
    }

    /// A process's terminal, beginning with so many bytes of what was printed before.
    pub async fn attach_process_terminal(&self, id: &str, scrollback: Option<u64>) -> Result<Terminal> {
        let request = self.request(Method::GET, &["v1", "processes", id, "terminal", "ws"], JSON)?;
        Terminal::open(self, request.query(&scrollback.map(|bytes| [("scrollback", bytes)]))).await
    }
}
