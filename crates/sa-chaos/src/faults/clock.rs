//! A wall clock that jumps: a small library that the daemon and its agents are started with.

use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Adds the number in a shared file to the seconds of the wall clock. The monotonic clock is left alone, as by the kernel.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static volatile long long *offset;
__attribute__((constructor)) static void start(void) {
    const char *path = getenv("SA_CHAOS_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(0, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) offset = page;
    close(file);
}
int clock_gettime(clockid_t id, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, id, time);
    if (result == 0 && id == CLOCK_REALTIME && offset) time->tv_sec += *offset;
    return result;
}
"#;

/// A clock that can be set while the daemon runs.
#[derive(Debug, Clone)]
pub(crate) struct JumpingClock {
    library: PathBuf,
    offset: PathBuf,
}

impl JumpingClock {
    /// Compiles the library into a directory, if there is a C compiler.
    pub(crate) fn build(directory: &Path) -> Option<Self> {
        let (source, library) = (directory.join("clock.c"), directory.join("clock.so"));
        fs::write(&source, SOURCE).ok()?;
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source);
        let status = compiler.stdin(Stdio::null()).stderr(Stdio::null()).status().ok()?;
        let clock = Self { library, offset: directory.join("clock.offset") };
        fs::write(&clock.offset, 0_i64.to_ne_bytes()).ok()?;
        status.success().then_some(clock)
    }

    /// Returns the variables that processes with this clock are started with.
    pub(crate) fn environment(&self) -> [(&'static str, String); 2] {
        [
            ("LD_PRELOAD", self.library.display().to_string()),
            ("SA_CHAOS_CLOCK", self.offset.display().to_string()),
        ]
    }

    /// Returns whether a process has the clock: a static program ignores it.
    pub(crate) fn is_used_by(&self, pid: u32) -> bool {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        maps.contains(&self.library.display().to_string())
    }

    /// Sets the clock so many seconds ahead of the machine's, or behind.
    pub(crate) fn jump(&self, seconds: i64) -> Result<()> {
        let file = fs::File::options().write(true).open(&self.offset).context("opening the clock")?;
        file.write_all_at(&seconds.to_ne_bytes(), 0).context("setting the clock")
    }
}
