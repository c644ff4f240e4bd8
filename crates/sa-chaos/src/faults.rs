//! Faults, and how the daemon recovers from each.

mod disk;
pub(crate) mod namespace;
mod network;
mod preload;
mod processes;

use disk::SmallDisk;
use network::BadNetwork;
pub(crate) use preload::Preload;
use processes::ProcessLimit;

use crate::census::Identity;
use crate::dice::Dice;
use crate::wire::Trouble;
use crate::world::World;
use anyhow::{Context, Result};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use sa_testkit::{Sandbox, Signal, send_signal};
use std::fmt;
use std::time::Duration;

/// The clock jumps by less than 8 hours: the daemon remembers keys for 24 hours.
const JUMP: u64 = 8 * 3600;

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
    /// A disk whose writes take hundreds of milliseconds for a while.
    SlowDisk,
    /// No free file descriptor for a while.
    Descriptors,
    /// No further process or thread for a while.
    Processes,
    /// Packets that are late or lost for a while.
    Network,
    /// A jump of the wall clock by hours.
    Clock,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", PossibleValue::get_name))
    }
}

impl Fault {
    /// Returns whether the library has to be in the daemon.
    pub(crate) fn needs_preload(self) -> bool {
        matches!(self, Self::SlowDisk | Self::Clock)
    }

    pub(crate) const ALL: [Self; 11] = [
        Self::Kill,
        Self::Term,
        Self::Agents,
        Self::Guardian,
        Self::Stall,
        Self::Disk,
        Self::SlowDisk,
        Self::Descriptors,
        Self::Processes,
        Self::Network,
        Self::Clock,
    ];
}

/// The means of faults that not every machine allows.
pub(crate) struct Tools {
    disk: Option<SmallDisk>,
    network: Option<BadNetwork>,
    processes: Option<ProcessLimit>,
    preload: Option<Preload>,
}

impl Tools {
    /// Prepares faults, mounts the small disk on a directory, and prints each fault that the machine does not allow.
    pub(crate) fn prepare(
        faults: &mut Vec<Fault>,
        no_namespace: Option<&str>,
        sandbox: &Sandbox,
    ) -> Result<Self> {
        let preload = Preload::build(sandbox.home());
        let mut tools = Self { disk: None, network: None, processes: ProcessLimit::create(), preload };
        if no_namespace.is_none() {
            namespace::bring_up_loopback()?;
            tools.disk = Some(SmallDisk::mount(&sandbox.path("disk"))?);
            tools.network = BadNetwork::find();
        }
        let no_namespace = no_namespace.unwrap_or("the kernel has neither netem nor tbf");
        faults.retain(|fault| {
            let missing = match fault {
                Fault::Disk if tools.disk.is_none() => no_namespace,
                Fault::Network if tools.network.is_none() => no_namespace,
                Fault::Processes if tools.processes.is_none() => "this user may not create control groups",
                fault if fault.needs_preload() && tools.preload.is_none() => "there is no C compiler",
                _ => return true,
            };
            println!("skipped: fault {fault}, as {missing}");
            false
        });
        if let Some(network) = tools.network.filter(|_| faults.contains(&Fault::Network)) {
            println!("fault network: {}", network.name());
        }
        Ok(tools)
    }

    /// Returns the library that the daemon is started with.
    pub(crate) fn preload(&self) -> Option<&Preload> {
        self.preload.as_ref()
    }
}

/// A fault that has begun.
pub(crate) enum Ongoing {
    /// The daemon has ended.
    Ended,
    /// Nothing has to be undone.
    Over,
    Stalled(Vec<Identity>),
    FullDisk,
    SlowDisk,
    NoDescriptors(Rlimit),
    NoProcesses,
    Network,
}

