//! Sessions as files.

use crate::args::{ExportArgs, ImportArgs};
use crate::commands::api::{explain, print};
use crate::commands::draft::{self, Draft};
use crate::commands::render::print_text;
use crate::failure::Failure;
use anyhow::Context;
use sa_client::{Client, Download, Upload};
use std::fs::File;
use std::io::{self, Write};

pub(crate) async fn export(client: &Client, args: ExportArgs) -> Result<(), Failure> {
    let lines = client.export_session(&args.id).await.map_err(explain)?;
    let Some(path) = &args.to else { return save(lines, &mut io::stdout()).await };
    // What was said in a session is nobody else's business.
    let mut draft = Draft::create(path, draft::PRIVATE)?;
    save(lines, &mut draft).await?;
    draft.keep()
}

async fn save(mut lines: Download, output: &mut dyn Write) -> Result<(), Failure> {
    while let Some(bytes) = lines.chunk().await.map_err(explain)? {
        output.write_all(&bytes).context("cannot write what was received")?;
    }
    Ok(output.flush().context("cannot write what was received")?)
}

pub(super) async fn import(client: &Client, args: ImportArgs) -> Result<(), Failure> {
    let upload = match &args.file {
        Some(path) => {
            let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            Upload::reader(file, None)
        }
        None => Upload::reader(io::stdin(), None),
    };
    let session = client.import_session(upload, args.id.as_deref()).await.map_err(explain)?;
    print(args.output, &session, |session| print_text(&session.session_id))
}
