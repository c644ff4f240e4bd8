//! Files that others put there: read if they are plain files, and no further than is asked for.

use rustix::fs::{Mode, OFlags, open};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Returns the beginning of a file, at most this many bytes of it.
pub fn read_plain(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the text of a file, or an error for a file of more than this many bytes.
pub fn read_plain_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read_plain(path, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Opens a plain file.
///
/// A pipe under its name would be waited on forever: it is opened without waiting, and refused by what it turns out to be.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use rustix::fs::{CWD, FileType, mknodat};

    #[test]
    fn pipes_devices_and_directories_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        for path in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
            let kind = read_plain(path, 10).map_err(|error| error.kind());
            assert_eq!(kind, Err(io::ErrorKind::InvalidInput), "{}", path.display());
        }
    }

    #[test]
    fn no_more_is_read_than_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = File::create(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        assert_eq!(read_plain(&path, 7).unwrap(), [0; 7]);
        assert_eq!(read_plain_text(&path, 7).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        file.set_len(7).unwrap();
        assert_eq!(read_plain_text(&path, 7).unwrap(), "\0".repeat(7));
    }
}
