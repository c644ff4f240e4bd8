//! Directories that an operation makes on the way go with it when it fails.

use bytes::Bytes;
use sa_files::testing::{World, run};
use sa_files::{Existing, Files, FilesError, WriteOptions, Written};
use std::path::Path;

fn names(world: &World) -> Vec<String> {
    let entries = std::fs::read_dir(world.inside()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A path whose last name is longer than file systems take.
fn too_long(parents: &str) -> String {
    format!("{parents}/{}", "x".repeat(256))
}

async fn write(files: &Files, path: &str) -> Result<Written, FilesError> {
    let mut upload = files.write(path.as_ref(), WriteOptions::default()).await?;
    upload.push(Bytes::from_static(b"written")).await?;
    upload.finish().await
}

#[test]
fn a_refused_move_leaves_no_directories() {
    for by_steps in [false, true] {
        let world = World::new(by_steps);
        std::fs::write(world.inside().join("a"), "a").unwrap();
        for to in [too_long("m1/m2"), "m3/m4/..".to_owned(), format!("{}/m5", too_long("m6"))] {
            run(world.files.relocate("a".as_ref(), to.as_ref(), Existing::Keep)).unwrap_err();
            assert_eq!(names(&world), ["a"], "{to}");
        }
        run(world.files.relocate("a".as_ref(), "m1/m2/a".as_ref(), Existing::Keep)).unwrap();
        assert_eq!(names(&world), ["m1"]);
    }
}

#[test]
fn a_refused_directory_leaves_none_above_it() {
    let world = World::new(false);
    for path in [too_long("d1/d2"), format!("{}/d3", too_long("d4"))] {
        run(world.files.make_dir(path.as_ref())).unwrap_err();
        assert_eq!(names(&world), [""; 0], "{path}");
    }
    assert!(run(world.files.make_dir("d1/d2".as_ref())).unwrap().is_new);
    assert!(world.inside().join("d1/d2").is_dir());
}

#[test]
fn an_upload_that_fails_leaves_no_directories() {
    for by_steps in [false, true] {
        let world = World::new(by_steps);
        let error = run(write(&world.files, &too_long("u1/u2"))).unwrap_err();
        assert!(matches!(error, FilesError::Invalid(_)), "{error:?}");
        assert_eq!(names(&world), [""; 0]);
        run(async {
            let mut upload = world.files.write("u1/u2/f".as_ref(), WriteOptions::default()).await.unwrap();
            upload.push(Bytes::from_static(b"part")).await.unwrap();
        });
        assert_eq!(names(&world), [""; 0], "it broke off");
        assert!(run(write(&world.files, "u1/u2/f")).unwrap().is_new);
        assert_eq!(std::fs::read(world.inside().join("u1/u2/f")).unwrap(), b"written");
        world.check_tidy();
    }
}

#[test]
fn an_upload_through_a_dangling_link_makes_where_it_leads() {
    let world = World::new(false);
    std::os::unix::fs::symlink("new/deep/f", world.inside().join("link")).unwrap();
    run(write(&world.files, "link")).unwrap();
    assert_eq!(std::fs::read(world.inside().join("new/deep/f")).unwrap(), b"written");
}

/// One upload into a new directory breaks off, the others are not affected.
#[test]
fn uploads_into_the_same_new_directory_do_not_disturb_each_other() {
    let world = World::new(false);
    run(async {
        let begin = |path: &'static str| world.files.write(path.as_ref(), WriteOptions::default());
        let broken = begin("new/deep/broken").await.unwrap();
        let (one, two) = (begin("new/deep/one").await.unwrap(), begin("new/two").await.unwrap());
        drop(broken);
        one.finish().await.unwrap();
        two.finish().await.unwrap();
    });
    assert!(world.inside().join("new/deep/one").exists() && world.inside().join("new/two").exists());
    assert!(!world.inside().join("new/deep/broken").exists());
}

#[test]
fn a_directory_that_goes_during_an_upload_is_made_again() {
    let world = World::new(false);
    let directory = world.inside().join("d");
    std::fs::create_dir(&directory).unwrap();
    run(async {
        let mut upload = world.files.write("d/f".as_ref(), WriteOptions::default()).await.unwrap();
        upload.push(Bytes::from_static(b"written")).await.unwrap();
        // On a file system without unnamed files the draft keeps the directory, and this fails.
        let _ = std::fs::remove_dir(&directory);
        upload.finish().await.unwrap();
    });
    assert_eq!(std::fs::read(directory.join("f")).unwrap(), b"written");
    world.check_tidy();
}

#[test]
fn a_refused_archive_leaves_no_directories() {
    let world = World::new(false);
    let unpack = |path: &'static str, archive: Bytes| {
        let files = world.files.clone();
        async move {
            let mut unpacking = files.unpack(path.as_ref()).await?;
            unpacking.push(archive).await?;
            unpacking.finish().await
        }
    };
    run(unpack("a1/a2", Bytes::from(vec![1; 1024]))).unwrap_err();
    assert_eq!(names(&world), [""; 0]);
    run(unpack("a1/a2", Bytes::from(vec![0; 1024]))).unwrap();
    assert!(world.inside().join(Path::new("a1/a2")).is_dir(), "an archive may be empty");
}
