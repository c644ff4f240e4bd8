//! Who belongs to which tree. Pure but for one question to the outside: a process's tree marker.
//!
//! The daemon is the subreaper of all its descendants, so each member of a tree descends from the daemon for as
//! long as it lives. A process belongs to a tree if it is the leader, is in the leader's group, was recognized
//! before (itself, its group or its session), is an orphan of the daemon that carries the tree's marker, or has
//! an ancestor of which one of these is true.

use std::collections::{HashMap, HashSet};

use crate::census::{Census, CensusEntry};
use crate::environment::markers;

/// The members of a tree in the last census. A member that drops its environment, is orphaned and forks stays
/// recognizable by this. Nothing older is kept: numbers of groups and sessions without members are free for others.
#[derive(Default)]
pub(crate) struct Traces {
    processes: HashSet<(i32, u64)>,
    groups: HashSet<i32>,
    sessions: HashSet<i32>,
}

impl Traces {
    pub(crate) fn of(members: &[&CensusEntry], daemon: &CensusEntry) -> Self {
        let groups = members.iter().map(|entry| entry.group).filter(|&group| group != daemon.group);
        let sessions = members.iter().map(|entry| entry.session).filter(|&session| session != daemon.session);
        Traces {
            processes: members.iter().map(|entry| (entry.pid, entry.started)).collect(),
            groups: groups.collect(),
            sessions: sessions.collect(),
        }
    }

    pub(crate) fn pids(&self) -> impl Iterator<Item = i32> {
        self.processes.iter().map(|&(pid, _)| pid)
    }
}

/// By what a tree is recognized.
pub(crate) struct Claim<'a> {
    pub(crate) marker: String,
    pub(crate) leader: Option<i32>,
    pub(crate) group: Option<i32>,
    pub(crate) traces: &'a Traces,
}

#[derive(Default)]
struct Claims {
    processes: HashMap<(i32, u64), usize>,
    leaders: HashMap<i32, usize>,
    groups: HashMap<i32, usize>,
    sessions: HashMap<i32, usize>,
    markers: HashMap<String, usize>,
}

impl Claims {
    fn new(claims: &[Claim<'_>]) -> Self {
        let mut all = Claims::default();
        for (tree, claim) in claims.iter().enumerate() {
            all.leaders.extend(claim.leader.map(|pid| (pid, tree)));
            all.groups.extend(claim.group.map(|group| (group, tree)));
            all.groups.extend(claim.traces.groups.iter().map(|&group| (group, tree)));
            all.sessions.extend(claim.traces.sessions.iter().map(|&session| (session, tree)));
            all.processes.extend(claim.traces.processes.iter().map(|&process| (process, tree)));
            all.markers.insert(claim.marker.clone(), tree);
        }
        all
    }

    fn of(
        &self,
        entry: &CensusEntry,
        daemon: &CensusEntry,
        marker: &mut impl FnMut(&CensusEntry) -> Option<String>,
    ) -> Option<usize> {
        if entry.pid == daemon.pid {
            return None;
        }
        let known = self
            .leaders
            .get(&entry.pid)
            .or_else(|| self.groups.get(&entry.group))
            .or_else(|| self.processes.get(&(entry.pid, entry.started)))
            .or_else(|| self.sessions.get(&entry.session));
        match known {
            Some(&tree) => Some(tree),
            None if entry.parent == daemon.pid && entry.alive => {
                markers(&marker(entry)?).find_map(|marker| self.markers.get(marker)).copied()
            }
            None => None,
        }
    }
}

/// Returns the processes of each claimed tree that are not gone yet, in the order of `claims`. A zombie counts while
/// the daemon itself has to collect it. `marker` is asked only about orphans of the daemon that nothing else gives
/// away.
pub(crate) fn assign<'c>(
    census: &'c Census,
    daemon: &CensusEntry,
    claims: &[Claim<'_>],
    mut marker: impl FnMut(&CensusEntry) -> Option<String>,
) -> Vec<Vec<&'c CensusEntry>> {
    let all = Claims::new(claims);
    let mut owners: HashMap<i32, Option<usize>> = HashMap::new();
    let mut members: Vec<Vec<&CensusEntry>> = claims.iter().map(|_| Vec::new()).collect();
    for entry in census.entries() {
        let owner =
            census.lineage(entry).take_while(|ancestor| ancestor.pid != daemon.pid).find_map(|ancestor| {
                *owners.entry(ancestor.pid).or_insert_with(|| all.of(ancestor, daemon, &mut marker))
            });
        let counts = entry.alive || entry.parent == daemon.pid;
        if counts && let Some(tree) = owner.and_then(|tree| members.get_mut(tree)) {
            tree.push(entry);
        }
    }
    members
}

