//! A file that is being written and has no name yet. It gets its name in one step: others see the old contents or the new,
//! and nothing is left of a file that is given up.

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file without a name. Dropping it removes it.
#[derive(Debug)]
pub struct UnnamedFile {
    dir: OwnedFd,
    pub file: File,
    /// The temporary name, on systems without unnamed files.
    temporary: Option<String>,
}

impl UnnamedFile {
    pub fn create(dir: OwnedFd, mode: Mode) -> Result<Self, Errno> {
        if let Some(file) = unnamed(&dir, mode)? {
            return Ok(Self { dir, file, temporary: None });
        }
        let name = temporary_name();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&dir, &name, flags, mode)?);
        Ok(Self { dir, file, temporary: Some(name) })
    }

    pub fn dir(&self) -> &OwnedFd {
        &self.dir
    }

    /// Gives it a name in a directory of the same file system, in place of a file that has it. A directory is not replaced.
    pub fn rename_to(mut self, dir: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
        let Some(temporary) = self.temporary.take() else {
            let temporary = temporary_name();
            self.link(dir, OsStr::new(&temporary))?;
            return rustix::fs::renameat(dir, &temporary, dir, name).inspect_err(|_| remove(dir, &temporary));
        };
        rustix::fs::renameat(&self.dir, &temporary, dir, name).inspect_err(|_| {
            self.temporary = Some(temporary);
        })
    }

    /// Gives it a name that nothing has in a directory of the same file system.
    pub fn link_as(mut self, dir: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
        match self.temporary.take() {
            None => self.link(dir, name),
            Some(temporary) => {
                // Unlike a rename, a link never replaces.
                let linked = rustix::fs::linkat(&self.dir, &temporary, dir, name, AtFlags::empty());
                self.temporary = Some(temporary);
                linked
            }
        }
    }

    fn link(&self, dir: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
        let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        rustix::fs::linkat(CWD, own, dir, name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for UnnamedFile {
    fn drop(&mut self) {
        if let Some(name) = &self.temporary {
            remove(&self.dir, name);
        }
    }
}

fn remove(dir: &OwnedFd, name: &str) {
    // The file may be gone with its directory.
    let _ = rustix::fs::unlinkat(dir, name, AtFlags::empty());
}

/// Creates a file that not even a crash leaves behind. Some file systems have no unnamed files, and naming one takes `/proc`.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn unnamed(dir: &OwnedFd, mode: Mode) -> Result<Option<File>, Errno> {
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
fn unnamed(_: &OwnedFd, _: Mode) -> Result<Option<File>, Errno> {
    Ok(None)
}

/// Returns a name that nothing has: hidden, and recognizable should it ever stay.
pub fn temporary_name() -> String {
    format!(".sandbox-agent-{:016x}.tmp", unique_number())
}

pub(crate) fn unique_number() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut random = [0; 8];
    let number = match getrandom::fill(&mut random) {
        Ok(()) => u64::from_ne_bytes(random),
        // Names must differ, not be secret.
        Err(_) => u64::from(std::process::id()) << 32,
    };
    number ^ COUNT.fetch_add(1, Ordering::Relaxed)
}

/// Returns whether a name is a temporary one, which means nothing to others.
pub fn is_temporary_name(name: &[u8]) -> bool {
    name.starts_with(b".sandbox-agent-") && name.ends_with(b".tmp")
}
