//! Whatever lies in a workspace, operations on it end, without a panic and without taking the process down.
//!
//! `SA_CASES` says how many workspaces are tried.

use futures_util::StreamExt;
use proptest::prelude::*;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use sa_disk::remove_all;
use sa_files::testing::run;
use sa_files::{
    Existing, Files, FilesError, FilesLimits, FilesOptions, Last, PackOptions, Query, Removal, Watch,
    WatchEvent, WatchOptions,
};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

/// Something in a workspace.
#[derive(Debug, Clone)]
enum Thing {
    Rules(&'static str, Vec<u8>),
    /// As many directories inside each other.
    Deep(usize),
    /// A file with such a name.
    Name(Vec<u8>),
    Link(Vec<u8>),
    Pipe,
    /// A file of that size without contents.
    Sparse(u64),
    /// A file of lines of that length.
    Lines(usize, u8),
    Many(usize),
    Permissions(u32),
    /// The following entries are in a new directory.
    Below,
}

const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

/// Texts that make parsers and matchers work.
fn pattern() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(
        &[
            "{",
            "}",
            "{{",
            "[",
            "]",
            "[!",
            "[^",
            "[a-z]",
            "[[:alpha:]]",
            "(",
            ")",
            "(?:",
            "*",
            "**",
            "**/",
            "/**",
            "?",
            "\\",
            ",",
            "|",
            "a",
            "d",
            "/",
            "!",
            "#",
            " ",
            "\n",
            "+",
            "{1000}",
            "{2,}",
            "\u{e9}",
            "-",
            ".",
            "$",
            "^",
        ][..],
    );
    let repeated = (piece, prop_oneof![8 => 1..4_usize, 1 => 1..3_000_usize])
        .prop_map(|(piece, times)| piece.repeat(times).into_bytes());
    prop_oneof![
        8 => prop::collection::vec(repeated, 1..8).prop_map(|pieces| pieces.concat()),
        1 => (1..20_000_usize).prop_map(|depth| [vec![b'{'; depth], vec![b'}'; depth]].concat()),
        1 => prop::collection::vec(any::<u8>(), 0..300),
    ]
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![4 => 1..=255_u8, 1 => Just(b'a')].prop_filter("no slash", |byte| *byte != b'/');
    prop::collection::vec(byte, 1..40)
        .prop_map(|bytes| if bytes.starts_with(b".") { b"dot".to_vec() } else { bytes })
}

fn thing() -> impl Strategy<Value = Thing> {
    let links = ["..", ".", "self", "/", "/proc/self/root", "nowhere", "../../../../..", "d/../d/.."];
    prop_oneof![
        4 => (prop::sample::select(&RULE_FILES[..]), pattern()).prop_map(|(file, text)| Thing::Rules(file, text)),
        2 => prop_oneof![6 => 1..20_usize, 1 => 200..600_usize].prop_map(Thing::Deep),
        3 => name().prop_map(Thing::Name),
        2 => prop::sample::select(links.to_vec()).prop_map(|link| Thing::Link(link.into())),
        1 => Just(Thing::Pipe),
        1 => prop_oneof![0..10_000_u64, Just(1 << 40)].prop_map(Thing::Sparse),
        1 => (prop_oneof![4 => 1..200_usize, 1 => 100_000..300_000_usize], any::<u8>())
            .prop_map(|(length, byte)| Thing::Lines(length, byte)),
        1 => (1..60_usize).prop_map(Thing::Many),
        1 => prop::sample::select(&[0, 0o111, 0o444, 0o700, 0o1777][..]).prop_map(Thing::Permissions),
        2 => Just(Thing::Below),
    ]
}

/// Puts things into a directory, as far as the system takes them.
fn furnish(directory: &Path, things: &[Thing]) {
    let mut here = directory.to_owned();
    std::fs::create_dir_all(&here).unwrap();
    for (number, thing) in things.iter().enumerate() {
        let path = here.join(format!("t{number}"));
        match thing {
            Thing::Rules(file, text) => {
                std::fs::create_dir_all(here.join(file).parent().unwrap()).unwrap();
                std::fs::write(here.join(file), text).unwrap();
            }
            Thing::Deep(depth) => deep_tree(&path, *depth),
            Thing::Name(name) => drop(std::fs::write(here.join(OsStr::from_bytes(name)), name)),
            Thing::Link(target) => drop(symlink(OsStr::from_bytes(target), here.join("self"))),
            Thing::Pipe => {
                let _ = rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0);
            }
            Thing::Sparse(size) => std::fs::File::create(&path).unwrap().set_len(*size).unwrap(),
            Thing::Lines(length, byte) => {
                let line = [vec![*byte; *length], b"\n".to_vec()].concat();
                std::fs::write(&path, line.repeat(3)).unwrap();
            }
            Thing::Many(count) => {
                for entry in 0..*count {
                    std::fs::write(here.join(format!("m{number}-{entry}")), "a\n").unwrap();
                }
            }
            Thing::Permissions(mode) => {
                let _ = std::fs::set_permissions(&here, std::fs::Permissions::from_mode(*mode | 0o700));
                let _ = std::fs::write(&path, "x");
                let _ = std::fs::set_permissions(&path, std::fs::Permissions::from_mode(*mode));
            }
            Thing::Below => {
                std::fs::create_dir(&path).unwrap();
                here = path;
            }
        }
    }
}

