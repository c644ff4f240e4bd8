//! `sandbox-agent daemon logs`.

use crate::commands::render::print_bytes;
use crate::failure::Failure;
use crate::local_daemon::{DaemonFolder, Found, older_log};
use anyhow::{Context, anyhow};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

/// Time between two looks at a log that is followed.
const LOOK: Duration = Duration::from_millis(200);
/// Bytes that are read at once, from the end backwards.
const CHUNK: u64 = 64 << 10;

/// Prints the last lines, and returns the log to read on.
pub(super) fn print_last(place: &DaemonFolder, lines: usize) -> Result<Tail, Failure> {
    let log = place.log();
    // Whatever lies there is of an earlier one.
    if let Ok(Found::Running(daemon)) = place.find()
        && daemon.log_file().is_none()
    {
        let advice = "the daemon runs in the foreground and logs to its standard error";
        return Err(Failure::Failed(anyhow!("there is no log of process {}: {advice}", daemon.pid)));
    }
    let file = match File::open(&log) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(no_log(place)),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", log.display()))?,
    };
    let mut tail = Tail { path: log, file };
    tail.print_last(lines)?;
    Ok(tail)
}

fn no_log(place: &DaemonFolder) -> Failure {
    let advice = "no daemon was started in the background yet; start one with 'sandbox-agent daemon start'";
    Failure::Failed(anyhow!("there is no log in {}: {advice}", place.log().display()))
}

/// A log that is read from its end on, over the files that it is made of.
pub(super) struct Tail {
    path: PathBuf,
    file: File,
}

impl Tail {
    /// Prints the last lines; a log that was begun again a moment ago continues in the file before it.
    fn print_last(&mut self, wanted: usize) -> Result<(), Failure> {
        let text = last_lines(&mut self.file, wanted).context("cannot read the log")?;
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        if lines < wanted
            && let Ok(mut older) = File::open(older_log(&self.path))
        {
            print_bytes(&last_lines(&mut older, wanted - lines).context("cannot read the older log")?)?;
        }
        Ok(print_bytes(&text)?)
    }

    /// Prints new lines as they come.
    pub(super) fn follow(&mut self) -> Result<(), Failure> {
        loop {
            sleep(LOOK);
            self.print_new()?;
        }
    }

    /// Prints what was added, also to a file that has taken the place of the one before.
    fn print_new(&mut self) -> Result<(), Failure> {
        self.print_rest()?;
        let Ok(named) = std::fs::metadata(&self.path) else { return Ok(()) };
        let open = self.file.metadata().context("cannot read the log")?;
        if (named.dev(), named.ino()) != (open.dev(), open.ino()) {
            // Lines may have come after the last look, and before the new file.
            self.print_rest()?;
            self.file = File::open(&self.path).context("cannot read the new log")?;
            self.print_rest()?;
        }
        Ok(())
    }

    fn print_rest(&mut self) -> Result<(), Failure> {
        let mut text = Vec::new();
        self.file.read_to_end(&mut text).context("cannot read the log")?;
        Ok(print_bytes(&text)?)
    }
}

/// Reads the last lines and leaves the file at its end.
fn last_lines(file: &mut (impl Read + Seek), wanted: usize) -> io::Result<Vec<u8>> {
    let end = file.seek(SeekFrom::End(0))?;
    let (mut at, mut text) = (end, Vec::new());
    // The last line is complete, so one more line break than lines is read.
    while at > 0 && text.iter().filter(|byte| **byte == b'\n').count() <= wanted {
        let begin = at.saturating_sub(CHUNK);
        file.seek(SeekFrom::Start(begin))?;
        let mut chunk = Vec::new();
        file.by_ref().take(at - begin).read_to_end(&mut chunk)?;
        chunk.extend_from_slice(&text);
        (at, text) = (begin, chunk);
    }
    file.seek(SeekFrom::Start(end))?;
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let skipped = lines.len().saturating_sub(wanted);
    Ok(lines.drain(skipped..).collect::<Vec<_>>().concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Cursor;

    fn last(text: &str, wanted: usize) -> String {
        let mut file = Cursor::new(text.as_bytes().to_vec());
        let lines = last_lines(&mut file, wanted).unwrap();
        assert_eq!(file.position(), text.len() as u64, "what is added comes next");
        String::from_utf8(lines).unwrap()
    }

    #[test]
    fn the_last_lines_are_whole_however_long_they_are() {
        assert_eq!(last("", 3), "");
        assert_eq!(last("a\nb\nc\n", 2), "b\nc\n");
        assert_eq!(last("a\nb\nc", 2), "b\nc");
        assert_eq!(last("a\n", 0), "");
        let long = format!("{}\n{}\n{}\n", "x".repeat(70_000), "y".repeat(140_000), "z");
        assert_eq!(last(&long, 2).len(), 140_003);
        assert_eq!(last(&long, 9), long);
    }

    #[test]
    fn a_log_that_was_begun_again_is_followed_into_the_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.log");
        std::fs::write(&path, "one\n").unwrap();
        let mut tail = Tail { path: path.clone(), file: File::open(&path).unwrap() };
        tail.print_last(10).unwrap();
        std::fs::rename(&path, older_log(&path)).unwrap();
        std::fs::write(&path, "two\n").unwrap();
        tail.print_new().unwrap();
        assert_eq!(tail.file.stream_position().unwrap(), 4, "the new file was read to its end");
    }
}
