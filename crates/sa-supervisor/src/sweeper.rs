//! The thread that ends trees: SIGTERM to every member, grace, SIGKILL until none is left.
//!
//! All trees being ended share each reading of `/proc`, so that ending hundreds at once costs little more than
//! ending one. In between only the emptiness of process groups is asked for, one system call per tree. The
//! thread sleeps without a timer while there is nothing to end.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::sync::oneshot;

use crate::census::{self, Attempt, Census, CensusEntry, is_shortage};
use crate::environment::TREE_MARKER;
use crate::host::Host;
use crate::limits;
use crate::members::{self, Claim};
use crate::tree::Tree;
use crate::tree_stop::TreeStop;
use parking_lot::{Condvar, Mutex};

/// Times per census that an empty environment is read again: a process in the middle of exec has none.
const HOLLOW_READS: u32 = 8;
const HOLLOW_PAUSE: Duration = Duration::from_millis(1);

/// A task of the sweeper.
enum Order {
    End { tree: Arc<Tree>, deadline: Instant },
    EndOrphans { tree: Arc<Tree> },
    EndStrays { done: oneshot::Sender<()> },
}

/// The sweeper's mailbox. Short: a tree is ordered to end a handful of times in its life.
#[derive(Default)]
pub(crate) struct Sweeper {
    orders: Mutex<Vec<Order>>,
    wake: Condvar,
}

impl Sweeper {
    /// Ends a tree. If it is being ended already, the earlier deadline counts.
    pub(crate) fn end(&self, tree: &Arc<Tree>, grace: Duration) {
        self.place(Order::End { tree: Arc::clone(tree), deadline: deadline_after(grace) });
    }

    /// Ends what is left of a tree whose leader has ended; an end under way keeps its own deadline.
    pub(crate) fn end_orphans(&self, tree: &Arc<Tree>) {
        self.place(Order::EndOrphans { tree: Arc::clone(tree) });
    }

    /// Kills the orphans that no tree explains, if no tree is left; see [`members::strays`].
    pub(crate) async fn end_strays(&self) {
        let (done, finished) = oneshot::channel();
        self.place(Order::EndStrays { done });
        // The thread never ends, so it always answers.
        let _ = finished.await;
    }

    fn place(&self, order: Order) {
        self.orders.lock().push(order);
        self.wake.notify_one();
    }

    /// Returns the orders placed since the last call. Waits for the first one, or for `pause` if there is one.
    fn collect(&self, pause: Option<Duration>) -> Vec<Order> {
        let mut orders = self.orders.lock();
        match pause {
            None => self.wake.wait_while(&mut orders, |orders| orders.is_empty()),
            Some(pause) => {
                // The orders show whether time is up.
                let _ = self.wake.wait_while_for(&mut orders, |orders| orders.is_empty(), pause);
            }
        }
        std::mem::take(&mut *orders)
    }
}

/// Returns the deadline after a grace, which is capped at a day.
fn deadline_after(grace: Duration) -> Instant {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    Instant::now() + grace.min(DAY)
}

pub(crate) fn run(host: &Host) {
    let mut stops: Vec<TreeStop> = Vec::new();
    let mut pause = limits::TICK_MIN;
    loop {
        let orders = host.sweeper().collect((!stops.is_empty()).then_some(pause));
        let fresh = !orders.is_empty();
        for order in orders {
            take(host, &mut stops, order);
        }
        let before = stops.len();
        let looked = Instant::now();
        if stops.iter_mut().any(|stop| stop.wants_census(looked)) {
            advance_all(host, &mut stops);
        }
        // Never busier than half of the time, and slower when nothing moves.
        let moved = fresh || stops.len() < before;
        let next = if moved { limits::TICK_MIN } else { (pause * 2).min(limits::TICK_MAX) };
        pause = next.max(looked.elapsed());
    }
}

