//! The step from daemon to child: what happens between fork and exec. Almost all `unsafe` is here.
//!
//! A child starts with default signals, an empty signal mask, descriptors 0, 1 and 2 and no other, in a new process
//! group, on a terminal also in a new session. On Linux it is killed when the thread that forked it ends, which is
//! why one permanent thread forks everything.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::command::CommandSpec;
use crate::environment::Variables;
use crate::limits;

/// Real-time signals end at 64 on Linux; elsewhere the classic 31 are all.
const LAST_SIGNAL: i32 = if cfg!(target_os = "linux") { 64 } else { 31 };

/// The first one after stdin, stdout and stderr.
const FIRST_DESCRIPTOR: i32 = 3;

/// Starts a child of the daemon with piped stdin, stdout and stderr, or all three on `terminal`.
pub(crate) fn start_child(
    program: &Path,
    spec: &CommandSpec,
    cwd: Option<&Path>,
    env: &Variables,
    terminal: Option<&OwnedFd>,
) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.arg0(spec.arg0.as_ref().unwrap_or(&spec.program)).args(&spec.args);
    command.env_clear().envs(env.iter().map(|(name, value)| (name, value)));
    match terminal {
        Some(end) => {
            let stdio = || end.try_clone().map(Stdio::from);
            command.stdin(stdio()?).stdout(stdio()?).stderr(stdio()?);
        }
        None => {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.process_group(0);
        }
    }
    let on_terminal = terminal.is_some();
    if let Some(cwd) = cwd {
        command.current_dir(cwd);
    }
    let daemon = rustix::process::getpid();
    // SAFETY: the closure runs in the forked child and makes only system calls: it allocates nothing, takes no
    // lock and touches no state of another thread.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(move || {
            die_with(daemon)?;
            if on_terminal {
                take_terminal()?;
            }
            reset_signals();
            close_descriptors_on_exec();
            Ok(())
        });
    }
    retry_while_busy(|| command.spawn())
}

/// Starts the guardian: its own session, nothing of the daemon's environment, stdin a pipe from the daemon,
/// deaf to the signals by which a terminal or a service manager ends the daemon.
pub(crate) fn start_guardian(program: &Path, args: &[std::ffi::OsString]) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.args(args).env_clear().current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: as above, system calls only.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            reset_signals();
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
                libc::signal(signal, libc::SIG_IGN);
            }
            close_descriptors_on_exec();
            Ok(())
        });
    }
    command.spawn()
}

/// Starts a session, which is a new process group as well, and makes stdin its controlling terminal: the keys that
/// interrupt, suspend and resize reach the child, and job control works in it.
fn take_terminal() -> io::Result<()> {
    rustix::process::setsid()?;
    Ok(rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?)
}

#[cfg(target_os = "linux")]
fn die_with(daemon: rustix::process::Pid) -> io::Result<()> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The daemon may have died before the line above took effect.
    if getppid() != Some(daemon) {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn die_with(_daemon: rustix::process::Pid) -> io::Result<()> {
    Ok(())
}

/// Lets the calling thread, the one that forks, receive no signal. A child inherits that until it has left the
/// daemon's handlers behind: a signal in between would run them there, and they write to pipes of the daemon.
pub(crate) fn block_signals() {
    set_signal_mask(libc::sigfillset);
}

/// Resets signals. A handler cannot survive exec, but "ignored" does: a daemon started under `nohup`, or in the
/// background of a script, would pass that on to its agents.
fn reset_signals() {
    for signal in 1..=LAST_SIGNAL {
        // SAFETY: async-signal-safe, sets no handler; signals that cannot be set are refused and left alone.
        #[allow(unsafe_code)]
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
    set_signal_mask(libc::sigemptyset);
}

fn set_signal_mask(fill: unsafe extern "C" fn(*mut libc::sigset_t) -> libc::c_int) {
    let mut mask = MaybeUninit::uninit();
    // SAFETY: `fill` makes the set valid before it is read; both calls are async-signal-safe.
    #[allow(unsafe_code)]
    unsafe {
        fill(mask.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, mask.as_ptr(), std::ptr::null_mut());
    }
}

/// Everything the daemon opens is close-on-exec already; this holds for what it was itself given, too.
fn close_descriptors_on_exec() {
    if mark_all_descriptors() {
        return;
    }
    for descriptor in FIRST_DESCRIPTOR..limits::MARKED_DESCRIPTORS {
        // SAFETY: async-signal-safe; a number that is not open is refused.
        #[allow(unsafe_code)]
        unsafe {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}

/// False where the kernel cannot (Linux before 5.11).
#[cfg(target_os = "linux")]
fn mark_all_descriptors() -> bool {
    // SAFETY: a system call on plain numbers; it marks descriptors and closes none before exec.
    #[allow(unsafe_code)]
    let result = unsafe {
        libc::syscall(libc::SYS_close_range, FIRST_DESCRIPTOR, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    };
    result == 0
}

#[cfg(not(target_os = "linux"))]
fn mark_all_descriptors() -> bool {
    false
}

/// Retries while the file is busy. A file just written by an installer may still be open for writing in a child that
/// another thread is about to exec; that passes within milliseconds.
fn retry_while_busy<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..limits::BUSY_RETRIES {
        match attempt() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(limits::BUSY_PAUSE);
            }
            outcome => return outcome,
        }
    }
    attempt()
}
