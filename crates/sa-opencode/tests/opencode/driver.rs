//! The agent on a pair of streams, with a real process and a real socket in place of the server.

use sa_acp::testing::{PATH, Remote, answer, program, said, stop_reason};
use sa_opencode::{LIMITS, Limits, Options};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Reports its port to the test, waits until the test listens there, and stays until the test wants a crash.
const FAKE: &str = r#"#!/bin/sh
here=$(dirname "$0")
printf '%s\n' "$*" > "$here/arguments.$$"
printf '%s\n' "$OPENCODE_SERVER_PASSWORD" > "$here/password"
printf '%s' "$5" > "$here/port.tmp" && mv "$here/port.tmp" "$here/port"
while [ ! -e "$here/listens.$5" ]; do sleep 0.02; done
echo "a line before"
echo "opencode server listening on http://127.0.0.1:$5"
while [ ! -e "$here/crash" ]; do sleep 0.02; done
rm "$here/crash"
echo "it hurts" >&2
exit 7
"#;

/// The part of the server that can be reached: answers what is asked at the start, and says the prompt back.
struct Server {
    folder: PathBuf,
    events: Arc<Mutex<Vec<TcpStream>>>,
}

impl Server {
    /// Listens on every port that a program reports.
    fn start(folder: &Path) -> Arc<Self> {
        let server = Arc::new(Self { folder: folder.to_owned(), events: Arc::default() });
        let watching = Arc::clone(&server);
        thread::spawn(move || {
            let mut seen = Vec::new();
            loop {
                let port = fs::read_to_string(watching.folder.join("port"))
                    .ok()
                    .and_then(|port| port.parse::<u16>().ok());
                if let Some(port) = port.filter(|port| !seen.contains(port)) {
                    seen.push(port);
                    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
                    fs::write(watching.folder.join(format!("listens.{port}")), "").unwrap();
                    let server = Arc::clone(&watching);
                    thread::spawn(move || {
                        for stream in listener.incoming().flatten() {
                            let server = Arc::clone(&server);
                            thread::spawn(move || server.serve(stream));
                        }
                    });
                }
                thread::sleep(Duration::from_millis(10));
            }
        });
        server
    }

    fn serve(&self, stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).ok()? > 0 {}
        let lower = head.to_lowercase();
        assert!(lower.contains("authorization: basic "), "{head}");
        let length =
            lower.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body).ok()?;
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let line = head.lines().next()?.to_owned();
        if line.contains("/global/event") {
            let mut stream = stream;
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"payload\":{\"type\":\"server.connected\",\"properties\":{}}}\n\n").ok()?;
            self.events.lock().unwrap().push(stream);
            return Some(());
        }
        let answer = self.answer(&line, &body)?.to_string();
        let mut stream = stream;
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{answer}", answer.len()).ok()
    }

    fn answer(&self, line: &str, body: &Value) -> Option<Value> {
        let model = json!({ "m": { "id": "m", "limit": { "context": 100 } } });
        let providers = json!({ "providers": [{ "id": "p", "key": "k", "models": model }], "default": {} });
        Some(match line {
            line if line.contains("/global/health") => json!({ "healthy": true, "version": "1.18.34" }),
            line if line.contains("/config/providers") => providers,
            line if line.contains("/message") => self.turn(body)?,
            line if line.contains("POST /session?") => {
                json!({ "id": "ses_1", "directory": "/", "title": "" })
            }
            line if line.contains("/agent") || line.contains("/command") => json!([]),
            _ => json!({}),
        })
    }

    fn turn(&self, body: &Value) -> Option<Value> {
        let text = body["parts"][0]["text"].as_str()?;
        if text == "crash" {
            fs::write(self.folder.join("crash"), "").unwrap();
            thread::sleep(Duration::from_secs(60));
        }
        let info = json!({ "id": "m1", "role": "assistant", "finish": "stop" });
        let said = if text == "long" { "x".repeat(3_000_000) } else { format!("you said {text}") };
        let part = json!({ "id": format!("p-{text}"), "messageID": "m1", "type": "text", "text": said });
        self.tell("session.status", &json!({ "status": { "type": "busy" } }));
        self.tell("message.updated", &json!({ "info": info }));
        self.tell("message.part.updated", &json!({ "part": part }));
        self.tell("session.status", &json!({ "status": { "type": "idle" } }));
        Some(json!({ "info": info, "parts": [part] }))
    }

    fn tell(&self, kind: &str, properties: &Value) {
        let mut properties = properties.clone();
        properties["sessionID"] = json!("ses_1");
        let event = json!({ "payload": { "type": kind, "properties": properties } });
        for stream in self.events.lock().unwrap().iter_mut() {
            // Those of processes before are closed.
            let _ = write!(stream, "data: {event}\n\n");
        }
    }
}

fn start(program: &Path) -> Remote<ExitCode> {
    let mut options = Options::new(program, program.parent().unwrap());
    options.cli.inherited = vec![("PATH".into(), PATH.into())];
    options.cli.env = vec![("EXTRA".into(), "secret".into())];
    options.limits = Limits { grace: Duration::from_millis(200), ..LIMITS };
    assert!(!format!("{options:?}").contains("secret"));
    Remote::start(|input, output| options.into_program().unwrap().run(input, output))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_process_is_started_talked_to_survived_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(&folder.path().join("opencode"), FAKE);
    let _server = Server::start(folder.path());
    let mut remote = start(&program);
    let opened = remote.open(folder.path()).await;
    assert_eq!(opened["result"]["sessionId"], "ses_1", "{opened}");
    let told = remote.prompt("ses_1", "hello").await;
    assert_eq!(stop_reason(&told), "end_turn");
    assert_eq!(said(&told), "you said hello", "{told:?}");
    assert!(told.iter().any(|message| message.to_string().contains("a line before")), "{told:?}");
    let password = fs::read_to_string(folder.path().join("password")).unwrap();
    let started = || {
        let files = fs::read_dir(folder.path()).unwrap().flatten();
        let files = files.filter(|file| file.file_name().to_string_lossy().starts_with("arguments."));
        files.map(|file| fs::read_to_string(file.path()).unwrap()).collect::<Vec<_>>()
    };
    assert!(started().iter().all(|words| !words.contains(password.trim())), "{:?}", started());
    let told = remote.prompt("ses_1", "crash").await;
    let answer = answer(&told);
    assert_eq!(answer["error"]["data"]["exitCode"], 7, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().ends_with("it hurts"), "{answer}");
    let told = remote.prompt("ses_1", "long").await;
    assert_eq!(stop_reason(&told), "end_turn");
    assert_eq!(said(&told).len(), 3_000_000);
    assert_eq!(started().len(), 2, "a second process went on");
    assert_eq!(remote.end().await, ExitCode::SUCCESS);
}
