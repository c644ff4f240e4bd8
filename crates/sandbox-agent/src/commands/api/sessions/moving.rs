//! Sessions as files.

use crate::args::{ExportArgs, ImportArgs};
use crate::commands::api::fs::transfer::save;
use crate::commands::api::show;
use crate::commands::draft::{self, OutputFile};
use crate::commands::render::print_text;
use crate::failure::Failure;
use anyhow::Context;
use indicatif::ProgressBar;
use sa_client::{Client, Upload};
use std::fs::File;
use std::io;

pub(crate) async fn export(client: &Client, args: ExportArgs) -> Result<(), Failure> {
    let (lines, bar) = (client.export_session(&args.id).await?, ProgressBar::hidden());
    let Some(path) = &args.to else { return save(lines, &mut io::stdout(), &bar).await };
    // The content of a session is private.
    let mut draft = OutputFile::create(path, draft::PRIVATE)?;
    save(lines, &mut draft, &bar).await?;
    draft.keep()
}

pub(super) async fn import(client: &Client, args: ImportArgs) -> Result<(), Failure> {
    let upload = match &args.file {
        Some(path) => {
            let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            Upload::reader(file, None)
        }
        None => Upload::reader(io::stdin(), None),
    };
    let imported = client.import_session(upload, args.id.as_deref());
    show(args.output, imported, |session| print_text(&session.session_id)).await
}
