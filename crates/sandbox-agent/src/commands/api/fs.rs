//! `sandbox-agent api fs …`.

mod archives;
pub(super) mod transfer;

use super::{explain, print, print_event, show};
use crate::args::{FsCommand, LsArgs, SearchArgs, WatchArgs};
use crate::commands::render::{Table, print_json, print_text};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use sa_api::{FsEntry, FsEntryType, FsMatch, FsMoveRequest, FsStat};
use sa_client::{Client, FsPage, FsSearch, FsWatchOptions};
use serde_json::Value;
use std::io;

pub(super) async fn call(client: &Client, command: FsCommand) -> Result<(), Failure> {
    match command {
        FsCommand::Ls(args) => list(client, args).await,
        FsCommand::Get(args) => transfer::get(client, args).await,
        FsCommand::Head { path, output } => {
            show(output, client.head_fs_file(&path), |head| {
                let size = head.size.map(|size| size.to_string());
                let rows =
                    [("size", size), ("etag", head.etag.clone()), ("modified", head.last_modified.clone())];
                let rows = rows.map(|(name, value)| (name, value.unwrap_or_else(|| "-".to_owned())));
                Table::of_pairs(rows).print()
            })
            .await
        }
        FsCommand::Put(args) => transfer::put(client, args).await,
        FsCommand::Rm { path, recursive } => {
            client.delete_fs_entry(&path, recursive).await.map(drop).map_err(explain)
        }
        FsCommand::Mkdir { path } => client.make_fs_directory(&path).await.map(drop).map_err(explain),
        FsCommand::Mv { from, to, overwrite } => {
            let request = FsMoveRequest { from, to, overwrite: Some(overwrite) };
            client.move_fs_entry(&request).await.map(drop).map_err(explain)
        }
        FsCommand::Stat { path, follow, output } => {
            show(output, client.stat_fs_entry(&path, follow), describe).await
        }
        FsCommand::Upload(args) => archives::upload(client, args).await,
        FsCommand::Download(args) => archives::download(client, args).await,
        FsCommand::Watch(args) => watch(client, args).await,
        FsCommand::Search(args) => search(client, args).await,
    }
}

/// Entries of one page of a listing.
const PAGE_ENTRIES: usize = 10_000;

async fn list(client: &Client, args: LsArgs) -> Result<(), Failure> {
    let page = FsPage { limit: Some(args.limit.unwrap_or(PAGE_ENTRIES)), after: args.after };
    let mut listing = client.list_fs_entries(&args.path, &page).await?;
    let mut entries = std::mem::take(&mut listing.entries);
    while args.limit.is_none_or(|limit| entries.len() < limit)
        && let Some(mut next) = client.next_fs_entries(&listing).await?
    {
        entries.append(&mut next.entries);
        listing = next;
    }
    entries.truncate(args.limit.unwrap_or(usize::MAX));
    print(args.output, &entries, |entries| {
        let mut table = Table::new(&["MODE", "SIZE", "MODIFIED", "NAME"]);
        for entry in entries {
            let mode = format!("{}{}", letter(entry.entry_type), entry.mode);
            table.add(&[&mode, &entry.size.to_string(), &seconds(&entry.modified), &shown(entry)]);
        }
        table.print()
    })
}

fn shown(entry: &FsEntry) -> String {
    match &entry.target {
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
        ("size", stat.size.to_string()),
        ("modified", stat.modified.clone()),
        ("mode", stat.mode.clone()),
    ];
    rows.extend(stat.target.clone().map(|target| ("target", target)));
    rows.extend(stat.etag.clone().map(|etag| ("etag", etag)));
    Table::of_pairs(rows).print()
}

async fn watch(client: &Client, args: WatchArgs) -> Result<(), Failure> {
    let options = FsWatchOptions { recursive: !args.flat, ignored: args.ignored };
    let mut events = client.watch_fs(&args.path, options).await?;
    while let Some(event) = events.next().await? {
        if args.json {
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
    let search = FsSearch {
        name: args.name,
        content: args.content,
        literal: args.literal,
        ignore_case: args.ignore_case,
        ignored: args.ignored,
        limit: args.limit,
        after: args.after,
    };
    let results = client.search_fs(&args.path, &search).await?;
    if args.output.json {
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