fn deep_tree(path: &Path, depth: usize) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    std::fs::create_dir(path).unwrap();
    let mut here = rustix::fs::openat(CWD, path, flags, Mode::empty()).unwrap();
    for _ in 0..depth {
        rustix::fs::mkdirat(&here, "d", Mode::RWXU).unwrap();
        here = rustix::fs::openat(&here, "d", flags, Mode::empty()).unwrap();
    }
}

fn open(root: &Path) -> Files {
    let limits = FilesLimits {
        watch_gather_ms: 1,
        watch_directories: 300,
        search_ms: 500,
        search_line_bytes: 200_000,
        ..FilesLimits::default()
    };
    let options = FilesOptions { workspace: None, root: Some(root.to_owned()), by_steps: false, limits };
    Files::open(options).unwrap()
}

/// Waits for the next event of a watch; that there is none is an error.
async fn event(watch: &mut Watch) -> WatchEvent {
    let next = tokio::time::timeout(Duration::from_secs(20), watch.next()).await;
    next.expect("the watch says something").expect("the watch does not end")
}

async fn search(files: &Files, query: Query) {
    match files.search("w".as_ref(), query.clone()).await {
        Ok(results) => assert!(results.matches.len() <= results.searched as usize + 10_000),
        Err(FilesError::Invalid(_)) if query.name.is_some() || query.content.is_some() => {}
        Err(error) => panic!("{error} of {query:?}"),
    }
}

/// Takes an archive, or the beginning of a large one.
async fn pack(files: &Files, leave_ignored: bool) {
    let options = PackOptions { leave_ignored, ..PackOptions::default() };
    let mut stream = files.pack("w".as_ref(), options).await.unwrap();
    let (mut size, mut zeros) = (0, 0);
    while let Some(piece) = stream.next().await {
        // Packing fails with an error.
        let Ok(piece) = piece else { return };
        size += piece.len();
        let run = piece.iter().rev().take_while(|byte| **byte == 0).count();
        zeros = if run == piece.len() { zeros + run } else { run };
        if size > 4 << 20 {
            return;
        }
    }
    assert!(zeros >= 1024, "an archive that ends without its end");
}

async fn use_workspace(files: &Files, root: &Path, patterns: &[Vec<u8>; 2]) {
    let [name, content] = patterns.each_ref().map(|text| String::from_utf8_lossy(text).into_owned());
    let watch = |with_ignored| files.watch("w".as_ref(), WatchOptions { recursive: true, with_ignored });
    let (mut watch, mut everything) = (watch(false).await.unwrap(), watch(true).await.unwrap());
    for watch in [&mut watch, &mut everything] {
        assert!(matches!(event(watch).await, WatchEvent::Ready(_)));
    }
    search(files, Query { name: Some(name), ..Query::default() }).await;
    search(files, Query { content: Some(content), limit: Some(3), ..Query::default() }).await;
    search(files, Query { content: Some("a".into()), name: Some("*".into()), ..Query::default() }).await;
    pack(files, true).await;
    pack(files, false).await;
    // All of it once more, by one rename: each rule and each directory is new to the watch.
    std::fs::rename(root.join("later"), root.join("w/zz-later")).unwrap();
    std::fs::write(root.join("w/zz-last"), "").unwrap();
    event(&mut everything).await;
    // Rules may exclude all of it, which is no reason to end.
    let next = tokio::time::timeout(Duration::from_millis(5), watch.next()).await;
    assert!(!matches!(next, Ok(None)), "the watch ended");
    files.stat("w".as_ref(), Last::Keep).await.unwrap();
    files.list("w".as_ref(), Default::default()).await.unwrap();
    drop((watch, everything));
    files.relocate("w".as_ref(), "moved".as_ref(), Existing::Keep).await.unwrap();
    files.remove("moved".as_ref(), Removal::Tree).await.unwrap();
    let left = rustix::fs::statat(CWD, root.join("moved"), AtFlags::SYMLINK_NOFOLLOW);
    assert!(left.is_err(), "something is left");
}

/// A search keeps to its time within a file, too, and says that it has not seen all of it.
#[test]
fn a_search_stops_in_the_middle_of_a_file() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("a"), "one\n".repeat(100_000)).unwrap();
    std::fs::write(home.path().join("b"), "one\n").unwrap();
    let limits = FilesLimits { search_ms: 0, ..FilesLimits::default() };
    let root = Some(home.path().to_owned());
    let files = Files::open(FilesOptions { workspace: None, root, by_steps: false, limits }).unwrap();
    let query = Query { content: Some("one".into()), ..Query::default() };
    let results = run(files.search(".".as_ref(), query)).unwrap();
    assert_eq!((results.matches.len(), results.skipped), (0, 1));
    assert!(results.next.is_some_and(|next| next.ends_with("/a")));
}

#[test]
fn operations_end_whatever_a_workspace_holds() {
    let cases = std::env::var("SA_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let config = ProptestConfig { cases, max_shrink_iters: 50, ..ProptestConfig::default() };
    let strategy =
        (prop::collection::vec(thing(), 0..8), prop::collection::vec(thing(), 0..6), [pattern(), pattern()]);
    // Thousands of names come and go, which a disk is slow at.
    let memory = Path::new("/dev/shm");
    let home = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let files = open(home.path());
    let outcome = proptest::test_runner::TestRunner::new(config).run(&strategy, |(now, later, patterns)| {
        for name in ["w", "later", "moved"] {
            // A case that failed left it.
            let _ = remove_all(&home.path().join(name));
        }
        furnish(&home.path().join("w"), &now);
        furnish(&home.path().join("later"), &later);
        run(use_workspace(&files, home.path(), &patterns));
        Ok(())
    });
    outcome.unwrap();
    let left: Vec<OsString> =
        std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}
