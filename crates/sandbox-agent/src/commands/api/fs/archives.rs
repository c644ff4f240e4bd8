//! Whole directories, packed and unpacked on this side while they travel.

use super::transfer::{Watched, bar, open, save};
use crate::args::{DownloadArgs, Output};
use crate::commands::api::print;
use crate::commands::render::print_text;
use crate::failure::Failure;
use anyhow::Context;
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use sa_client::{Client, FsPackOptions, Upload};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// Pieces between the threads that pack or unpack and the connection.
const PIECES: usize = 4;
/// Size of a piece.
const PIECE: usize = 256 * 1024;

pub(super) async fn upload(client: &Client, from: &Path, path: &str, output: Output) -> Result<(), Failure> {
    let (body, bar) = if from.is_dir() { pack(from.to_owned()) } else { open(from)? };
    let unpacked = client.upload_fs_batch(path, body).await?;
    bar.finish_and_clear();
    print(output, &unpacked, |unpacked| {
        print_text(&format!("{} entries, {} bytes of contents", unpacked.entries, unpacked.bytes))
    })
}

/// A directory as an archive that is made while it is read. Links stay links.
fn pack(directory: PathBuf) -> (Upload, indicatif::ProgressBar) {
    let (sender, receiver) = mpsc::channel(PIECES);
    let bar = bar(&directory.display().to_string(), None);
    std::thread::spawn(move || {
        let mut output = io::BufWriter::with_capacity(PIECE, Pieces(sender));
        let mut builder = tar::Builder::new(&mut output);
        builder.follow_symlinks(false);
        let packed = builder.append_dir_all(".", &directory).and_then(|()| builder.finish());
        drop(builder);
        let packed = packed.and_then(|()| output.flush());
        if let (Err(error), Ok(pieces)) = (packed, output.into_inner()) {
            // Without it the daemon would take what it has for all of it.
            let _ = pieces.0.blocking_send(Err(error));
        }
    });
    let reader = Watched { inner: Received { pieces: receiver, present: Bytes::new() }, bar: bar.clone() };
    (Upload::reader(reader, None), bar)
}

/// Writes into a channel.
struct Pieces(mpsc::Sender<io::Result<Bytes>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes)));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads from a channel.
struct Received {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    present: Bytes,
}

impl Read for Received {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.present.is_empty() {
            match self.pieces.blocking_recv() {
                Some(piece) => self.present = piece?,
                None => return Ok(0),
            }
        }
        let length = self.present.len().min(buffer.len());
        let piece = self.present.split_to(length);
        if let Some(place) = buffer.get_mut(..length) {
            place.copy_from_slice(&piece);
        }
        Ok(length)
    }
}

pub(super) async fn download(client: &Client, args: DownloadArgs) -> Result<(), Failure> {
    let options = FsPackOptions { compressed: args.gzip, leave_ignored: args.leave_ignored };
    let mut archive = client.download_fs_batch(&args.path, options).await?;
    let bar = bar(&args.path, archive.length());
    if args.archive && args.to == Path::new("-") {
        return save(archive, &mut io::stdout().lock(), &bar).await;
    }
    if args.archive {
        let mut file =
            File::create(&args.to).with_context(|| format!("cannot write {}", args.to.display()))?;
        return save(archive, &mut file, &bar).await;
    }
    let (sender, receiver) = mpsc::channel(PIECES);
    let received = Received { pieces: receiver, present: Bytes::new() };
    let (to, compressed) = (args.to, args.gzip);
    let unpacking = tokio::task::spawn_blocking(move || unpack(received, &to, compressed));
    loop {
        let piece = match archive.chunk().await {
            Ok(Some(piece)) => piece,
            Ok(None) => break,
            Err(error) => {
                let _ = sender.send(Err(io::ErrorKind::ConnectionAborted.into())).await;
                let _ = unpacking.await;
                return Err(error.into());
            }
        };
        bar.inc(piece.len() as u64);
        if sender.send(Ok(piece)).await.is_err() {
            break;
        }
    }
    drop(sender);
    bar.finish_and_clear();
    Ok(unpacking.await.context("the archive is no longer unpacked")??)
}

/// Unpacks beneath a directory; what would leave it is left out by the library, as the daemon packs no such thing.
fn unpack(received: Received, to: &Path, compressed: bool) -> anyhow::Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let input: Box<dyn Read> =
        if compressed { Box::new(MultiGzDecoder::new(received)) } else { Box::new(received) };
    let mut archive = tar::Archive::new(input);
    archive.set_preserve_permissions(true);
    archive.unpack(to).with_context(|| format!("cannot unpack to {}", to.display()))?;
    // The rest of the stream, so that a broken end is seen.
    io::copy(&mut archive.into_inner(), &mut io::sink()).context("the archive broke off")?;
    Ok(())
}
