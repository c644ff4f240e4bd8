//! `spawn_tree`: a chain of shells below the puppet, for tests of stopping whole trees.

use crate::wire::Reply;
use serde::Deserialize;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Error, Read, Result};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

/// Each level says its pid, starts the next and waits; the last one sleeps. `$0` is this script itself,
/// `$1` the levels left, `$2` whether SIGTERM is ignored, `$3` whether parents leave, `$4` where pids are said.
const LEVEL: &str = r#"
[ "$2" = ignore ] && trap '' TERM
echo $$ >&$4
[ "$1" -gt 1 ] || exec sleep 600
sh -c "$0" "$0" $(($1 - 1)) "$2" "$3" "$4" &
[ "$3" = leave ] && exit 0
wait
"#;

/// `spawn_tree {ignore_term?, setsid?, depth?, orphan?, hold_stdout?}`, answered with the pids, topmost first.
#[derive(Deserialize)]
#[serde(default)]
pub(crate) struct Tree {
    /// SIGTERM does nothing to any of them.
    ignore_term: bool,
    /// The topmost one starts a new session, and so a process group.
    setsid: bool,
    /// The number of processes, each the child of the one before.
    depth: usize,
    /// All but the last leave at once; only the pid of the last is reported.
    orphan: bool,
    /// They keep the puppet's standard output open; else its standard error.
    hold_stdout: bool,
}

impl Default for Tree {
    fn default() -> Self {
        Self { ignore_term: false, setsid: false, depth: 1, orphan: false, hold_stdout: false }
    }
}

impl Tree {
    /// Starts them and answers.
    pub(crate) fn grow(&self, reply: &Reply) {
        match self.start() {
            Ok(pids) => reply.result(&serde_json::json!({ "pids": pids }).to_string()),
            Err(error) => reply.fail(-32000, &error.to_string()),
        }
    }

    fn start(&self) -> Result<Vec<u32>> {
        let choose = |yes: bool, one, other| if yes { one } else { other };
        let depth = self.depth.max(1);
        let mut command = if self.setsid {
            let mut own = Command::new(std::env::current_exe()?);
            own.args(["--new-session", "sh"]);
            own
        } else {
            Command::new("sh")
        };
        command.args(["-c", LEVEL, LEVEL, &depth.to_string()]);
        command.arg(choose(self.ignore_term, "ignore", "obey"));
        command.arg(choose(self.orphan, "leave", "stay"));
        command.arg(choose(self.hold_stdout, "2", "1")).stdin(Stdio::null());
        if self.hold_stdout {
            command.stderr(Stdio::piped());
        } else {
            command.stdout(Stdio::piped());
        }
        let mut child = command.spawn()?;
        let said: Box<dyn Read> = match (child.stdout.take(), child.stderr.take()) {
            (Some(said), _) => Box::new(said),
            (_, Some(said)) => Box::new(said),
            _ => return Err(Error::other("the tree has no way to say its pids")),
        };
        let mut pids = Vec::new();
        for line in BufReader::new(said).lines().take(depth) {
            pids.push(line?.trim().parse().map_err(Error::other)?);
        }
        if pids.len() < depth {
            return Err(Error::other("the tree ended early"));
        }
        if self.orphan {
            child.wait()?;
            pids.drain(..depth - 1);
        }
        Ok(pids)
    }
}

/// Becomes the command, in a new session. Comes back only when that fails.
pub(crate) fn exec_in_new_session(command: &[OsString]) -> ExitCode {
    let Some((program, arguments)) = command.split_first() else { return ExitCode::from(64) };
    if let Err(error) = rustix::process::setsid() {
        eprintln!("sa-puppet: no new session: {error}");
    }
    let error = Command::new(program).args(arguments).exec();
    eprintln!("sa-puppet: cannot run {program:?}: {error}");
    ExitCode::FAILURE
}
