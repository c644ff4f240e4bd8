//! What every part of the agent works with: the client, the server, and what the agent was given from outside.

use super::door::Doors;
use super::jobs::Job;
use super::launch::Launch;
use super::limits::{BROKEN, Limits};
use super::native::call::Call;
use super::replies::Then;
use super::servers::Registry;
use agent_client_protocol_schema::v1::Meta;
use sa_acp::{ChildId, Desk};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Under which the agent tells what the protocol has no place for.
const NAME: &str = "opencode";

/// The files that the machine needs to know of, and must not touch itself.
pub trait Disk: Send {
    /// Whether there is a directory at that path.
    fn is_directory(&self, path: &Path) -> bool;

    /// What a file holds, if it is text and not too long to be shown.
    fn read(&self, path: &Path) -> Option<String>;
}

/// What the machine needs from outside.
pub struct Host {
    /// See there.
    pub disk: Box<dyn Disk>,
    /// See there.
    pub doors: Box<dyn Doors>,
    /// The home directory, for what concerns no project.
    pub home: PathBuf,
    /// Whether a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// See there.
    pub limits: Limits,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// Something that the server was asked.
#[derive(Debug)]
struct Open {
    deadline: Option<Duration>,
    /// Why no answer will come.
    broken: Option<String>,
    then: Then,
}

/// See the module's comment.
#[derive(Debug)]
pub(super) struct Core {
    desk: Desk<Launch>,
    pub(super) host: Host,
    /// The process that is talked to.
    pub(super) child: Option<ChildId>,
    /// Work that needs it to be ready.
    pub(super) jobs: VecDeque<Job>,
    /// MCP servers that it was told of.
    pub(super) registry: Registry,
    last: u64,
    open: BTreeMap<u64, Open>,
}

impl Core {
    pub(super) fn new(host: Host) -> Self {
        Self {
            desk: Desk::new(NAME),
            host,
            child: None,
            jobs: VecDeque::new(),
            registry: Registry::default(),
            last: 0,
            open: BTreeMap::new(),
        }
    }

    /// Asks the server something. Only prompts are awaited without a bound.
    pub(super) fn ask(&mut self, call: &Call, within: Option<Duration>, then: Then) {
        let Some(child) = self.child else { return };
        self.last += 1;
        let deadline = within.map(|within| self.now.elapsed.saturating_add(within));
        self.open.insert(self.last, Open { deadline, broken: None, then });
        let line = call.line(self.last);
        self.desk.write_to(child, line);
    }

    /// The same for what has an answer soon.
    pub(super) fn ask_soon(&mut self, call: &Call, then: Then) {
        self.ask(call, Some(self.host.limits.control), then);
    }

    /// The same when nothing depends on the answer.
    pub(super) fn order(&mut self, name: &'static str, call: &Call) {
        self.ask_soon(call, Then::Nothing(name));
    }

    /// Takes what the answer `id` is awaited for.
    pub(super) fn answered(&mut self, id: u64) -> Option<Then> {
        self.open.remove(&id).map(|open| open.then)
    }

    /// Notes that the answer `id` will not come. If that is because the process ends, its end tells more.
    pub(super) fn broken(&mut self, id: u64, reason: String) {
        let soon = self.now.elapsed.saturating_add(BROKEN);
        if let Some(open) = self.open.get_mut(&id) {
            open.deadline = Some(soon);
            open.broken = Some(reason);
        }
    }

    /// Takes what was not answered in time, with what is known about why.
    pub(super) fn expired(&mut self) -> Vec<(Then, Option<String>)> {
        let now = self.now.elapsed;
        let is_late = |open: &Open| open.deadline.is_some_and(|deadline| deadline <= now);
        self.open.extract_if(.., |_, open| is_late(open)).map(|(_, open)| (open.then, open.broken)).collect()
    }

    /// Takes everything that an answer is awaited for.
    pub(super) fn take_open(&mut self) -> Vec<Then> {
        std::mem::take(&mut self.open).into_values().map(|open| open.then).collect()
    }

    /// When the next answer is late.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.open.values().filter_map(|open| open.deadline).min()
    }
}

impl Deref for Core {
    type Target = Desk<Launch>;

    fn deref(&self) -> &Self::Target {
        &self.desk
    }
}

impl DerefMut for Core {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.desk
    }
}

/// What is told beside the protocol: `value` under the agent's own name.
pub(super) fn meta(value: Value) -> Meta {
    Meta::from_iter([(NAME.to_owned(), value)])
}
