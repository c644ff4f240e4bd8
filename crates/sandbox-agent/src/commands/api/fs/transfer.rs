//! Files that go one way or the other, with a bar where somebody watches.

use crate::args::PutArgs;
use crate::commands::api::print;
use crate::commands::draft::{self, OutputFile};
use crate::commands::render::print_text;
use crate::failure::Failure;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use sa_client::{Client, Download, FsWriteOptions, Upload};
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

/// Smaller transfers need no progress bar.
const LARGE: u64 = 4 * 1024 * 1024;
const KNOWN: &str = "{msg} [{bar:24}] {bytes}/{total_bytes} {bytes_per_sec} {eta}";
const UNKNOWN: &str = "{msg} {bytes} {bytes_per_sec}";

/// A bar on standard error for a transfer of so many bytes; hidden where nobody watches or there is little to see.
pub(super) fn bar(what: &str, length: Option<u64>) -> ProgressBar {
    if !io::stderr().is_terminal() || length.is_some_and(|length| length < LARGE) {
        return ProgressBar::hidden();
    }
    let bar = length.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let template = if length.is_some() { KNOWN } else { UNKNOWN };
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.with_message(what.to_owned())
}

/// Writes a download to the end; what is written is flushed.
pub(in crate::commands::api) async fn save(
    mut download: Download,
    output: &mut dyn Write,
    bar: &ProgressBar,
) -> Result<(), Failure> {
    while let Some(bytes) = download.chunk().await? {
        output.write_all(&bytes).context("cannot write what was received")?;
        bar.inc(bytes.len() as u64);
    }
    output.flush().context("cannot write what was received")?;
    bar.finish_and_clear();
    Ok(())
}

pub(super) async fn get(
    client: &Client,
    path: &str,
    to: Option<&Path>,
    range: Option<String>,
) -> Result<(), Failure> {
    let range = range.map(|range| format!("bytes={range}"));
    let download = client.read_fs_file(path, range.as_deref()).await?;
    let bar = bar(path, download.length());
    match to {
        None => save(download, &mut io::stdout().lock(), &bar).await,
        Some(path) => {
            let mut draft = OutputFile::create(path, draft::ORDINARY)?;
            save(download, &mut draft, &bar).await?;
            draft.keep()
        }
    }
}

pub(super) async fn put(client: &Client, args: PutArgs) -> Result<(), Failure> {
    let PutArgs { path, from, mode, if_match, if_none_match, no_sync, output } = args;
    let (body, bar) = open(&from)?;
    let options = FsWriteOptions { mode, no_sync, if_match, if_none_match };
    let written = client.write_fs_file(&path, body, &options).await?;
    bar.finish_and_clear();
    print(output, &written, |written| {
        print_text(&format!("{} bytes to {}", written.bytes_written, written.path))
    })
}

/// A file of this machine, or standard input, as a body with its bar.
pub(super) fn open(path: &Path) -> Result<(Upload, ProgressBar), Failure> {
    if path == Path::new("-") {
        let bar = bar("standard input", None);
        return Ok((Upload::reader(Watched { inner: io::stdin(), bar: bar.clone() }, None), bar));
    }
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    let bar = bar(&path.display().to_string(), length);
    Ok((Upload::reader(Watched { inner: file, bar: bar.clone() }, length), bar))
}

/// Moves a bar as it is read.
pub(super) struct Watched<R> {
    pub(super) inner: R,
    pub(super) bar: ProgressBar,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bar.inc(read as u64);
        Ok(read)
    }
}
