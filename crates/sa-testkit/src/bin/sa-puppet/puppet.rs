//! The methods of the puppet.

use crate::flood::Flood;
use crate::held::Held;
use crate::tree::Tree;
use crate::wire::{self, Message, Reply};
use crate::{facts, flood};
use base64::prelude::{BASE64_STANDARD, Engine};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::io::Write;
use std::thread;
use std::time::Duration;

/// `ids` reports this many at most, so that a bench can run for hours.
const REMEMBERED_IDS: usize = 16 * 1024;

/// The action after a line.
pub(crate) enum Next {
    Read,
    /// Neither it nor any later one.
    StopReading,
}

/// The state between lines.
pub(crate) struct Puppet {
    seen: VecDeque<String>,
    notifications: u64,
    held: Held,
    asked: Vec<Asked>,
    asks: u64,
}

/// A request of the puppet's that the client owes an answer to.
struct Asked {
    id: String,
    reply: Reply,
}

impl Puppet {
    /// One that has seen nothing.
    pub(crate) fn new() -> Self {
        Self { seen: VecDeque::new(), notifications: 0, held: Held::default(), asked: Vec::new(), asks: 0 }
    }

    pub(crate) fn line(&mut self, line: &[u8]) -> Next {
        let text = String::from_utf8_lossy(line);
        match serde_json::from_str::<Message>(&text) {
            Ok(Message { method: Some(method), id, params }) => {
                self.note(id);
                let params = params.map_or("null", RawValue::get);
                self.call(&method, params, Reply::to(id), &text)
            }
            Ok(Message { id: Some(id), .. }) => {
                self.answered(id.get(), &text);
                Next::Read
            }
            Ok(_) | Err(_) => {
                eprintln!("sa-puppet: not a message: {text}");
                Next::Read
            }
        }
    }

    fn note(&mut self, id: Option<&RawValue>) {
        match id {
            None => self.notifications += 1,
            Some(id) => {
                if self.seen.len() == REMEMBERED_IDS {
                    self.seen.pop_front();
                }
                self.seen.push_back(id.get().to_owned());
            }
        }
    }

    fn call(&mut self, method: &str, params: &str, reply: Reply, line: &str) -> Next {
        match method {
            // The standard transport opens a connection only for an agent that answers the first of these two.
            "initialize" | "echo" => reply.result(params),
            "error" => reply.error(params),
            "line" => reply.result(&serde_json::Value::from(line).to_string()),
            "never" => {}
            "pid" => reply.result(&std::process::id().to_string()),
            "ids" => reply.result(&format!("[{}]", Vec::from(self.seen.clone()).join(","))),
            "notify_count" => reply.result(&self.notifications.to_string()),
            "fds" => reply.result(&facts::descriptors().to_string()),
            "env" => with(params, &reply, |name: facts::EnvName| reply.result(&name.look_up().to_string())),
            "stderr" => with(params, &reply, |text| on_stderr(&text, &reply)),
            "delay" => with(params, &reply, |delay| later(&delay, params, &reply)),
            "flood" => with(params, &reply, |flood: Flood| flood.start(reply.clone())),
            "huge" => with(params, &reply, |huge: flood::Huge| huge.send(&reply)),
            "raw" => with(params, &reply, |raw| exact_bytes(&raw, &reply)),
            "spawn_tree" => with(params, &reply, |tree: Tree| tree.grow(&reply)),
            "crash" => with(params, &reply, |crash| end(&crash)),
            "signal" => with(params, &reply, |signal: facts::SelfSignal| signal.send(&reply)),
            "ask" => with(params, &reply, |ask| self.ask(&ask, &reply)),
            "hold" => with(params, &reply, |hold| self.held.hold(hold, params, &reply)),
            "release" => with(params, &reply, |release| self.held.release(release, &reply)),
            "$/cancel_request" if reply.is_nowhere() => {
                with(params, &reply, |cancel| self.held.cancel(&cancel))
            }
            "duplicate_id" => (0..2).for_each(|_| reply.result(params)),
            "deaf" => {
                reply.result("null");
                return Next::StopReading;
            }
            "close_stdin" => {
                return facts::close(rustix::stdio::dup2_stdin, &reply, Next::StopReading);
            }
            "close_stdout" => return facts::close(rustix::stdio::dup2_stdout, &reply, Next::Read),
            _ => reply.fail(-32601, &format!("the puppet has no method {method}")),
        }
        Next::Read
    }

    /// Sends a request to the client; its answer, the whole message, becomes the result of `ask`.
    fn ask(&mut self, ask: &Ask, reply: &Reply) {
        self.asks += 1;
        let id =
            ask.id.as_ref().map_or_else(|| format!("\"puppet-{}\"", self.asks), |id| id.get().to_owned());
        let method = serde_json::Value::from(ask.method.as_str());
        let params = ask.params.as_ref().map_or("{}", |params| params.get());
        self.asked.push(Asked { id: id.clone(), reply: reply.clone() });
        let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#);
        wire::write(format!("{request}\n").as_bytes());
    }

    fn answered(&mut self, id: &str, line: &str) {
        match self.asked.iter().position(|asked| asked.id == id) {
            Some(at) => self.asked.remove(at).reply.result(line),
            None => eprintln!("sa-puppet: an answer to nothing: {line}"),
        }
    }
}

/// `ask {method, params?, id?}`.
#[derive(Deserialize)]
struct Ask {
    method: String,
    params: Option<Box<RawValue>>,
    id: Option<Box<RawValue>>,
}

/// `delay {ms}`.
#[derive(Deserialize)]
struct Delay {
    ms: u64,
}

/// `crash {code?, stderr?}`.
#[derive(Deserialize)]
#[serde(default)]
struct Crash {
    code: i32,
    stderr: String,
}

impl Default for Crash {
    fn default() -> Self {
        Self { code: 1, stderr: String::new() }
    }
}

/// `stderr {text, repeat?}`.
#[derive(Deserialize)]
struct Text {
    text: String,
    #[serde(default = "once")]
    repeat: u32,
}

fn once() -> u32 {
    1
}

/// `raw {base64}`.
#[derive(Deserialize)]
struct Raw {
    base64: String,
}

/// Reads the parameters as what the method wants; absent ones are an empty object.
fn with<T: DeserializeOwned>(params: &str, reply: &Reply, then: impl FnOnce(T)) {
    let params = if params == "null" { "{}" } else { params };
    match serde_json::from_str(params) {
        Ok(wanted) => then(wanted),
        Err(error) => reply.fail(-32602, &error.to_string()),
    }
}

fn later(delay: &Delay, params: &str, reply: &Reply) {
    let (pause, params, reply) = (Duration::from_millis(delay.ms), params.to_owned(), reply.clone());
    thread::spawn(move || {
        thread::sleep(pause);
        reply.result(&params);
    });
}

fn on_stderr(text: &Text, reply: &Reply) {
    let mut stderr = std::io::stderr().lock();
    let wrote = (0..text.repeat).try_for_each(|_| stderr.write_all(text.text.as_bytes()));
    match wrote {
        Ok(()) => reply.result("null"),
        Err(error) => reply.fail(-32000, &error.to_string()),
    }
}

fn exact_bytes(raw: &Raw, reply: &Reply) {
    match BASE64_STANDARD.decode(&raw.base64) {
        Ok(bytes) => {
            wire::write(&bytes);
            reply.result("null");
        }
        Err(_) => reply.fail(-32602, "not base64"),
    }
}

fn end(crash: &Crash) {
    eprint!("{}", crash.stderr);
    std::process::exit(crash.code);
}
