//! Whatever lies in a source of skills, placing them ends, without a panic and without taking the process down.
//!
//! `SA_CASES` says how many sources are tried.

use crate::stage::{Stage, local, place};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat};
use sa_skills::{SkillsLimits, SkillsOptions};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

/// Something in a source.
#[derive(Debug, Clone)]
enum Thing {
    /// A `SKILL.md` with that text.
    Mark(Vec<u8>),
    Skill(u8),
    /// A pipe where a `SKILL.md` would be.
    Pipe,
    Link(&'static str, &'static str),
    /// As many directories inside each other.
    Deep(usize),
    Name(Vec<u8>),
    /// A file of that size without contents.
    Sparse(u64),
    Many(usize),
    /// The following entries are in a new directory.
    Below,
}

fn front_matter() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(
        &[
            "---\n",
            "---",
            "name:",
            "name: a\n",
            "description: x\n",
            "../",
            "\"",
            "'",
            "{{{{",
            "\0",
            "\u{feff}",
            "\n",
        ][..],
    );
    let repeated = (piece, prop_oneof![8 => 1..3_usize, 1 => 1..30_000_usize])
        .prop_map(|(piece, times)| piece.repeat(times).into_bytes());
    prop_oneof![
        4 => prop::collection::vec(repeated, 0..8).prop_map(|pieces| pieces.concat()),
        1 => prop::collection::vec(any::<u8>(), 0..300),
    ]
}

fn thing() -> impl Strategy<Value = Thing> {
    let targets = ["..", ".", "self", "/", "nowhere", "../../..", "SKILL.md"];
    let links = prop::sample::select(&["self", "SKILL.md", "other"][..]);
    let name = prop::collection::vec((1..=255_u8).prop_filter("no slash", |byte| *byte != b'/'), 1..30);
    prop_oneof![
        3 => front_matter().prop_map(Thing::Mark),
        2 => any::<u8>().prop_map(Thing::Skill),
        1 => Just(Thing::Pipe),
        3 => (links, prop::sample::select(targets.to_vec())).prop_map(|(name, target)| Thing::Link(name, target)),
        1 => prop_oneof![6 => 1..10_usize, 1 => 200..400_usize].prop_map(Thing::Deep),
        2 => name.prop_map(Thing::Name),
        1 => prop_oneof![0..10_000_u64, Just(1 << 40)].prop_map(Thing::Sparse),
        1 => (1..80_usize).prop_map(Thing::Many),
        3 => Just(Thing::Below),
    ]
}

/// Puts things into a directory, as far as the system takes them.
fn furnish(directory: &Path, things: &[Thing]) {
    let mut here = directory.to_owned();
    fs::create_dir_all(&here).unwrap();
    for (number, thing) in things.iter().enumerate() {
        let path = here.join(format!("t{number}"));
        match thing {
            Thing::Mark(text) => {
                // A pipe or a link of an earlier thing.
                let _ = fs::remove_file(here.join("SKILL.md"));
                fs::write(here.join("SKILL.md"), text).unwrap();
            }
            Thing::Skill(name) => {
                fs::create_dir(&path).unwrap();
                let text = format!("---\nname: s{name}\ndescription: x\n---\n");
                fs::write(path.join("SKILL.md"), text).unwrap();
            }
            Thing::Pipe => {
                let _ = mknodat(CWD, here.join("SKILL.md"), FileType::Fifo, Mode::RWXU, 0);
            }
            Thing::Link(name, target) => drop(symlink(target, here.join(name))),
            Thing::Deep(depth) => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
                fs::create_dir(&path).unwrap();
                let mut inner = openat(CWD, &path, flags, Mode::empty()).unwrap();
                for _ in 0..*depth {
                    mkdirat(&inner, "d", Mode::RWXU).unwrap();
                    inner = openat(&inner, "d", flags, Mode::empty()).unwrap();
                }
            }
            Thing::Name(name) => drop(fs::create_dir(here.join(OsStr::from_bytes(name)))),
            Thing::Sparse(size) => fs::File::create(&path).unwrap().set_len(*size).unwrap(),
            Thing::Many(count) => {
                for entry in 0..*count {
                    fs::create_dir(here.join(format!("m{number}-{entry}"))).unwrap();
                }
            }
            Thing::Below => {
                fs::create_dir(&path).unwrap();
                here = path;
            }
        }
    }
}

#[test]
fn placing_ends_whatever_a_source_holds() {
    let cases = std::env::var("SA_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stage = Stage::new();
    let limits = SkillsLimits { source_bytes: 1 << 20, source_files: 500, ..SkillsLimits::default() };
    let [linked, copied] = [false, true].map(|copies| {
        let _guard = runtime.enter();
        stage.skills_with(SkillsOptions { copies, limits: limits.clone(), ..SkillsOptions::default() })
    });
    let config = ProptestConfig { cases, max_shrink_iters: 50, ..ProptestConfig::default() };
    let strategy = prop::collection::vec(thing(), 0..10);
    let outcome = TestRunner::new(config).run(&strategy, |things| {
        furnish(&stage.path("source"), &things);
        let source = stage.path("source").display().to_string();
        runtime.block_on(async {
            for skills in [&linked, &copied] {
                let placed =
                    tokio::time::timeout(Duration::from_secs(20), place(&stage, skills, local(&source)));
                // The call succeeds or fails with a reason; a panic would end the task.
                if let Err(error) = placed.await.expect("it ends") {
                    assert!(!error.to_string().contains("a task that works on the disk"), "{error}");
                }
                skills.release("s").await.unwrap();
            }
        });
        assert!(stage.placed(".claude").is_empty(), "{:?}", stage.placed(".claude"));
        sa_disk::remove_all(&stage.path("source")).unwrap();
        Ok(())
    });
    outcome.unwrap();
}
