//! Paths lead to the same place, resolved by the kernel or by us.

use futures_util::StreamExt;
use sa_files::testing::{SECRET, World, run};
use sa_files::{Files, FilesError};
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

async fn read(files: &Files, path: &str) -> Result<Vec<u8>, FilesError> {
    let mut stream = files.read(OsStr::new(path)).await?.into_stream();
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next().await {
        bytes.extend_from_slice(&piece.unwrap());
    }
    Ok(bytes)
}

#[test]
fn both_ways_lead_to_the_same_place() {
    for by_steps in [false, true] {
        let world = World::new(by_steps);
        let inside = world.inside();
        std::fs::create_dir_all(inside.join("a/b")).unwrap();
        std::fs::write(inside.join("file"), "inside").unwrap();
        for (name, target) in [
            ("relative", "a/b".to_owned()),
            ("absolute", inside.join("a").display().to_string()),
            ("a/b/up", "../../file".to_owned()),
            ("out", "../outside".to_owned()),
            ("far", world.outside().display().to_string()),
            ("dangling", "a/none".to_owned()),
            ("loop", "loop".to_owned()),
            ("root", "/".to_owned()),
        ] {
            symlink(target, inside.join(name)).unwrap();
        }
        for path in
            ["file", "./a/../file", "relative/up", "absolute/b/up", "relative/../../file", "absolute/../file"]
        {
            assert_eq!(run(read(&world.files, path)).unwrap(), b"inside", "{path}, by steps: {by_steps}");
        }
        for path in [
            "../outside/secret",
            "a/../../outside/secret",
            "out/secret",
            "far/secret",
            "root/etc/passwd",
            "..",
        ] {
            let refused = run(read(&world.files, path));
            assert!(
                matches!(refused, Err(FilesError::Outside(_))),
                "{path}, by steps: {by_steps}: {refused:?}"
            );
        }
        for path in ["none", "dangling", "a/none/../file"] {
            let missing = run(read(&world.files, path));
            assert!(
                matches!(missing, Err(FilesError::NotFound(_))),
                "{path}, by steps: {by_steps}: {missing:?}"
            );
        }
        let endless = run(read(&world.files, "loop"));
        assert!(matches!(endless, Err(FilesError::Invalid(_))), "by steps: {by_steps}: {endless:?}");
        let below = run(read(&world.files, "file/x"));
        assert!(matches!(below, Err(FilesError::Conflict(_))), "by steps: {by_steps}: {below:?}");
    }
}

/// The race of the kernel's resolution, against ours.
#[test]
fn swapping_links_gets_nobody_out_step_by_step() {
    let world = World::new(true);
    let inside = world.inside();
    std::fs::create_dir(inside.join("real")).unwrap();
    std::fs::write(inside.join("real/secret"), "inside").unwrap();
    symlink("real", inside.join("swap")).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for target in ["../outside", "real"] {
                    symlink(target, inside.join("next")).unwrap();
                    std::fs::rename(inside.join("next"), inside.join("swap")).unwrap();
                }
            }
        });
        let started = Instant::now();
        let (mut good, mut refused) = (0, 0);
        while started.elapsed() < Duration::from_secs(2) {
            match run(read(&world.files, "swap/secret")) {
                Ok(bytes) => {
                    assert_ne!(bytes, SECRET);
                    good += 1;
                }
                Err(_) => refused += 1,
            }
            let _ = run(world.files.make_dir(OsStr::new("swap/made/deep")));
        }
        stop.store(true, Ordering::Relaxed);
        assert!(good > 0 && refused > 0, "{good} good, {refused} refused");
    });
    world.check();
}