/// Begins a fault while clients act.
pub(crate) async fn begin(
    fault: Fault,
    world: &mut World,
    tools: &Tools,
    dice: &mut Dice,
) -> Result<Ongoing> {
    let oracle = world.oracle().clone();
    match fault {
        Fault::Kill => {
            let has_guardian = world.guardian().is_some();
            oracle.fault(format_args!("kill -9 of daemon {}", world.daemon.pid()));
            world.kill(has_guardian).await?;
            Ok(Ongoing::Ended)
        }
        Fault::Term => {
            oracle.fault(format_args!("SIGTERM to daemon {}", world.daemon.pid()));
            world.stop().await?;
            Ok(Ongoing::Ended)
        }
        Fault::Agents => {
            let victims = signal(some_of(world.agents(), dice), Signal::KILL);
            oracle.fault(format_args!("kill -9 of {victims:?}"));
            Ok(Ongoing::Over)
        }
        Fault::Guardian => {
            let guardian = signal(world.guardian().into_iter().collect(), Signal::KILL);
            oracle.fault(format_args!("kill -9 of the guardian {guardian:?}"));
            Ok(Ongoing::Over)
        }
        Fault::Stall => {
            let victims = signal(some_of(world.agents(), dice), Signal::STOP);
            oracle.fault(format_args!("SIGSTOP to {victims:?}"));
            Ok(Ongoing::Stalled(victims))
        }
        Fault::Disk => {
            world.wire.set_trouble(Trouble::Disk);
            let bytes = tools.disk.as_ref().map(SmallDisk::fill).transpose()?;
            oracle.fault(format_args!("the disk is full: {bytes:?} bytes were taken"));
            Ok(Ongoing::FullDisk)
        }
        Fault::SlowDisk => slow_down(world, tools, dice),
        Fault::Descriptors => starve(world, dice),
        Fault::Processes => {
            world.wire.set_trouble(Trouble::Starved);
            let (pid, more) = (world.daemon.pid(), dice.between(0, 4));
            let most = tools.processes.as_ref().map(|limit| limit.begin(pid, more)).transpose()?;
            oracle.fault(format_args!("the daemon may have {most:?} processes and threads"));
            Ok(Ongoing::NoProcesses)
        }
        Fault::Network => {
            tools.network.as_ref().map(BadNetwork::begin).transpose()?;
            oracle.fault("the network is bad");
            Ok(Ongoing::Network)
        }
        Fault::Clock => {
            let seconds = i64::try_from(dice.below(2 * JUMP)).unwrap_or_default() - JUMP.cast_signed();
            tools.preload.as_ref().map_or(Ok(()), |preload| preload.jump(seconds))?;
            oracle.fault(format_args!("the wall clock is {seconds} s ahead"));
            Ok(Ongoing::Over)
        }
    }
}

/// Signals processes and returns them.
fn signal(processes: Vec<Identity>, signal: Signal) -> Vec<Identity> {
    processes.iter().for_each(|process| send_signal(process.pid, signal));
    processes
}

/// Makes the disk slow.
fn slow_down(world: &World, tools: &Tools, dice: &mut Dice) -> Result<Ongoing> {
    let delay = dice.millis(100, 500);
    tools.preload.as_ref().map_or(Ok(()), |preload| preload.delay_disk(delay))?;
    world.oracle().fault(format_args!("each sync of a file takes {delay:?}"));
    Ok(Ongoing::SlowDisk)
}

/// Leaves the daemon a few more descriptors than it has open.
fn starve(world: &World, dice: &mut Dice) -> Result<Ongoing> {
    world.wire.set_trouble(Trouble::Starved);
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

/// Has agents that were stopped continue.
pub(crate) fn wake_agents(ongoing: Ongoing) -> Ongoing {
    let Ongoing::Stalled(processes) = ongoing else { return ongoing };
    signal(processes.into_iter().filter(Identity::is_alive).collect(), Signal::CONT);
    Ongoing::Over
}

/// Undoes a fault, after all clients have left.
pub(crate) async fn end(ongoing: Ongoing, world: &mut World, tools: &Tools) -> Result<()> {
    match ongoing {
        Ongoing::Ended => return world.restart().await,
        Ongoing::Over | Ongoing::Stalled(_) => {}
        // The daemon notices after a while that it can store again.
        Ongoing::FullDisk => return tools.disk.as_ref().map_or(Ok(()), SmallDisk::empty),
        Ongoing::SlowDisk => {
            tools.preload.as_ref().map_or(Ok(()), |preload| preload.delay_disk(Duration::ZERO))?;
        }
        Ongoing::NoDescriptors(limit) => {
            prlimit(daemon_pid(world), Resource::Nofile, limit).context("restoring the daemon's limit")?;
        }
        Ongoing::NoProcesses => tools.processes.as_ref().map_or(Ok(()), ProcessLimit::end)?,
        Ongoing::Network => tools.network.as_ref().map_or(Ok(()), BadNetwork::end)?,
    }
    world.wire.set_trouble(Trouble::None);
    Ok(())
}

fn some_of(mut processes: Vec<Identity>, dice: &mut Dice) -> Vec<Identity> {
    dice.shuffle(&mut processes);
    processes.truncate(usize::try_from(dice.between(1, 3)).unwrap_or(1));
    processes
}
