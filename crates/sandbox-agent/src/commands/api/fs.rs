//! `sandbox-agent api fs …`.

mod archives;
pub(super) mod transfer;

use super::{print, print_event, show};
use crate::args::{FsCommand, Output, SearchArgs};
use crate::commands::render::{Table, or_none, print_json, print_text};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use sa_api::{FsAttributes, FsEntry, FsEntryType, FsMatch, FsMoveRequest, FsStat};
use sa_client::{Client, FsSearch, FsWatchOptions, Page};
use serde_json::Value;
use std::io;

pub(super) async fn call(client: &Client, command: FsCommand) -> Result<(), Failure> {
    match command {
        FsCommand::Ls { path, limit, after, output } => {
            list(client, &path, Page { limit, after }, output).await
        }
        FsCommand::Get { path, to, range } => transfer::get(client, &path, to.as_deref(), range).await,
        FsCommand::Head { path, output } => {
            show(output, client.head_fs_file(&path), |head| {
                let rows = [
                    ("size", or_none(head.size)),
                    ("etag", or_none(head.etag.as_ref())),
                    ("modified", or_none(head.last_modified.as_ref())),
                ];
                Table::of_pairs(rows).print()
            })
            .await
        }
        FsCommand::Put(args) => transfer::put(client, args).await,
        FsCommand::Rm { path, recursive } => Ok(client.delete_fs_entry(&path, recursive).await.map(drop)?),
        FsCommand::Mkdir { path } => Ok(client.make_fs_directory(&path).await.map(drop)?),
        FsCommand::Mv { from, to, overwrite } => {
            let request = FsMoveRequest { from, to, overwrite: Some(overwrite) };
            Ok(client.move_fs_entry(&request).await.map(drop)?)
        }
        FsCommand::Stat { path, follow, output } => {
            show(output, client.stat_fs_entry(&path, follow), describe).await
        }
        FsCommand::Upload { from, path, output } => archives::upload(client, &from, &path, output).await,
        FsCommand::Download(args) => archives::download(client, args).await,
        FsCommand::Watch { path, flat, ignored, json } => {
            watch(client, &path, FsWatchOptions { recursive: !flat, ignored }, Output { json }).await
        }
        FsCommand::Search(args) => search(client, args).await,
    }
}

/// Entries of one page of a listing.
const PAGE_ENTRIES: usize = 10_000;

async fn list(client: &Client, path: &str, wanted: Page, output: Output) -> Result<(), Failure> {
    let Page { limit, after } = wanted;
    let page = Page { limit: Some(limit.unwrap_or(PAGE_ENTRIES)), after };
    let mut listing = client.list_fs_entries(path, &page).await?;
    let mut entries = std::mem::take(&mut listing.entries);
    while limit.is_none_or(|limit| entries.len() < limit)
        && let Some(mut next) = client.next_fs_entries(&listing).await?
    {
        entries.append(&mut next.entries);
        listing = next;
    }
    entries.truncate(limit.unwrap_or(usize::MAX));
    print(output, &entries, |entries| {
        let mut table = Table::new(&["MODE", "SIZE", "MODIFIED", "NAME"]);
        for entry in entries {
            let FsAttributes { size, modified, mode, .. } = &entry.attributes;
            let mode = format!("{}{mode}", letter(entry.entry_type));
            table.add(&[&mode, &size.to_string(), &seconds(modified), &shown(entry)]);
        }
        table.print()
    })
}

fn shown(entry: &FsEntry) -> String {
    match &entry.attributes.target {
        Some(target) => format!("{} -> {target}", entry.name),
        None => entry.name.clone(),
    }
}

fn letter(kind: FsEntryType) -> char {
    match kind {
        FsEntryType::File => '-',
        FsEntryType::Directory => 'd',
        FsEntryType::Symlink => 'l',
        FsEntryType::Other => '?',
    }
}

/// A moment without its fraction.
fn seconds(moment: &str) -> String {
    match moment.split_once('.') {
        Some((whole, _)) => format!("{whole}Z"),
        None => moment.to_owned(),
    }
}

fn describe(stat: &FsStat) -> io::Result<()> {
    let mut rows = vec![
        ("path", stat.path.clone()),
        ("type", stat.entry_type.name().to_owned()),
        ("size", stat.attributes.size.to_string()),
        ("modified", stat.attributes.modified.clone()),
        ("mode", stat.attributes.mode.clone()),
    ];
    rows.extend(stat.attributes.target.clone().map(|target| ("target", target)));
    rows.extend(stat.etag.clone().map(|etag| ("etag", etag)));
    Table::of_pairs(rows).print()
}

async fn watch(client: &Client, path: &str, options: FsWatchOptions, output: Output) -> Result<(), Failure> {
    let mut events = client.watch_fs(path, options).await?;
    while let Some(event) = events.next().await? {
        if output.json {
            print_event(&event)?;
            continue;
        }
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        let field = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
        match event.event.as_str() {
            "change" => print_text(&format!("{:8}  {}", field("kind"), field("path")))?,
            "overflow" => diagnose!("overflow: {}: {}", field("path"), field("reason")),
            _ => {}
        }
    }
    Ok(())
}

async fn search(client: &Client, args: SearchArgs) -> Result<(), Failure> {
    let SearchArgs { path, name, content, literal, ignore_case, ignored, limit, after, output } = args;
    let page = Page { limit, after };
    let search = FsSearch { name, content, literal, ignore_case, ignored, page };
    let results = client.search_fs(&path, &search).await?;
    if output.json {
        return Ok(print_json(&results)?);
    }
    for found in &results.matches {
        print_text(&line(found))?;
    }
    if results.skipped > 0 {
        diagnose!("{} could not be searched", results.skipped);
    }
    if let Some(next) = results.next {
        diagnose!("there is more: --after '{next}'");
    }
    Ok(())
}

/// As compilers and editors write places.
fn line(found: &FsMatch) -> String {
    match (found.line, found.column) {
        (Some(line), Some(column)) => {
            format!("{}:{line}:{column}: {}", found.path, found.text.as_deref().unwrap_or_default())
        }
        _ => found.path.clone(),
    }
}
