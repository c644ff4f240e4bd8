//! Sessions as files.

use crate::args::{ExportArgs, ImportArgs};
use crate::commands::api::{explain, print};
use crate::commands::render::print_text;
use crate::failure::Failure;
use anyhow::Context;
use sa_client::{Client, Upload};
use std::fs::File;
use std::io::{self, Write};

pub(super) async fn export(client: &Client, args: ExportArgs) -> Result<(), Failure> {
    let mut lines = client.export_session(&args.id).await.map_err(explain)?;
    let mut output: Box<dyn Write> = match &args.to {
        Some(path) => {
            Box::new(File::create(path).with_context(|| format!("cannot write {}", path.display()))?)
        }
        None => Box::new(io::stdout()),
    };
    while let Some(bytes) = lines.chunk().await.map_err(explain)? {
        output.write_all(&bytes)?;
    }
    Ok(output.flush()?)
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