/// Descendants of the daemon that no group or tree explains: orphans which have neither their group nor their
/// environment any more. Only meaningful while the daemon runs no tree; `excepted` are its own servants, and
/// what is in the daemon's own group was not started here.
pub(crate) fn strays<'c>(
    census: &'c Census,
    daemon: &CensusEntry,
    excepted: &HashSet<i32>,
) -> Vec<&'c CensusEntry> {
    let is_stray = |entry: &CensusEntry| {
        entry.parent == daemon.pid && entry.group != daemon.group && !excepted.contains(&entry.pid)
    };
    census
        .entries()
        .filter(|entry| entry.pid != daemon.pid && (entry.alive || entry.parent == daemon.pid))
        .filter(|entry| census.lineage(entry).any(is_stray))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAEMON: &CensusEntry =
        &CensusEntry { pid: 10, parent: 1, group: 10, session: 10, started: 0, alive: true };

    fn entry(pid: i32, parent: i32, group: i32, session: i32) -> CensusEntry {
        CensusEntry { pid, parent, group, session, started: 1, alive: true }
    }

    fn members(census: &Census, traces: &Traces, marked: &[i32]) -> Vec<i32> {
        let claim = Claim { marker: "t".into(), leader: Some(20), group: Some(20), traces };
        let marker = |entry: &CensusEntry| marked.contains(&entry.pid).then(|| "t".to_owned());
        let mut pids: Vec<i32> =
            assign(census, DAEMON, &[claim], marker).concat().iter().map(|entry| entry.pid).collect();
        pids.sort_unstable();
        pids
    }

    #[test]
    fn a_tree_is_its_group_its_descendants_and_its_marked_orphans() {
        let census = Census::new([
            entry(10, 1, 10, 10),
            entry(20, 10, 20, 10),
            entry(21, 20, 20, 10),
            entry(22, 21, 22, 22), // left the group, parent lives
            entry(23, 10, 23, 23), // left the group, orphaned, marked
            entry(24, 23, 24, 24), // child of the orphan
            entry(25, 10, 20, 10), // orphaned, still in the group
            entry(30, 10, 30, 10), // another tree
            entry(31, 30, 31, 31),
            entry(40, 1, 40, 40), // another program
        ]);
        assert_eq!(members(&census, &Traces::default(), &[23]), [20, 21, 22, 23, 24, 25]);
    }

    #[test]
    fn an_orphan_without_marker_is_known_by_what_was_seen_before() {
        let traces = Traces::of(&[&entry(22, 20, 22, 22)], DAEMON);
        // 22 has ended after forking 26, which has only the session in common with it.
        let census = Census::new([entry(10, 1, 10, 10), entry(26, 10, 26, 22), entry(27, 10, 10, 10)]);
        assert_eq!(members(&census, &traces, &[]), [26]);
        // 22 lives on in a new session; a later process of the same number is another one.
        let moved = entry(22, 10, 28, 28);
        assert_eq!(members(&Census::new([moved.clone()]), &traces, &[]), [22]);
        assert_eq!(members(&Census::new([CensusEntry { started: 2, ..moved }]), &traces, &[]), [0; 0]);
    }

    #[test]
    fn a_zombie_counts_only_for_the_daemon_to_collect() {
        let zombie = |pid, parent| CensusEntry { alive: false, ..entry(pid, parent, 20, 10) };
        let census =
            Census::new([entry(10, 1, 10, 10), zombie(21, 10), zombie(22, 30), entry(30, 10, 30, 10)]);
        assert_eq!(members(&census, &Traces::default(), &[]), [21]);
    }

    #[test]
    fn strays_are_orphans_outside_the_daemons_group_with_their_children() {
        let census = Census::new([
            entry(10, 1, 10, 10),
            entry(11, 10, 10, 10), // started by somebody else in this program
            entry(12, 10, 12, 12), // the guardian
            entry(50, 10, 50, 50),
            entry(51, 50, 51, 51),
            entry(60, 1, 60, 60),
        ]);
        let mut pids: Vec<i32> =
            strays(&census, DAEMON, &HashSet::from([12])).iter().map(|entry| entry.pid).collect();
        pids.sort_unstable();
        assert_eq!(pids, [50, 51]);
    }
}
