//! The command line of the puppet.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The purpose of the process.
pub(crate) enum Start {
    Serve(Flags),
    /// `--new-session PROGRAM ARGS…`: becoming that program in a new session.
    NewSession(Vec<OsString>),
    /// `--play FILE`: following a script as an ACP agent.
    Play(PathBuf),
}

/// Behavior that no request asks for.
#[derive(Default)]
pub(crate) struct Flags {
    /// `--ignore-term`: neither SIGTERM nor the end of its input ends it.
    pub(crate) ignore_term: bool,
    /// `--no-start`: complains on standard error and exits with 3.
    pub(crate) no_start: bool,
    /// `--exit-after MS`: exits with 0, also in the middle of a request.
    pub(crate) exit_after: Option<Duration>,
    /// `--slow-start MS`: reads nothing for so long.
    pub(crate) slow_start: Option<Duration>,
}

/// Reads the arguments after the program's name.
pub(crate) fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Start, String> {
    let mut flags = Flags::default();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--ignore-term") => flags.ignore_term = true,
            Some("--no-start") => flags.no_start = true,
            Some("--exit-after") => flags.exit_after = Some(milliseconds(arguments.next())?),
            Some("--slow-start") => flags.slow_start = Some(milliseconds(arguments.next())?),
            Some("--new-session") => return Ok(Start::NewSession(arguments.collect())),
            Some("--play") => {
                let file = arguments.next().ok_or("a file to play is missing")?;
                return Ok(Start::Play(file.into()));
            }
            _ => return Err(format!("unknown argument {argument:?}")),
        }
    }
    Ok(Start::Serve(flags))
}

fn milliseconds(value: Option<OsString>) -> Result<Duration, String> {
    let value = value.ok_or("a number of milliseconds is missing")?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.map(Duration::from_millis).ok_or_else(|| format!("{value:?} is not a number of milliseconds"))
}
