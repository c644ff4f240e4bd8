//! The rule by which a tree of processes is stopped: TERM, grace, KILL.
//!
//! ```text
//!  New ──TERM to all──► Grace ──deadline──► Kill ──KILL to all, again and again──► given up, logged
//!                         └──none left──► gone ◄──none left──┘
//! ```

use std::sync::Arc;
use std::time::Instant;

use rustix::process::{Pid, Signal, test_kill_process};

use crate::census::{self, CensusEntry};
use crate::limits;
use crate::members::{Claim, Traces};
use crate::tree::Tree;

enum Phase {
    New { look: Instant },
    Grace,
    Kill { until: Instant },
}

/// A tree that is being stopped.
pub(crate) struct TreeStop {
    tree: Arc<Tree>,
    deadline: Instant,
    phase: Phase,
    traces: Traces,
    counted: Instant,
}

impl TreeStop {
    /// `look` is when its members are first looked for.
    pub(crate) fn new(tree: Arc<Tree>, deadline: Instant, look: Instant) -> Self {
        Self { tree, deadline, phase: Phase::New { look }, traces: Traces::default(), counted: look }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Somebody waits for the end now, by `deadline` at the latest.
    pub(crate) fn hasten(&mut self, deadline: Instant) {
        self.deadline = self.deadline.min(deadline);
        if let Phase::New { look } = &mut self.phase {
            *look = Instant::now();
        }
    }

    pub(crate) fn claim(&self) -> Claim<'_> {
        Claim {
            marker: self.tree.marker(),
            leader: self.tree.leader(),
            group: self.tree.group(),
            traces: &self.traces,
        }
    }

    /// Returns whether a census is due: something has to be signalled, everything known is gone, or the last one was
    /// long ago.
    pub(crate) fn wants_census(&mut self, now: Instant) -> bool {
        match self.phase {
            Phase::New { look } => now >= look,
            Phase::Kill { .. } => true,
            Phase::Grace => {
                now >= self.deadline
                    || now.duration_since(self.counted) >= limits::CENSUS_INTERVAL
                    || !(self.tree.group_exists() || self.knows_a_living_process())
            }
        }
    }

    fn knows_a_living_process(&self) -> bool {
        self.traces.pids().filter_map(Pid::from_raw).any(|pid| test_kill_process(pid).is_ok())
    }

    /// Acts on the members a census found. Gives back the tree when it is over.
    pub(crate) fn advance(&mut self, daemon: &CensusEntry, members: &[&CensusEntry]) -> Option<Arc<Tree>> {
        self.traces = Traces::of(members, daemon);
        let living: Vec<&CensusEntry> = members.iter().copied().filter(|member| member.alive).collect();
        self.step(members.is_empty(), |tree, signal| signal_all(tree, &living, signal))
    }

    /// Advances where there is no census and only the group is known.
    pub(crate) fn advance_by_group(&mut self) -> Option<Arc<Tree>> {
        let empty = !self.tree.group_exists();
        self.step(empty, |tree, signal| tree.signal_group(signal))
    }

    /// The same while members cannot be looked for: those that left the group may still run, so it is not over.
    pub(crate) fn advance_blindly(&mut self) -> Option<Arc<Tree>> {
        self.step(false, |tree, signal| tree.signal_group(signal))
    }

    fn step(&mut self, empty: bool, send: impl Fn(&Tree, Signal)) -> Option<Arc<Tree>> {
        let now = Instant::now();
        self.counted = now;
        if empty {
            return Some(Arc::clone(&self.tree));
        }
        if now >= self.deadline && !matches!(self.phase, Phase::Kill { .. }) {
            self.phase = Phase::Kill { until: now + limits::KILL_LIMIT };
        }
        match self.phase {
            Phase::New { .. } => {
                send(&self.tree, Signal::TERM);
                // A stopped process would sit on the signal for the whole grace.
                send(&self.tree, Signal::CONT);
                self.phase = Phase::Grace;
                None
            }
            Phase::Grace => None,
            Phase::Kill { until } => {
                self.tree.mark_killed();
                send(&self.tree, Signal::KILL);
                if now < until {
                    return None;
                }
                tracing::error!(pid = self.tree.pid(), "processes survive SIGKILL; giving up on them");
                Some(Arc::clone(&self.tree))
            }
        }
    }
}

/// Signals the group first: one call reaches all its members, also one that forks at this moment.
fn signal_all(tree: &Tree, living: &[&CensusEntry], signal: Signal) {
    let group = tree.group();
    if living.iter().any(|member| Some(member.group) == group) {
        tree.signal_group(signal);
    }
    for member in living.iter().filter(|member| Some(member.group) != group) {
        census::signal(member, signal);
    }
}
