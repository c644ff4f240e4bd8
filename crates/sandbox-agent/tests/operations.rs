//! Every operation of the HTTP API is a command: the help of one names it, and one sends it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

const DOCUMENT: &str = include_str!("../../../openapi/openapi.json");
const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#;

/// A command for each operation, without `sandbox-agent api`.
const COMMANDS: [(&str, &[&str]); 82] = [
    ("getInfo", &["info"]),
    ("getHealth", &["health"]),
    ("getOpenapi", &["openapi"]),
    ("getMetrics", &["metrics"]),
    ("getUsage", &["usage"]),
    ("issueTicket", &["ticket"]),
    ("revokeTicket", &["revoke-ticket", "t"]),
    ("streamAcpConnection", &["acp", "connection", "stream", "c"]),
    ("postAcpConnection", &["acp", "connection", "post", "--agent", "demo", "--json", INITIALIZE]),
    ("closeAcpConnection", &["acp", "connection", "close", "c"]),
    ("listAcpServers", &["acp", "list"]),
    ("streamAcpMessages", &["acp", "stream", "s"]),
    ("postAcpMessage", &["acp", "post", "s", "--json", INITIALIZE]),
    ("deleteAcpServer", &["acp", "delete", "s"]),
    ("listAgents", &["agents", "list"]),
    ("getAgent", &["agents", "get", "demo"]),
    ("uninstallAgent", &["agents", "uninstall", "demo"]),
    ("updateAgent", &["agents", "use", "demo", "1.0.0"]),
    ("streamAgentAcpConnection", &["agents", "connection", "stream", "demo", "c"]),
    ("postAgentAcpConnection", &["agents", "connection", "post", "demo", "--json", INITIALIZE]),
    ("closeAgentAcpConnection", &["agents", "connection", "close", "demo", "c"]),
    ("installAgent", &["agents", "install", "demo", "--json"]),
    ("streamAgentInstallation", &["agents", "install", "demo"]),
    ("getLatestAgentVersion", &["agents", "latest", "demo"]),
    ("listAgentModels", &["agents", "models", "demo"]),
    ("listAgentModes", &["agents", "modes", "demo"]),
    ("getMcpConfig", &["config", "mcp", "get", "n"]),
    ("setMcpConfig", &["config", "mcp", "set", "n", "--json", r#"{"type":"local","command":"c"}"#]),
    ("deleteMcpConfig", &["config", "mcp", "delete", "n"]),
    ("listMcpConfigs", &["config", "mcp", "list"]),
    ("getSkillsConfig", &["config", "skills", "get", "n"]),
    ("setSkillsConfig", &["config", "skills", "set", "n", "--json", r#"{"sources":[]}"#]),
    ("deleteSkillsConfig", &["config", "skills", "delete", "n"]),
    ("listSkillsConfigs", &["config", "skills", "list"]),
    ("downloadFsBatch", &["fs", "download", "d"]),
    ("listFsEntries", &["fs", "ls"]),
    ("deleteFsEntry", &["fs", "rm", "f"]),
    ("readFsFile", &["fs", "get", "f"]),
    ("writeFsFile", &["fs", "put", "f"]),
    ("headFsFile", &["fs", "head", "f"]),
    ("makeFsDirectory", &["fs", "mkdir", "d"]),
    ("moveFsEntry", &["fs", "mv", "a", "b"]),
    ("searchFs", &["fs", "search", "--name", "*.rs"]),
    ("statFsEntry", &["fs", "stat", "f"]),
    ("uploadFsBatch", &["fs", "upload", "-"]),
    ("watchFs", &["fs", "watch"]),
    ("listProcesses", &["processes", "list"]),
    ("createProcess", &["processes", "start", "true"]),
    ("getProcessConfig", &["processes", "config"]),
    ("setProcessConfig", &["processes", "config", "--stop-grace-ms", "1"]),
    ("runProcess", &["processes", "run", "true"]),
    ("getProcess", &["processes", "get", "p"]),
    ("deleteProcess", &["processes", "rm", "p"]),
    ("sendProcessInput", &["processes", "input", "p", "--text", "x"]),
    ("killProcess", &["processes", "kill", "p"]),
    ("getProcessLogs", &["processes", "logs", "p"]),
    ("streamProcessLogs", &["processes", "logs", "p", "--follow"]),
    ("stopProcess", &["processes", "stop", "p"]),
    ("resizeProcessTerminal", &["processes", "resize", "p", "80", "24"]),
    ("attachProcessTerminal", &["processes", "attach", "p"]),
    ("listSessions", &["sessions", "list"]),
    ("createNewSession", &["sessions", "create", "--agent", "demo"]),
    ("importSession", &["sessions", "import"]),
    ("getSession", &["sessions", "get", "s"]),
    ("createSession", &["sessions", "create", "s", "--agent", "demo"]),
    ("deleteSession", &["sessions", "delete", "s"]),
    ("patchSession", &["sessions", "patch", "s", "--title", "t"]),
    ("cancelTurn", &["sessions", "cancel", "s"]),
    ("getEvents", &["sessions", "events", "s"]),
    ("streamEvents", &["sessions", "follow", "s"]),
    ("exportSession", &["sessions", "export", "s"]),
    ("forkSession", &["sessions", "fork", "s"]),
    ("getMessages", &["sessions", "messages", "s"]),
    ("postMessage", &["sessions", "send", "s", "hello"]),
    ("postMessageStream", &["sessions", "send", "s", "hello", "--stream"]),
    ("withdrawMessage", &["sessions", "withdraw", "s", "m"]),
    ("replyToPermission", &["sessions", "decide", "s", "p", "once"]),
    ("rejectQuestion", &["sessions", "reject", "s", "q"]),
    ("replyToQuestion", &["sessions", "answer", "s", "q", "yes"]),
    ("reorderQueue", &["sessions", "reorder", "s", "m"]),
    ("resumeSession", &["sessions", "resume", "s"]),
    ("terminateSession", &["sessions", "terminate", "s"]),
];

fn sandbox_agent() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandbox-agent"));
    command.env_clear().env("HOME", "/nonexistent").stdin(Stdio::null());
    command
}

/// The operations of the document: name, and method with path.
fn operations() -> BTreeMap<String, String> {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let mut operations = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if let Some(id) = operation["operationId"].as_str() {
                operations.insert(id.to_owned(), format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    operations
}

/// The operations that a text names, such as `GET /v1/health`.
fn named(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    for pair in words.windows(2) {
        let method = pair[0].trim_start_matches('(');
        let path = pair[1].trim_end_matches([',', ')', ';', '.']);
        if METHODS.contains(&method) && path.starts_with('/') {
            names.insert(format!("{method} {path}"));
        }
    }
    names
}

#[test]
fn the_reference_of_api_commands_names_every_operation_and_no_other() {
    let output = sandbox_agent().args(["gen", "cli-reference"]).output().unwrap();
    let reference = String::from_utf8(output.stdout).unwrap();
    let sections = reference.split("\n## ").filter(|section| section.starts_with("`sandbox-agent api"));
    let named: BTreeSet<String> = sections.flat_map(named).collect();
    let documented: BTreeSet<String> = operations().into_values().collect();
    let missing: Vec<_> = documented.difference(&named).collect();
    assert!(missing.is_empty(), "no command says that it is for {missing:?}");
    let stale: Vec<_> = named.difference(&documented).collect();
    assert!(stale.is_empty(), "commands name operations that do not exist: {stale:?}");
}

#[test]
fn every_operation_is_sent_by_a_command() {
    let operations = operations();
    let in_table: BTreeSet<&str> = COMMANDS.iter().map(|(id, _)| *id).collect();
    let missing: Vec<_> = operations.keys().filter(|id| !in_table.contains(id.as_str())).collect();
    assert!(missing.is_empty(), "operations without a command: {missing:?}");
    for (id, arguments) in COMMANDS {
        let operation = operations.get(id).unwrap_or_else(|| panic!("no operation is called {id}"));
        let (endpoint, requests) = stand_in();
        let mut command = sandbox_agent();
        command.args(["api", "--endpoint", &endpoint]).args(arguments);
        let output = command.output().unwrap();
        let sent: Vec<String> = requests.try_iter().collect();
        let fits = sent.iter().any(|request| is_of(request, operation));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(fits, "{arguments:?} sends {sent:?}, not {operation}: {said}");
    }
}

/// Returns whether a request such as `GET /v1/agents/demo` is of an operation such as `GET /v1/agents/{agent}`.
fn is_of(request: &str, operation: &str) -> bool {
    let parts = |text: &str| text.split(['/', ' ']).map(str::to_owned).collect::<Vec<_>>();
    let (request, operation) = (parts(request), parts(operation));
    let fit = |(sent, wanted): (&String, &String)| wanted.starts_with('{') || sent == wanted;
    request.len() == operation.len() && request.iter().zip(&operation).all(fit)
}

/// A daemon that knows nothing of what it is asked for, and notes the requests.
fn stand_in() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (sender, requests) = sync_channel(16);
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            // A connection without a request was made ahead of need.
            answer(stream, &sender);
        }
    });
    (endpoint, requests)
}

/// Notes the request before it is answered, so that it is noted when the command ends.
fn answer(mut stream: TcpStream, requests: &SyncSender<String>) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut line = String::new();
    while reader.read_line(&mut line).ok()? > 2 {
        line.clear();
    }
    let mut words = first.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let path = target.split('?').next()?.to_owned();
    requests.send(format!("{method} {path}")).ok()?;
    // A terminal is only asked for if there is a process.
    let (status, kind, body) = if method == "GET" && path == "/v1/processes/p" {
        ("200 OK", "application/json", "{}")
    } else {
        let problem = r#"{"type":"about:blank","title":"Not found","status":404,"code":"not_found","detail":"nothing"}"#;
        ("404 Not Found", "application/problem+json", problem)
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n");
    write!(stream, "{head}connection: close\r\n\r\n{body}").ok()
}
