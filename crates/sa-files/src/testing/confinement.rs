//! Any links and any paths: nothing outside is read, written or named.

use super::pieces::Pieces;
use super::world::{SECRET, World, run};
use crate::{Entry, Existing, Last, Page, Query, Removal, WriteOptions};
use bytes::Bytes;
use futures_util::StreamExt;
use sa_api::FsEntryType;
use std::ffi::OsStr;

/// Checks the operations that the bytes describe, on a tree of directories, files and links that they describe first.
pub fn nothing_gets_out(data: &[u8]) {
    for by_steps in [false, true] {
        let world = World::new(by_steps);
        let (inside, outside) = (world.inside(), world.outside());
        let (inside_text, outside_text) = (inside.to_str().unwrap(), outside.to_str().unwrap());
        let mut pieces = Pieces::new(data);
        for _ in 0..pieces.below(10) {
            let name = pieces.path("a", "b").replace("..", "c");
            let place = inside.join(name.trim_start_matches('/'));
            let kind = pieces.below(3);
            let target = pieces.path(inside_text, outside_text);
            // Only what the sandbox itself could have made there: never along a link.
            let Some(parent) = place.parent().filter(|parent| !goes_along_link(&inside, parent)) else {
                continue;
            };
            let _ = std::fs::create_dir_all(parent);
            let _ = match kind {
                0 => std::fs::create_dir(&place),
                1 if !place.is_symlink() => std::fs::write(&place, "inside"),
                _ => std::os::unix::fs::symlink(target, &place),
            };
        }
        while let Some(operation) = pieces.byte() {
            let (one, two) = (pieces.path(inside_text, outside_text), pieces.path(inside_text, outside_text));
            run(operate(&world, operation, OsStr::new(&one), OsStr::new(&two)));
            world.check();
        }
        world.check_tidy();
    }
}

fn goes_along_link(root: &std::path::Path, path: &std::path::Path) -> bool {
    path.ancestors().take_while(|part| *part != root).any(|part| part.is_symlink())
}

/// Links and directories may have any size.
fn is_secret(entry: &Entry) -> bool {
    entry.kind == FsEntryType::File && entry.size == SECRET.len() as u64
}

async fn operate(world: &World, operation: u8, one: &OsStr, two: &OsStr) {
    let files = &world.files;
    match operation % 8 {
        0 => {
            if let Ok(file) = files.read(one).await {
                let mut stream = file.into_stream();
                while let Some(Ok(bytes)) = stream.next().await {
                    assert_ne!(bytes, SECRET, "{one:?}");
                }
            }
        }
        1 => {
            if let Ok(mut upload) =
                files.write(one, WriteOptions { no_sync: true, ..WriteOptions::default() }).await
            {
                let _ = upload.push(Bytes::from_static(b"written")).await;
                let _ = upload.finish().await;
            }
        }
        2 => {
            let listing = files.list(one, Page::default()).await.unwrap_or_default();
            assert!(!listing.entries.iter().any(is_secret), "{listing:?}");
        }
        3 => drop(files.remove(one, Removal::Tree).await),
        4 => drop(files.make_dir(one).await),
        5 => drop(files.relocate(one, two, Existing::Replace).await),
        6 => {
            let query =
                Query { content: Some("secret outside".to_owned()), with_ignored: true, ..Query::default() };
            if let Ok(results) = files.search(one, query).await {
                assert_eq!(results.matches, []);
            }
        }
        _ => {
            if let Ok(entry) = files.stat(one, Last::Follow).await {
                assert!(!is_secret(&entry), "{one:?}");
            }
        }
    }
}
