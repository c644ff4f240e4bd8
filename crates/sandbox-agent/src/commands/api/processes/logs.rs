//! `sandbox-agent api processes logs`.

use super::decode;
use crate::args::LogsArgs;
use crate::commands::api::print_event;
use crate::commands::render::{print_bytes, print_json};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use anyhow::Context;
use sa_api::{ProcessLogEntry, ProcessLogGap, ProcessLogsStream};
use sa_client::{Client, ProcessOutput};
use std::io::{self, Write};

/// Prints what a process has written: its standard error to standard error, everything else to standard output.
pub(super) async fn print_logs(client: &Client, args: LogsArgs) -> Result<(), Failure> {
    let LogsArgs { id, stream, tail, after, limit, follow, json, text } = args;
    let encoding = (json && text).then_some("text");
    let output = ProcessOutput { stream, tail, after, limit, encoding };
    if follow {
        return print_new(client, &id, output, json).await;
    }
    let logs = client.get_process_logs(&id, output).await?;
    if json {
        return Ok(print_json(&logs)?);
    }
    // A request for the last entries implies that there may have been more.
    if let Some(gap) = logs.gap.filter(|_| tail.is_none()) {
        tell(&gap);
    }
    logs.entries.iter().try_for_each(show)
}

async fn print_new(client: &Client, id: &str, output: ProcessOutput, json: bool) -> Result<(), Failure> {
    let mut stream = client.follow_process_logs(id, output).await?;
    while let Some(event) = stream.next().await? {
        let read = "the daemon sent an event that is not what it should be";
        match event.event.as_str() {
            _ if json => print_event(&event)?,
            "log" => show(&serde_json::from_slice(event.data.as_bytes()).context(read)?)?,
            "gap" => tell(&serde_json::from_slice(event.data.as_bytes()).context(read)?),
            _ => {}
        }
    }
    Ok(())
}

fn show(entry: &ProcessLogEntry) -> Result<(), Failure> {
    let bytes = decode(&entry.data)?;
    match entry.stream {
        ProcessLogsStream::Stderr => io::stderr().lock().write_all(&bytes)?,
        ProcessLogsStream::Stdout | ProcessLogsStream::Combined | ProcessLogsStream::Pty => {
            print_bytes(&bytes)?
        }
    }
    Ok(())
}

fn tell(gap: &ProcessLogGap) {
    let bytes = gap.dropped_bytes.map_or("output".to_owned(), |bytes| format!("{bytes} bytes of output"));
    diagnose!("[{bytes} before piece {} was dropped]", gap.oldest);
}
