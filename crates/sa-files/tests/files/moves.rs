//! Moves: the entries that they replace, and those that they leave alone.

use sa_files::testing::{World, run};
use sa_files::{Existing, FilesError};
use std::path::Path;

fn fill(world: &World, names: &[&str]) {
    for name in names {
        let path = world.inside().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, name).unwrap();
    }
}

fn overwrite(world: &World, from: &str, to: &str) -> Result<(), FilesError> {
    run(world.files.relocate(from.as_ref(), to.as_ref(), Existing::Replace)).map(drop)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_directory_with_something_in_it_is_not_replaced() {
    for by_steps in [false, true] {
        let world = World::new(by_steps);
        fill(&world, &["file", "dir/a", "full/deep/f"]);
        for from in ["file", "dir"] {
            let outcome = overwrite(&world, from, "full");
            assert!(matches!(outcome, Err(FilesError::Conflict(_))), "{from}: {outcome:?}");
        }
        assert_eq!(text(&world.inside().join("full/deep/f")), "full/deep/f");
        assert_eq!(text(&world.inside().join("file")), "file");
        assert_eq!(text(&world.inside().join("dir/a")), "dir/a");
        world.check_tidy();
    }
}

#[test]
fn an_empty_directory_is_replaced_by_a_directory_only() {
    let world = World::new(false);
    fill(&world, &["file", "dir/a"]);
    let empty = world.inside().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let outcome = overwrite(&world, "file", "empty");
    assert!(matches!(outcome, Err(FilesError::Conflict(_))), "{outcome:?}");
    overwrite(&world, "dir", "empty").unwrap();
    assert_eq!(text(&empty.join("a")), "dir/a");
    assert!(!world.inside().join("dir").exists());
}

#[test]
fn a_file_is_replaced_by_a_file_and_by_a_directory() {
    let world = World::new(false);
    fill(&world, &["one", "two", "dir/a"]);
    overwrite(&world, "one", "two").unwrap();
    assert_eq!(text(&world.inside().join("two")), "one");
    overwrite(&world, "dir", "two").unwrap();
    assert_eq!(text(&world.inside().join("two/a")), "dir/a");
    world.check_tidy();
}

/// To another file system the source is copied, which replaces no more than a rename.
#[test]
fn the_same_holds_for_another_file_system() {
    use std::os::unix::fs::MetadataExt;
    let (memory, near) = (Path::new("/dev/shm"), tempfile::tempdir().unwrap());
    if !memory.is_dir() || memory.metadata().unwrap().dev() == near.path().metadata().unwrap().dev() {
        return;
    }
    let far = tempfile::tempdir_in(memory).unwrap();
    let options = sa_files::FilesOptions {
        workspace: Some(near.path().to_owned()),
        root: None,
        by_steps: false,
        limits: Default::default(),
    };
    let files = sa_files::Files::open(options).unwrap();
    std::fs::create_dir_all(far.path().join("full/deep")).unwrap();
    std::fs::create_dir(far.path().join("empty")).unwrap();
    std::fs::create_dir(near.path().join("dir")).unwrap();
    std::fs::write(near.path().join("dir/a"), "a").unwrap();
    let relocate = |to: &str| {
        let to = far.path().join(to);
        run(files.relocate("dir".as_ref(), to.as_os_str(), Existing::Replace))
    };
    let outcome = relocate("full");
    assert!(matches!(outcome, Err(FilesError::Conflict(_))), "{outcome:?}");
    assert!(far.path().join("full/deep").is_dir() && near.path().join("dir/a").exists());
    relocate("empty").unwrap();
    assert_eq!(text(&far.path().join("empty/a")), "a");
    assert_eq!(std::fs::read_dir(far.path()).unwrap().count(), 2, "no copy is left");
}
