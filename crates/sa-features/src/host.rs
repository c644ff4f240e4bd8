//! The client's services for its agent: reading and writing files, running commands. Some agents leave that to their
//! client.

use anyhow::{Context, Result, bail};
use parking_lot::Mutex;
use sa_testkit::until_some;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

pub(crate) fn capabilities() -> Value {
    json!({ "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": true, "_meta": { "terminal_output": true } })
}

/// Commands that run, or ran, by the ids of their terminals.
#[derive(Debug, Default)]
pub(crate) struct Host {
    terminals: Mutex<HashMap<String, Terminal>>,
}

#[derive(Debug)]
struct Terminal {
    child: Child,
    file: std::path::PathBuf,
}

/// Returns whether a request is for the host rather than for the user.
pub(crate) fn concerns(method: &str) -> bool {
    method.starts_with("fs/") || method.starts_with("terminal/")
}

impl Host {
    /// Does what the agent asks for.
    pub(crate) async fn serve(&self, method: &str, params: &Value) -> Result<Value> {
        let path = || params["path"].as_str().context("a path");
        let terminal = || params["terminalId"].as_str().context("a terminal");
        match method {
            "fs/read_text_file" => Ok(json!({ "content": fs::read_to_string(path()?)? })),
            "fs/write_text_file" => {
                fs::write(path()?, params["content"].as_str().context("a content")?)?;
                Ok(json!({}))
            }
            "terminal/create" => self.create(params),
            "terminal/output" => self.output(terminal()?),
            "terminal/wait_for_exit" => {
                let id = terminal()?;
                until_some("a command to end", || self.exit(id).transpose()).await?
            }
            "terminal/kill" | "terminal/release" => {
                self.with(terminal()?, |terminal| {
                    // Failing means that it has ended.
                    let _ended = terminal.child.kill();
                    terminal.child.wait().context("the end of a command")
                })?;
                Ok(json!({}))
            }
            _ => bail!("a client has no {method}"),
        }
    }

    fn with<T>(&self, id: &str, act: impl FnOnce(&mut Terminal) -> Result<T>) -> Result<T> {
        let mut terminals = self.terminals.lock();
        act(terminals.get_mut(id).with_context(|| format!("a terminal {id}"))?)
    }

    fn create(&self, params: &Value) -> Result<Value> {
        let mut terminals = self.terminals.lock();
        let id = format!("terminal-{}", terminals.len() + 1);
        let cwd = params["cwd"].as_str().context("a directory")?;
        let file = std::path::Path::new(cwd).join(format!(".{id}"));
        let output = fs::File::create(&file)?;
        let words = params["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let child = Command::new(params["command"].as_str().context("a command")?)
            .args(words)
            .current_dir(cwd)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        terminals.insert(id.clone(), Terminal { child, file });
        Ok(json!({ "terminalId": id }))
    }

    /// Returns the exit of a command, once it has ended.
    pub(crate) fn exit(&self, id: &str) -> Result<Option<Value>> {
        self.with(id, |terminal| {
            let status = terminal.child.try_wait()?;
            Ok(status.map(|status| {
                json!({ "exitCode": status.code(), "signal": status.signal().map(|signal| signal.to_string()) })
            }))
        })
    }

    fn output(&self, id: &str) -> Result<Value> {
        let exit = self.exit(id)?;
        Ok(json!({ "output": self.printed(id)?, "truncated": false, "exitStatus": exit }))
    }

    /// Returns the output of a command so far.
    pub(crate) fn printed(&self, id: &str) -> Result<String> {
        self.with(id, |terminal| Ok(fs::read_to_string(&terminal.file)?))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let terminals = self.terminals.get_mut();
        for terminal in terminals.values_mut() {
            // Failing means that it has ended.
            let _ended = terminal.child.kill();
            let _reaped = terminal.child.wait();
        }
    }
}
