//! Checks while no client acts: logs against the model, processes and descriptors at rest, the database at the end.

use crate::audit::{Existence, Extent, audit};
use crate::census::{Identity, Usage, wait_for_end};
use crate::clients;
use crate::model::{Fate, Server, Session};
use crate::settle::{expect_finished, settle};
use crate::wire::Wire;
use crate::world::World;
use anyhow::{Context, Result};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A session with a longer log is deleted, and another takes its place.
const LONG_LOG: u64 = 3000;
/// Processes of a session that was deleted are gone by then.
const GONE: Duration = Duration::from_secs(10);
/// Descriptors of a resting daemon without agents.
const DESCRIPTORS: u64 = 64;
/// Descriptors that an agent may need.
const PER_PROCESS: u64 = 8;
/// Threads of a resting daemon: blocking work keeps some for seconds.
const THREADS: u64 = 96;

/// Compares sessions with the model; returns those that stay.
pub(crate) async fn compare(
    world: &World,
    sessions: Vec<Arc<Session>>,
    extent: Extent,
) -> Result<Vec<Arc<Session>>> {
    let wire = &world.wire;
    if extent == Extent::Whole {
        for session in &sessions {
            settle(wire, session).await;
        }
    }
    let mut kept = Vec::new();
    for session in sessions {
        let existence = audit(wire, &session, extent).await;
        if extent == Extent::Whole && existence == Existence::Exists {
            expect_finished(wire, &session);
        }
        let is_done = session.fate() != Fate::Kept || session.events() > LONG_LOG;
        if existence == Existence::Exists && !is_done {
            kept.push(session);
        } else {
            delete(world, &session).await?;
        }
    }
    Ok(kept)
}

/// Deletes a session; afterwards nothing of it is there.
pub(crate) async fn delete(world: &World, session: &Session) -> Result<()> {
    session.set_fate(Fate::Deleting);
    let wire = &world.wire;
    wire.send(&session.id, wire.http.delete(&session.path("")), |status| status == 204).await;
    wire.send(&session.id, wire.http.get(&session.path("")), |status| status == 404).await;
    if session.agent.starts_with("rogue") {
        let noted = std::fs::read_to_string(world.workspace(&session.id)?.join("pids")).unwrap_or_default();
        let processes: Vec<Identity> = noted.lines().filter_map(Identity::parse).collect();
        let left = wait_for_end(&processes, GONE).await;
        wire.oracle
            .expect(left.is_empty(), &session.id, || format!("{left:?} outlived the session by {GONE:?}"));
    }
    Ok(())
}

/// Compares what clients of a server saw.
pub(crate) fn compare_server(wire: &Wire, server: &Server) {
    let (broken, compared) = server.judge();
    wire.oracle.observed(compared);
    for what in broken {
        wire.oracle.differ(&server.id, what);
    }
}

/// Checks the daemon while nothing is asked of it.
pub(crate) async fn expect_rest(world: &World, servers: &[Arc<Server>]) -> Result<Usage> {
    for server in servers {
        clients::delete_server(&world.wire, server).await;
    }
    let oracle = world.oracle();
    let started = Instant::now();
    loop {
        let usage = Usage::of(&world.daemon)?;
        let pid = world.daemon.pid();
        // An agent that does not collect its own children is its own affair.
        let zombies =
            world.daemon.children().into_iter().filter(|one| one.is_zombie() && one.parent == pid).count();
        let is_resting = zombies == 0
            && usage.descriptors <= DESCRIPTORS + PER_PROCESS * usage.processes
            && usage.threads <= THREADS;
        if is_resting {
            oracle.observed(3);
            oracle.note("daemon", format_args!("at rest: {usage}"));
            return Ok(usage);
        }
        if started.elapsed() > GONE {
            oracle.differ("daemon", format_args!("it does not come to rest: {usage}, {zombies} zombies"));
            return Ok(usage);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Deletes everything, and checks what is left: no process but the guardian, as many descriptors as at the start, a whole database.
pub(crate) async fn conclude(
    world: &mut World,
    sessions: &[Arc<Session>],
    servers: &[Arc<Server>],
) -> Result<()> {
    for session in sessions {
        delete(world, session).await?;
    }
    let usage = expect_rest(world, servers).await?;
    let left = world.agents();
    let left = wait_for_end(&left, GONE).await;
    world.oracle().expect(left.is_empty(), "daemon", || format!("{left:?} run although nothing exists"));
    println!("at rest, with nothing left: {usage}");
    world.stop().await?;
    check_database(world)?;
    world.restart().await.context("opening the database once more")?;
    world.stop().await
}

fn check_database(world: &World) -> Result<()> {
    let path = world.data().join("sessions.db");
    let verdict = integrity(&path).with_context(|| path.display().to_string())?;
    world.oracle().expect(verdict == "ok", "daemon", || format!("PRAGMA integrity_check says {verdict}"));
    Ok(())
}

fn integrity(path: &Path) -> Result<String> {
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    Ok(database.query_row("PRAGMA integrity_check", [], |row| row.get(0))?)
}
