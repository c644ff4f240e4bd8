//! Sessions as files.

use crate::commands::api::fs::transfer::save;
use crate::commands::draft::{self, OutputFile};
use crate::failure::Failure;
use anyhow::Context;
use indicatif::ProgressBar;
use sa_client::{Client, Upload};
use std::fs::File;
use std::io;
use std::path::Path;

/// Writes a session to a file, or to standard output.
pub(crate) async fn export(client: &Client, id: &str, to: Option<&Path>) -> Result<(), Failure> {
    let (lines, bar) = (client.export_session(id).await?, ProgressBar::hidden());
    let Some(path) = to else { return save(lines, &mut io::stdout(), &bar).await };
    // The content of a session is private.
    let mut draft = OutputFile::create(path, draft::PRIVATE)?;
    save(lines, &mut draft, &bar).await?;
    draft.keep()
}

/// Opens an exported session: a file, or standard input.
pub(super) fn open(path: Option<&Path>) -> Result<Upload, Failure> {
    let Some(path) = path else { return Ok(Upload::reader(io::stdin(), None)) };
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Upload::reader(file, None))
}
