//! A directory with files that are worth something, in which a real shell runs a command.

use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Time that a command has.
const PATIENCE: Duration = Duration::from_secs(10);

/// Files, their content, and who may execute them.
const FILES: [(&str, &str, u32); 12] = [
    ("victim.txt", "precious\n", 0o644),
    ("secret.txt", "s3cret\n", 0o600),
    ("list.txt", "victim.txt\n", 0o644),
    ("public/index.txt", "hello\n", 0o644),
    ("script.sh", "touch made\n", 0o755),
    ("bin/ls", "#!/bin/sh\ntouch made\n", 0o755),
    // Names that a program takes for options.
    ("odd/-delete", "x\n", 0o644),
    ("odder/-omade", "x\n", 0o644),
    // A repository whose settings name a program.
    ("repo/.git/HEAD", "ref: refs/heads/main\n", 0o644),
    (
        "repo/.git/config",
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch ../made; false\n",
        0o644,
    ),
    ("repo/.git/refs/heads/.keep", "", 0o644),
    ("repo/.git/objects/.keep", "", 0o644),
];

/// A file as it is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    Directory,
    File {
        mode: u32,
        content: Vec<u8>,
    },
    /// A link, a pipe or the like.
    Other,
}

/// A directory with files.
#[derive(Debug)]
pub struct Arena {
    directory: TempDir,
}

impl Arena {
    /// Prepares a directory.
    pub fn new() -> io::Result<Self> {
        let arena = Self { directory: TempDir::new()? };
        Self::fill(arena.path())?;
        Ok(arena)
    }

    /// Puts the files into a directory.
    pub fn fill(root: &Path) -> io::Result<()> {
        for (name, content, mode) in FILES {
            let path = root.join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&path, content)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
        }
        fs::create_dir_all(root.join("empty"))
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns everything in a directory.
    pub fn state_of(root: &Path) -> io::Result<BTreeMap<PathBuf, FileState>> {
        let mut found = BTreeMap::new();
        let mut left = vec![root.to_owned()];
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory)? {
                let path = entry?.path();
                let about = fs::symlink_metadata(&path)?;
                let state = if about.is_dir() {
                    left.push(path.clone());
                    FileState::Directory
                } else if about.is_file() {
                    FileState::File { mode: about.permissions().mode(), content: fs::read(&path)? }
                } else {
                    FileState::Other
                };
                found.insert(path, state);
            }
        }
        Ok(found)
    }

    /// Runs commands one after the other, each on its own, and returns whether anything in the directory has changed.
    pub fn is_changed_by(&self, shell: &str, commands: &[String]) -> io::Result<bool> {
        let before = Self::state_of(self.path())?;
        let mut command = Command::new(shell);
        match commands {
            [one] => command.arg("-c").arg(one),
            all => command.args(["-c", "for c do (eval \"$c\"); done", shell]).args(all),
        };
        command.current_dir(self.path()).env_clear().env("HOME", self.path());
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        wait(&mut command.spawn()?)?;
        Ok(Self::state_of(self.path())? != before)
    }

    /// Returns whether a command changes something in a directory of its own.
    pub fn shows_effect(shell: &str, command: &str) -> io::Result<bool> {
        Self::new()?.is_changed_by(shell, &[command.to_owned()])
    }
}

/// Waits for a shell, and ends all that it has started.
fn wait(child: &mut Child) -> io::Result<()> {
    let start = Instant::now();
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let mut pause = Duration::from_micros(200);
    while child.try_wait()?.is_none() && start.elapsed() < PATIENCE {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
    if let Some(group) = group {
        // The group is gone if nothing was left running.
        let _ = kill_process_group(group, Signal::KILL);
    }
    child.wait()?;
    Ok(())
}