fn take(host: &Host, stops: &mut Vec<TreeStop>, order: Order) {
    match order {
        Order::End { tree, deadline } if !tree.is_gone() => match find(stops, &tree) {
            Some(stop) => stop.hasten(deadline),
            None => stops.push(TreeStop::new(tree, deadline, Instant::now())),
        },
        Order::EndOrphans { tree } if !tree.is_gone() && find(stops, &tree).is_none() => {
            let look = deadline_after(limits::ORPHAN_DELAY);
            stops.push(TreeStop::new(tree, look + limits::ORPHAN_GRACE, look));
        }
        Order::End { .. } | Order::EndOrphans { .. } => {}
        Order::EndStrays { done } => {
            kill_strays(host);
            // Nobody waits any more: that is fine, too.
            let _ = done.send(());
        }
    }
}

fn find<'stops>(stops: &'stops mut [TreeStop], tree: &Tree) -> Option<&'stops mut TreeStop> {
    stops.iter_mut().find(|stop| stop.tree().id() == tree.id())
}

/// Takes one census and lets every stop act on it, and removes those that are over.
fn advance_all(host: &Host, stops: &mut Vec<TreeStop>) {
    let census = match Census::take() {
        Attempt::Taken(census) => Some(census),
        Attempt::Impossible => None,
        Attempt::Later => return stops.retain_mut(|stop| keep(host, stop.advance_blindly())),
    };
    let Some((census, daemon)) = census.as_ref().and_then(|census| Some((census, census.daemon()?))) else {
        stops.retain_mut(|stop| keep(host, stop.advance_by_group()));
        return;
    };
    let is_short = Cell::new(false);
    let found: Vec<Vec<&CensusEntry>> = {
        let claims: Vec<Claim<'_>> = stops.iter().map(TreeStop::claim).collect();
        members::assign(census, daemon, &claims, marker_reader(&is_short))
    };
    if is_short.get() {
        return stops.retain_mut(|stop| keep(host, stop.advance_blindly()));
    }
    if found.iter().flatten().any(|entry| !entry.alive) {
        host.reap();
    }
    let mut found = found.into_iter();
    stops.retain_mut(|stop| keep(host, stop.advance(daemon, &found.next().unwrap_or_default())));
}

fn keep(host: &Host, finished: Option<Arc<Tree>>) -> bool {
    match finished {
        Some(tree) => {
            host.forget(&tree);
            false
        }
        None => true,
    }
}

/// Reads the tree marker of a process; notes when there is no descriptor for that.
fn marker_reader(is_short: &Cell<bool>) -> impl FnMut(&CensusEntry) -> Option<String> {
    let mut hollow_reads = HOLLOW_READS;
    move |entry| {
        let read = census::environment(entry.pid);
        let mut environment =
            read.inspect_err(|error| is_short.set(is_short.get() | is_shortage(error))).ok()?;
        if environment.is_empty() && hollow_reads > 0 {
            hollow_reads -= 1;
            std::thread::sleep(HOLLOW_PAUSE);
            environment = census::environment(entry.pid).ok()?;
        }
        let id = census::variable(&environment, TREE_MARKER)?;
        Some(String::from_utf8_lossy(id).into_owned())
    }
}

/// Kills orphans that belong to no tree. Nothing may be forked meanwhile: a child between fork and
/// registration looks just like them.
fn kill_strays(host: &Host) {
    let until = Instant::now() + limits::SHUTDOWN_LIMIT;
    while Instant::now() < until {
        if !may_have_strays(host) {
            return;
        }
        host.reap();
        std::thread::sleep(limits::TICK_MIN);
    }
    tracing::error!("orphaned processes survive SIGKILL");
}

/// Kills the orphans that a look finds; returns whether another look is needed.
fn may_have_strays(host: &Host) -> bool {
    let _still = host.hold_forks();
    if host.tree_count() > 0 {
        return false;
    }
    let census = match Census::take() {
        Attempt::Taken(census) => census,
        Attempt::Impossible => return false,
        Attempt::Later => return true,
    };
    let Some(daemon) = census.daemon() else { return false };
    let strays = members::strays(&census, daemon, &host.servants());
    for stray in strays.iter().filter(|stray| stray.alive) {
        tracing::debug!(pid = stray.pid, "ending an orphan of an earlier process tree");
        census::signal(stray, Signal::KILL);
    }
    !strays.is_empty()
}
