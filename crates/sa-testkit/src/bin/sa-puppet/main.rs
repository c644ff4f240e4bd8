//! `sa-puppet`: a peer on standard streams that does what the method of each request says, well-behaved or not.
//!
//! It exists so that transport tests can make an agent flood, stall, crash or lie on purpose. Every method also
//! works as a notification; then nothing is answered. The table of methods is `Puppet::call`.

mod facts;
mod flags;
mod flood;
mod held;
mod play;
mod puppet;
mod tree;
mod wire;

use flags::{Flags, Start};
use play::Play;
use puppet::{Next, Puppet};
use rustix::io::Errno;
use std::io::{BufRead, BufReader, Read};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

/// One read takes this much: a line of a mebibyte should not cost hundreds of system calls.
const READ_BUFFER: usize = 256 * 1024;

fn main() -> ExitCode {
    let flags = match flags::parse(std::env::args_os().skip(1)) {
        Ok(Start::Serve(flags)) => flags,
        Ok(Start::NewSession(command)) => return tree::exec_in_new_session(&command),
        Ok(Start::Play(file)) => return follow(&file),
        Err(message) => {
            eprintln!("sa-puppet: {message}");
            return ExitCode::from(64);
        }
    };
    if flags.no_start {
        eprintln!("sa-puppet: told not to start");
        return ExitCode::from(3);
    }
    serve(&flags)
}

/// Plays the script in `file` until the input ends.
fn follow(file: &std::path::PathBuf) -> ExitCode {
    let played = Play::read(file).and_then(|mut play| {
        let lines = BufReader::with_capacity(READ_BUFFER, Input).split(b'\n');
        lines.into_iter().try_for_each(|line| play.line(&line?))
    });
    match played {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sa-puppet: cannot play {}: {error}", file.display());
            ExitCode::from(65)
        }
    }
}

fn serve(flags: &Flags) -> ExitCode {
    // Kept for the whole life of the process: the handler lives in it.
    let _term = if flags.ignore_term {
        match swallow_term() {
            Ok(guard) => Some(guard),
            Err(error) => {
                eprintln!("sa-puppet: cannot catch SIGTERM: {error}");
                return ExitCode::FAILURE;
            }
        }
    } else {
        None
    };
    if let Some(after) = flags.exit_after {
        thread::spawn(move || {
            thread::sleep(after);
            std::process::exit(0);
        });
    }
    thread::sleep(flags.slow_start.unwrap_or(Duration::ZERO));
    let ended = read_lines(&mut Puppet::new());
    if matches!(ended, Next::StopReading) || flags.ignore_term {
        // Unfinished work runs on other threads, or ends by a signal.
        loop {
            thread::park();
        }
    }
    ExitCode::SUCCESS
}

fn read_lines(puppet: &mut Puppet) -> Next {
    let mut input = BufReader::with_capacity(READ_BUFFER, Input);
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return Next::Read,
            Ok(_) => {
                if matches!(puppet.line(line.trim_ascii()), Next::StopReading) {
                    return Next::StopReading;
                }
            }
            Err(error) => {
                eprintln!("sa-puppet: cannot read: {error}");
                return Next::Read;
            }
        }
    }
}

/// Standard input without the small buffer of the standard library.
struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match rustix::io::read(rustix::stdio::stdin(), &mut *buffer) {
                Err(Errno::INTR) => {}
                read => return Ok(read?),
            }
        }
    }
}

/// Catches SIGTERM and does nothing about it. Unlike an ignored signal, a caught one is back to its default in
/// the processes that `spawn_tree` starts, so a stubborn puppet can have obedient children.
fn swallow_term() -> std::io::Result<impl Sized> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let signals = {
        let _inside = runtime.enter();
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?
    };
    Ok((runtime, signals))
}
