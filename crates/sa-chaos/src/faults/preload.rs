//! A wall clock that jumps and a disk that is slow: a small library that the daemon and its agents are started with.

use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Reads two numbers of a shared file. The first is added to the seconds of the wall clock; the monotonic clock is left
/// alone, as by the kernel. The second is the number of microseconds that each sync of a file takes longer, and 256 writes
/// together.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static volatile long long *numbers;
__attribute__((constructor)) static void start(void) {
    const char *path = getenv("SA_CHAOS_NUMBERS");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(0, 2 * sizeof *numbers, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) numbers = page;
    close(file);
}
static void wait_for_disk(long long part) {
    long long delay = numbers ? numbers[1] / part : 0;
    struct timespec time = { delay / 1000000, delay % 1000000 * 1000 };
    if (delay > 0) nanosleep(&time, 0);
}
int clock_gettime(clockid_t id, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, id, time);
    if (result == 0 && id == CLOCK_REALTIME && numbers) time->tv_sec += numbers[0];
    return result;
}
int fsync(int file) {
    wait_for_disk(1);
    return (int)syscall(SYS_fsync, file);
}
int fdatasync(int file) {
    wait_for_disk(1);
    return (int)syscall(SYS_fdatasync, file);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    wait_for_disk(256);
    return syscall(SYS_pwrite64, file, bytes, count, at);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    return pwrite64(file, bytes, count, at);
}
"#;

/// Places of the numbers in the shared file.
const CLOCK: u64 = 0;
const DELAY: u64 = 8;

/// The library, and the file that says what it does.
#[derive(Debug, Clone)]
pub(crate) struct Preload {
    library: PathBuf,
    numbers: PathBuf,
}

impl Preload {
    /// Compiles the library into a directory, if there is a C compiler.
    pub(crate) fn build(directory: &Path) -> Option<Self> {
        let (source, library) = (directory.join("preload.c"), directory.join("preload.so"));
        fs::write(&source, SOURCE).ok()?;
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source);
        let status = compiler.stdin(Stdio::null()).stderr(Stdio::null()).status().ok()?;
        let preload = Self { library, numbers: directory.join("preload.numbers") };
        fs::write(&preload.numbers, [0; 16]).ok()?;
        status.success().then_some(preload)
    }

    /// Returns the variables that processes with this library are started with.
    pub(crate) fn environment(&self) -> [(&'static str, String); 2] {
        [
            ("LD_PRELOAD", self.library.display().to_string()),
            ("SA_CHAOS_NUMBERS", self.numbers.display().to_string()),
        ]
    }

    /// Returns whether a process has the library: a static program ignores it.
    pub(crate) fn is_used_by(&self, pid: u32) -> bool {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        maps.contains(&self.library.display().to_string())
    }

    /// Sets the clock so many seconds ahead of the machine's, or behind.
    pub(crate) fn jump(&self, seconds: i64) -> Result<()> {
        self.set(CLOCK, seconds).context("setting the clock")
    }

    /// Makes each sync of a file this late.
    pub(crate) fn delay_disk(&self, delay: Duration) -> Result<()> {
        self.set(DELAY, i64::try_from(delay.as_micros())?).context("slowing the disk down")
    }

    fn set(&self, place: u64, number: i64) -> Result<()> {
        let file = fs::File::options().write(true).open(&self.numbers)?;
        Ok(file.write_all_at(&number.to_ne_bytes(), place)?)
    }
}
