//! A file that is being written and does not have its name yet. It gets the name at once or never: whoever looks sees
//! the old contents or the new, and what is given up leaves nothing behind.

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file without its name. Dropped, it is gone.
#[derive(Debug)]
pub(crate) struct Draft {
    dir: OwnedFd,
    pub(crate) file: File,
    /// The name for the time being, where the system has no files without one.
    stand_in: Option<String>,
}

impl Draft {
    /// A new file in the file system of a directory.
    pub(crate) fn create(dir: OwnedFd, mode: Mode) -> Result<Self, Errno> {
        if let Some(file) = nameless(&dir, mode)? {
            return Ok(Self { dir, file, stand_in: None });
        }
        let name = unused_name();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&dir, &name, flags, mode)?);
        Ok(Self { dir, file, stand_in: Some(name) })
    }

    /// The directory that it is in.
    pub(crate) fn dir(&self) -> &OwnedFd {
        &self.dir
    }

    /// Gives it its name in place of whatever has it. A directory is not replaced.
    pub(crate) fn replace(mut self, name: &OsStr) -> Result<(), Errno> {
        let stand_in = match self.stand_in.take() {
            Some(name) => name,
            None => {
                let name = unused_name();
                self.link(OsStr::new(&name))?;
                name
            }
        };
        rustix::fs::renameat(&self.dir, &stand_in, &self.dir, name).inspect_err(|_| {
            self.stand_in = Some(stand_in);
        })
    }

    /// Gives it its name if nothing has it.
    pub(crate) fn add(mut self, name: &OsStr) -> Result<(), Errno> {
        match self.stand_in.take() {
            None => self.link(name),
            Some(stand_in) => {
                // Unlike a rename, a link never replaces.
                let linked = rustix::fs::linkat(&self.dir, &stand_in, &self.dir, name, AtFlags::empty());
                self.stand_in = Some(stand_in);
                linked
            }
        }
    }

    /// Links a file that has no name.
    fn link(&self, name: &OsStr) -> Result<(), Errno> {
        let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        rustix::fs::linkat(CWD, own, &self.dir, name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(name) = &self.stand_in {
            // It may be gone with its directory.
            let _ = rustix::fs::unlinkat(&self.dir, name, AtFlags::empty());
        }
    }
}

/// A file that has no name at all, so that not even a crash leaves one behind. Not all file systems have such files,
/// and naming one later takes `/proc`.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn nameless(dir: &OwnedFd, mode: Mode) -> Result<Option<File>, Errno> {
    static NAMABLE: std::sync::LazyLock<bool> =
        std::sync::LazyLock::new(|| std::fs::metadata("/proc/self/fd").is_ok());
    if !*NAMABLE {
        return Ok(None);
    }
    match rustix::fs::openat(dir, ".", OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC, mode) {
        Ok(fd) => Ok(Some(File::from(fd))),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn nameless(_: &OwnedFd, _: Mode) -> Result<Option<File>, Errno> {
    Ok(None)
}

/// A name that nothing has: hidden, and recognizable should it ever stay.
pub(crate) fn unused_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut random = [0; 8];
    let number = match getrandom::fill(&mut random) {
        Ok(()) => u64::from_ne_bytes(random),
        // Names must differ, not be secret.
        Err(_) => u64::from(std::process::id()) << 32,
    };
    format!(".sandbox-agent-{:016x}.tmp", number ^ COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Whether a name is one of those, which come and go and mean nothing to others.
pub(crate) fn is_passing_name(name: &[u8]) -> bool {
    name.starts_with(b".sandbox-agent-") && name.ends_with(b".tmp")
}

/// Waits until a directory's names are on the disk.
pub(crate) fn sync_dir(dir: &OwnedFd) -> io::Result<()> {
    let readable =
        rustix::fs::openat(dir, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    Ok(rustix::fs::fsync(readable)?)
}
