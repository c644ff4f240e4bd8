//! Facts about this process: descriptors, environment, signals.

use crate::puppet::Next;
use crate::wire::Reply;
use rustix::process::{Signal, getpid, kill_process};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fs::{self, File};

/// `env {name?}`: one value or null; without a name, all of them.
#[derive(Deserialize)]
pub(crate) struct EnvName {
    name: Option<String>,
}

impl EnvName {
    pub(crate) fn look_up(&self) -> Value {
        let text = |value: std::ffi::OsString| Value::from(value.to_string_lossy().into_owned());
        match &self.name {
            Some(name) => std::env::var_os(name).map_or(Value::Null, text),
            None => {
                let all = std::env::vars_os();
                Value::Object(
                    all.map(|(k, v)| (k.to_string_lossy().into_owned(), text(v))).collect::<Map<_, _>>(),
                )
            }
        }
    }
}

/// Open descriptors and what each leads to, without the one that this listing needs.
pub(crate) fn descriptors() -> Value {
    let Ok(listing) = fs::read_dir("/proc/self/fd") else { return Value::Null };
    let mut open: Vec<(u32, String)> = listing
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let number = entry.file_name().to_str()?.parse().ok()?;
            Some((number, fs::read_link(entry.path()).ok()?.to_string_lossy().into_owned()))
        })
        .filter(|(_, target)| !target.ends_with("/fd"))
        .collect();
    open.sort();
    open.into_iter().map(|(fd, target)| json!({ "fd": fd, "target": target })).collect()
}

/// `signal {sig}`.
#[derive(Deserialize)]
pub(crate) struct SelfSignal {
    sig: i32,
}

impl SelfSignal {
    /// Sends it to this process; when it does not end that way, says so.
    pub(crate) fn send(&self, reply: &Reply) {
        let sent = Signal::from_named_raw(self.sig).map(|signal| kill_process(getpid(), signal));
        match sent {
            Some(Ok(())) => reply.result("null"),
            Some(Err(error)) => reply.fail(-32000, &error.to_string()),
            None => reply.fail(-32602, "no such signal"),
        }
    }
}

/// Answers, then puts the null device in the place of a standard stream, which closes this end of its pipe.
pub(crate) fn close(replace: impl FnOnce(File) -> rustix::io::Result<()>, reply: &Reply, next: Next) -> Next {
    reply.result("null");
    let null = File::options().read(true).write(true).open("/dev/null");
    if let Err(error) = null.and_then(|null| Ok(replace(null)?)) {
        eprintln!("sa-puppet: cannot close the stream: {error}");
    }
    next
}
