//! Faults, and how the daemon recovers from each.

mod disk;

pub(crate) use disk::SmallDisk;

use crate::census::Identity;
use crate::dice::Dice;
use crate::wire::Trouble;
use crate::world::World;
use anyhow::{Context, Result};
use clap::ValueEnum;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use sa_testkit::{Signal, send_signal};

/// A fault that a round can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fault {
    /// `kill -9` of the daemon, then a new one on the same data.
    Kill,
    /// SIGTERM to the daemon, then a new one on the same data.
    Term,
    /// `kill -9` of agents and of processes that they started.
    Agents,
    /// `kill -9` of the guardian.
    Guardian,
    /// SIGSTOP to agents for a while.
    Stall,
    /// A full disk for a while.
    Disk,
    /// No free file descriptor for a while.
    Descriptors,
}

impl Fault {
    pub(crate) const ALL: [Self; 7] =
        [Self::Kill, Self::Term, Self::Agents, Self::Guardian, Self::Stall, Self::Disk, Self::Descriptors];
}

/// A fault that has begun.
pub(crate) enum Ongoing {
    /// The daemon has ended.
    Ended,
    /// Nothing has to be undone.
    Over,
    Stalled(Vec<Identity>),
    FullDisk,
    NoDescriptors(Rlimit),
}

/// Begins a fault while clients act.
pub(crate) async fn begin(
    fault: Fault,
    world: &mut World,
    disk: Option<&SmallDisk>,
    dice: &mut Dice,
) -> Result<Ongoing> {
    match fault {
        Fault::Kill => {
            let has_guardian = world.guardian().is_some();
            world.oracle().fault(format_args!("kill -9 of daemon {}", world.daemon.pid()));
            world.kill(has_guardian).await?;
            Ok(Ongoing::Ended)
        }
        Fault::Term => {
            world.oracle().fault(format_args!("SIGTERM to daemon {}", world.daemon.pid()));
            world.stop().await?;
            Ok(Ongoing::Ended)
        }
        Fault::Agents => {
            let victims = some_of(world.agents(), dice);
            world.oracle().fault(format_args!("kill -9 of {victims:?}"));
            victims.iter().for_each(|process| send_signal(process.pid, Signal::KILL));
            Ok(Ongoing::Over)
        }
        Fault::Guardian => {
            let guardian = world.guardian();
            world.oracle().fault(format_args!("kill -9 of the guardian {guardian:?}"));
            guardian.iter().for_each(|process| send_signal(process.pid, Signal::KILL));
            Ok(Ongoing::Over)
        }
        Fault::Stall => {
            let victims = some_of(world.agents(), dice);
            world.oracle().fault(format_args!("SIGSTOP to {victims:?}"));
            victims.iter().for_each(|process| send_signal(process.pid, Signal::STOP));
            Ok(Ongoing::Stalled(victims))
        }
        Fault::Disk => {
            let Some(disk) = disk else { return Ok(Ongoing::Over) };
            world.wire.set_trouble(Trouble::Disk);
            let bytes = disk.fill()?;
            world.oracle().fault(format_args!("the disk is full: {bytes} bytes were taken"));
            Ok(Ongoing::FullDisk)
        }
        Fault::Descriptors => starve(world, dice),
    }
}

/// Leaves the daemon a few more descriptors than it has open.
fn starve(world: &World, dice: &mut Dice) -> Result<Ongoing> {
    world.wire.set_trouble(Trouble::Descriptors);
    let open = world.daemon.open_fds()? as u64;
    let most = open + dice.between(0, 6);
    let limit = Rlimit { current: Some(most), maximum: getrlimit(Resource::Nofile).maximum };
    let before =
        prlimit(daemon_pid(world), Resource::Nofile, limit).context("limiting the daemon's descriptors")?;
    world.oracle().fault(format_args!("the daemon has {open} descriptors and may have {most}"));
    Ok(Ongoing::NoDescriptors(before))
}

fn daemon_pid(world: &World) -> Option<Pid> {
    i32::try_from(world.daemon.pid()).ok().and_then(Pid::from_raw)
}

/// Undoes a fault, after all clients have left.
pub(crate) async fn end(ongoing: Ongoing, world: &mut World, disk: Option<&SmallDisk>) -> Result<()> {
    match ongoing {
        Ongoing::Ended => return world.restart().await,
        Ongoing::Over => {}
        Ongoing::Stalled(processes) => {
            let alive = processes.iter().filter(|process| process.is_alive());
            alive.for_each(|process| send_signal(process.pid, Signal::CONT));
        }
        // The daemon notices after a while that it can store again.
        Ongoing::FullDisk => return disk.map_or(Ok(()), SmallDisk::empty),
        Ongoing::NoDescriptors(limit) => {
            prlimit(daemon_pid(world), Resource::Nofile, limit).context("restoring the daemon's limit")?;
        }
    }
    world.wire.set_trouble(Trouble::None);
    Ok(())
}

fn some_of(mut processes: Vec<Identity>, dice: &mut Dice) -> Vec<Identity> {
    dice.shuffle(&mut processes);
    processes.truncate(usize::try_from(dice.between(1, 3)).unwrap_or(1));
    processes
}
