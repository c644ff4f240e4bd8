//! Pseudo-terminals: the daemon's end, and the pair that a child is started on.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, openpt, unlockpt};
use rustix::termios::{Winsize, tcgetwinsize, tcsetwinsize};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    pub columns: u16,
    pub rows: u16,
}

impl TerminalSize {
    fn to_kernel(self) -> Winsize {
        Winsize { ws_row: self.rows, ws_col: self.columns, ws_xpixel: 0, ws_ypixel: 0 }
    }
}

/// Both ends of a new pseudo-terminal. Neither becomes anybody's controlling terminal by being opened.
pub(crate) struct Pair {
    pub(crate) master: OwnedFd,
    pub(crate) peer: OwnedFd,
}

impl Pair {
    pub(crate) fn open(size: TerminalSize) -> io::Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let peer = open_peer(&master)?;
        tcsetwinsize(&peer, size.to_kernel())?;
        rustix::io::ioctl_fionbio(&master, true)?;
        Ok(Self { master, peer })
    }
}

/// By the descriptor, not by its name: `/dev/pts` may be another one here than where the master was made.
#[cfg(target_os = "linux")]
fn open_peer(master: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    Ok(rustix::pty::ioctl_tiocgptpeer(master, flags)?)
}

#[cfg(not(target_os = "linux"))]
fn open_peer(master: &OwnedFd) -> io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags};
    let name = rustix::pty::ptsname(master, Vec::new())?;
    Ok(rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?)
}

/// The daemon's end of a child's terminal: what is written here the child reads as typed, what is read here it printed.
pub struct Terminal {
    master: AsyncFd<OwnedFd>,
    /// Held open while the child runs. A program may close the terminal and open it again, and in between the
    /// kernel would report an end that is none.
    peer: Option<OwnedFd>,
}

impl Terminal {
    pub(crate) fn new(pair: Pair) -> io::Result<Self> {
        // SAFETY: an `OwnedFd` is open, stays the same descriptor, and nothing takes it out of here.
        #[allow(unsafe_code)]
        let master = unsafe { AsyncFd::register(pair.master)? };
        Ok(Self { master, peer: Some(pair.peer) })
    }

    /// Waits until there may be something to read. Cancel-safe.
    pub async fn readable(&self) -> io::Result<()> {
        self.master.readable().await.map(drop)
    }

    /// Waits until something may be written. Cancel-safe.
    pub async fn writable(&self) -> io::Result<()> {
        self.master.writable().await.map(drop)
    }

    /// Reads what was printed. 0: nobody has the terminal open any more.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.master.try_io(Interest::READABLE, |master| end_as_zero(rustix::io::read(master, &mut *buffer)))
    }

    /// Reads even when the runtime does not know yet that there is something: for the last read of a terminal that
    /// nobody has open any more.
    pub fn read_now(&self, buffer: &mut [u8]) -> io::Result<usize> {
        end_as_zero(rustix::io::read(self.master.as_fd(), buffer))
    }

    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.master.try_io(Interest::WRITABLE, |master| Ok(rustix::io::write(master, bytes)?))
    }

    /// Changes the size; the program in the foreground gets SIGWINCH.
    pub fn resize(&self, size: TerminalSize) -> io::Result<()> {
        Ok(tcsetwinsize(self.master.as_fd(), size.to_kernel())?)
    }

    pub fn size(&self) -> io::Result<TerminalSize> {
        let size = tcgetwinsize(self.master.as_fd())?;
        Ok(TerminalSize { columns: size.ws_col, rows: size.ws_row })
    }

    /// Notes the end of the child: from now on reading ends when all who have the terminal open are gone, too.
    pub fn release(&mut self) {
        self.peer = None;
    }
}

/// Linux says by an error that the other end is closed.
fn end_as_zero(read: rustix::io::Result<usize>) -> io::Result<usize> {
    match read {
        Err(Errno::IO) => Ok(0),
        other => Ok(other?),
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").field("size", &self.size().ok()).finish_non_exhaustive()
    }
}
