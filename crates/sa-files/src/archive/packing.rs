//! Packing a file or a directory while it is sent.

use super::pipe::{self, PipeWriter, Reader};
use crate::entry::{kind, mode, size};
use crate::error::{At, FilesError, Result, about};
use crate::files::{Files, Located, Shared};
use crate::root::{Last, open_file};
use crate::rules::Rules;
use crate::tree::{Step, Tree, TreeEntry, Visitor};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{Stream, stream};
use rustix::fs::Stat;
use sa_api::FsEntryType;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use tar::{Builder, EntryType, Header};

/// The form of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// Plain tar.
    #[default]
    Tar,
    TarGz,
}

/// Options of an archive.
#[derive(Debug, Clone, Copy, Default)]
pub struct PackOptions {
    /// The format of the archive.
    pub packing: Packing,
    /// Leave out what `.gitignore` and the like exclude, and `.git` itself.
    pub leave_ignored: bool,
}

impl Files {
    /// Packs what is at a path, through a link at its end: of a directory what is in it, else the file. An error in the
    /// middle of the bytes means that the archive is not complete.
    pub async fn pack(
        &self,
        path: &OsStr,
        options: PackOptions,
    ) -> Result<impl Stream<Item = io::Result<Bytes>> + Unpin + use<>> {
        let located = self.locate(path)?;
        let slot = self.reserve_archive()?;
        let sought = located.clone();
        let first = self.run(move |shared| first(shared, &sought)).await?;
        let (writer, mut receiver) = pipe::from_thread(self.limits().chunk_bytes.max(1));
        let shared = Arc::clone(self.shared());
        tokio::task::spawn_blocking(move || {
            let _slot = slot;
            Source { shared: &shared, located: &located, options }.run(first, writer);
        });
        Ok(stream::poll_fn(move |context| receiver.poll_recv(context)))
    }
}

/// The root of an archive. It is opened first, so that a wrong path is reported before the first byte.
enum First {
    Directory(Tree),
    File(File, Stat),
}

fn first(shared: &Shared, located: &Located) -> Result<First> {
    let path = &located.absolute;
    let place = shared.root.place(&located.beneath, Last::Follow).at(path)?;
    let stat = place.stat().at(path)?;
    match kind(&stat) {
        FsEntryType::File => Ok(First::File(open_file(&place.dir, &place.name).at(path)?, stat)),
        FsEntryType::Directory => Ok(First::Directory(Tree::open(shared, located)?)),
        _ => Err(FilesError::Conflict(about(path, "is neither a file nor a directory"))),
    }
}

struct Source<'a> {
    shared: &'a Shared,
    located: &'a Located,
    options: PackOptions,
}

impl Source<'_> {
    fn run(&self, first: First, mut writer: PipeWriter) {
        let reader = writer.reader();
        let written = match self.options.packing {
            Packing::Tar => self.write(first, &mut writer, &reader),
            Packing::TarGz => {
                let mut encoder = GzEncoder::new(&mut writer, Compression::fast());
                self.write(first, &mut encoder, &reader)
                    .and_then(|()| encoder.finish().map(drop).at(&self.located.absolute))
            }
        };
        match written {
            // A reader that is gone by now does not miss the rest.
            Ok(()) => drop(writer.end()),
            Err(error) => {
                tracing::debug!(%error, "an archive was not sent to its end");
                writer.fail(io::Error::other(error.to_string()));
            }
        }
    }

    fn write(&self, first: First, output: impl Write, reader: &Reader) -> Result<()> {
        let mut builder = Builder::new(output);
        let path = &self.located.absolute;
        match first {
            First::File(file, stat) => {
                let name = path.file_name().unwrap_or(OsStr::new("file"));
                append_file(&mut builder, Path::new(name), file, &stat, path)?;
            }
            First::Directory(tree) => {
                let rules = || Rules::above(&self.shared.root, self.located);
                let rules = self.options.leave_ignored.then(rules);
                tree.walk(self.shared, rules, &mut Packer { builder: &mut builder, reader })?;
            }
        }
        builder.finish().at(path)
    }
}

struct Packer<'a, W: Write> {
    builder: &'a mut Builder<W>,
    reader: &'a Reader,
}

impl<W: Write> Visitor for Packer<'_, W> {
    fn entry(&mut self, found: &TreeEntry<'_>) -> Result<Step> {
        append(self.builder, found).map(|()| Step::On)
    }

    /// Checks for a reader that has left: nothing is written for excluded entries, which would show it.
    fn excluded(&mut self, _: &Path) -> Step {
        if self.reader.is_gone() { Step::Stop } else { Step::Past }
    }

    /// Fails: an archive without the entry would look complete.
    fn unreadable(&mut self, _: &Path, error: FilesError) -> Result<()> {
        Err(error)
    }
}

fn append(builder: &mut Builder<impl Write>, found: &TreeEntry<'_>) -> Result<()> {
    let mut header = header(found.stat);
    match kind(found.stat) {
        FsEntryType::Directory => {
            header.set_entry_type(EntryType::Directory);
            builder.append_data(&mut header, found.relative, io::empty()).at(found.path)?;
        }
        FsEntryType::Symlink => {
            let target = rustix::fs::readlinkat(found.dir, found.name, Vec::new()).at(found.path)?;
            header.set_entry_type(EntryType::Symlink);
            let target = Path::new(OsStr::from_bytes(target.to_bytes()));
            builder.append_link(&mut header, found.relative, target).at(found.path)?;
        }
        FsEntryType::File => {
            let file = open_file(found.dir, found.name).at(found.path)?;
            let stat = rustix::fs::fstat(&file).at(found.path)?;
            append_file(builder, found.relative, file, &stat, found.path)?;
        }
        // The contents of a pipe, a socket or a device are not in the file system.
        FsEntryType::Other => {}
    }
    Ok(())
}

fn append_file(
    builder: &mut Builder<impl Write>,
    name: &Path,
    file: File,
    stat: &Stat,
    path: &Path,
) -> Result<()> {
    if kind(stat) != FsEntryType::File {
        return Ok(());
    }
    let mut header = header(stat);
    header.set_entry_type(EntryType::Regular);
    header.set_size(size(stat));
    // As many bytes as the header announces, whatever happens to the file meanwhile: the archive's own form must hold.
    let contents = file.take(size(stat)).chain(io::repeat(0)).take(size(stat));
    builder.append_data(&mut header, name, contents).at(path)
}

fn header(stat: &Stat) -> Header {
    let mut header = Header::new_gnu();
    header.set_size(0);
    header.set_mode(mode(stat));
    header.set_mtime(u64::try_from(stat.st_mtime).unwrap_or_default());
    header
}
