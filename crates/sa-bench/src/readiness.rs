//! Waits for any of several connections: a thin layer on epoll, level-triggered, so that one read of a blocking
//! socket that was reported ready never blocks.

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// A set of descriptors, each known by the index it was added with.
pub struct Readiness {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
}

impl Readiness {
    /// Creates an empty set.
    pub fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { epoll, events: Vec::with_capacity(256) })
    }

    /// Creates a set that holds each of `sources` under its position.
    pub fn over<'a, S: AsFd + 'a>(sources: impl IntoIterator<Item = &'a S>) -> io::Result<Self> {
        let set = Self::new()?;
        for (index, source) in sources.into_iter().enumerate() {
            set.add(index, source)?;
        }
        Ok(set)
    }

    /// Adds a descriptor; closing it removes it.
    pub fn add(&self, index: usize, source: impl AsFd) -> io::Result<()> {
        let data = epoll::EventData::new_u64(index as u64);
        Ok(epoll::add(&self.epoll, source, data, epoll::EventFlags::IN)?)
    }

    /// Takes a descriptor out of the set.
    pub fn remove(&self, source: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, source)?)
    }

    /// Waits until something can be read and puts the indices into `ready`; none when the time is over.
    pub fn wait(&mut self, patience: Duration, ready: &mut Vec<usize>) -> io::Result<()> {
        let timeout = Timespec {
            tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        };
        ready.clear();
        self.events.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        ready.extend(self.events.iter().map(|event| event.data.u64() as usize));
        Ok(())
    }
}
