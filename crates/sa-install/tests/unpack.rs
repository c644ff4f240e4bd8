//! Archives, also those whose author means harm.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod scene;

use flate2::Compression;
use flate2::write::GzEncoder;
use sa_agents::Unpack;
use sa_install::InstallError;
use sa_testkit::mirror::{Entry, program, tar_bz2, tar_gz, zip};
use scene::{Scene, agent, asking, names, said};
use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::fs::PermissionsExt;
use tar::{EntryType, Header};

/// A tarball with arbitrary headers.
struct Tarball(tar::Builder<GzEncoder<Vec<u8>>>);

impl Tarball {
    fn new() -> Self {
        Self(tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()))).file("tool", 0o755)
    }

    fn file(self, name: &str, mode: u32) -> Self {
        self.add(EntryType::Regular, name, "", mode, &program("tool", "1.0.0"))
    }

    fn symlink(self, name: &str, target: &str) -> Self {
        self.add(EntryType::Symlink, name, target, 0o777, b"")
    }

    fn hard_link(self, name: &str, target: &str) -> Self {
        self.add(EntryType::Link, name, target, 0o644, b"")
    }

    fn add(mut self, kind: EntryType, name: &str, target: &str, mode: u32, bytes: &[u8]) -> Self {
        let mut header = Header::new_gnu();
        let fields = header.as_gnu_mut().unwrap();
        fields.name[..name.len()].copy_from_slice(name.as_bytes());
        fields.linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        self.0.append(&header, bytes).unwrap();
        self
    }

    fn bytes(self) -> Vec<u8> {
        self.0.into_inner().unwrap().finish().unwrap()
    }
}

/// Installs an archive; the scene stays to look at.
async fn install(file: &str, bytes: Vec<u8>, unpack: Unpack) -> (Scene, Result<String, String>) {
    let scene = Scene::new().await;
    scene.publish_file(file, "1.0.0", bytes);
    let spec = agent("tool", file, unpack);
    let outcome = match scene.installer().install(&spec, asking("1.0.0")).outcome().await {
        Ok(installed) => Ok(installed.receipt.entry),
        Err(InstallError::NoSource { attempts, .. }) => Err(attempts[0].reason.clone()),
        Err(other) => panic!("{other}"),
    };
    (scene, outcome)
}

async fn assert_refused(what: &str, file: &str, bytes: Vec<u8>, words: &str) {
    let (scene, outcome) = install(file, bytes, Unpack::default()).await;
    let reason = outcome.expect_err(what);
    assert!(reason.contains(words), "{what}: {reason}");
    assert_eq!(scene.names(), [".lock"], "{what}");
    assert_eq!(names(scene.data.path()), ["agents"], "{what}");
    assert_eq!(names(&scene.data.path().join("agents")), ["tool"], "{what}");
}

#[tokio::test]
async fn each_format_gives_the_program() {
    let files = [Entry::file("README", "read me"), Entry::program("tool", program("tool", "1.0.0"))];
    let archives = [
        ("tool.tar.gz", tar_gz(&files).unwrap()),
        ("tool.tgz", tar_gz(&files).unwrap()),
        ("tool.tar.bz2", tar_bz2(&files).unwrap()),
        ("tool.zip", zip(&files).unwrap()),
    ];
    for (file, bytes) in archives {
        let (scene, outcome) = install(file, bytes, Unpack::default()).await;
        assert_eq!(outcome.as_deref(), Ok("tool"), "{file}");
        let version = scene.agent_dir().join("1.0.0");
        assert_eq!(said(&version.join("tool")), "tool 1.0.0", "{file}");
        assert_eq!(names(&version), ["README", "installed.json", "tool"], "{file}");
    }
}

#[tokio::test]
async fn only_what_the_recipe_keeps_is_written() {
    let long = format!("package/vendor/x86/{}/file", "long".repeat(40));
    let files = [
        Entry::file("package/package.json", "{}"),
        Entry::program("package/vendor/x86/tool", program("tool", "1.0.0")),
        Entry::program("package/vendor/x86/lib/helper", program("helper", "1")),
        Entry::file("package/vendor/x86/lib/data", "data"),
        Entry::file("package/vendor/x86/voice/model", "large"),
        Entry::file(long, "a name that needs a header of its own"),
    ];
    let unpack =
        Unpack { beneath: "package/vendor/*".to_owned(), only: vec![], except: vec!["voice".to_owned()] };
    let (scene, outcome) = install("tool.tar.gz", tar_gz(&files).unwrap(), unpack).await;
    outcome.unwrap();
    let version = scene.agent_dir().join("1.0.0");
    assert_eq!(names(&version), ["installed.json", "lib", &"long".repeat(40), "tool"]);
    let mode = |name: &str| fs::metadata(version.join(name)).unwrap().permissions().mode() & 0o111;
    assert_ne!(mode("lib/helper"), 0);
    assert_eq!(mode("lib/data"), 0);
}

#[tokio::test]
async fn the_program_is_made_executable_and_links_within_are_kept() {
    let archive = Tarball(tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast())))
        .add(EntryType::Directory, "bin/", "", 0o755, b"")
        .file("bin/real", 0o600)
        .symlink("tool", "./bin/real")
        .symlink("bin/back", "../tool")
        .hard_link("bin/same", "bin/real")
        .bytes();
    let (scene, outcome) = install("tool.tar.gz", archive, Unpack::default()).await;
    assert_eq!(outcome.as_deref(), Ok("tool"));
    for name in ["tool", "bin/back", "bin/same"] {
        assert_eq!(said(&scene.agent_dir().join("1.0.0").join(name)), "tool 1.0.0");
    }
}

#[tokio::test]
async fn a_tarball_cannot_reach_outside() {
    let device = |kind| Tarball::new().add(kind, "odd", "", 0o644, b"").bytes();
    let outside = "out of the directory";
    let cases = [
        ("an absolute path", Tarball::new().file("/etc/owned", 0o644).bytes(), "an absolute path"),
        ("a step up", Tarball::new().file("a/../../owned", 0o644).bytes(), "leaves the directory"),
        ("an absolute link", Tarball::new().symlink("a", "/etc").bytes(), outside),
        ("a link up", Tarball::new().symlink("a/b", "../../x").bytes(), outside),
        ("a link to above", Tarball::new().symlink("a", "..").bytes(), outside),
        ("a link up later", Tarball::new().symlink("a/b", "c/../../../x").bytes(), outside),
        (
            "links that together lead out",
            Tarball::new().symlink("x/y/up", "../..").symlink("x/y/out", "up/../owned").bytes(),
            outside,
        ),
        (
            "a file through a link",
            Tarball::new().symlink("a", "b").file("a/owned", 0o644).bytes(),
            "as a directory and as something else",
        ),
        ("a file in place of a link", Tarball::new().symlink("a", "b").file("a", 0o644).bytes(), "twice"),
        ("the same file twice", Tarball::new().file("tool", 0o755).bytes(), "twice"),
        ("a file as a directory", Tarball::new().file("tool/x", 0o644).bytes(), "as a directory"),
        ("a second name from outside", Tarball::new().hard_link("a", "/etc/passwd").bytes(), "absolute"),
        ("a second name of nothing", Tarball::new().hard_link("a", "b").bytes(), "that is not there"),
        (
            "a second name of a link",
            Tarball::new().symlink("a", "b").hard_link("c", "a").bytes(),
            "that is not there",
        ),
        ("a program of root's", Tarball::new().file("su", 0o4755).bytes(), "as another user"),
        ("a character device", device(EntryType::Char), "neither a file"),
        ("a block device", device(EntryType::Block), "neither a file"),
        ("a pipe", device(EntryType::Fifo), "neither a file"),
    ];
    for (what, archive, words) in cases {
        assert_refused(what, "tool.tar.gz", archive, words).await;
    }
}

#[tokio::test]
async fn a_long_name_cannot_reach_outside_either() {
    let long = format!("{}/../../../owned\0", "a".repeat(120));
    let gnu = Tarball::new()
        .add(EntryType::GNULongName, "././@LongLink", "", 0o644, long.as_bytes())
        .file("harmless", 0o644)
        .bytes();
    assert_refused("a GNU name", "tool.tar.gz", gnu, "leaves the directory").await;
    let record = "30 linkpath=../../../../owned\n";
    assert_eq!(record.len(), 30);
    let pax = Tarball::new()
        .add(EntryType::XHeader, "pax", "", 0o644, record.as_bytes())
        .symlink("a", "harmless")
        .bytes();
    assert_refused("a pax link", "tool.tar.gz", pax, "out of the directory").await;
    let huge = vec![b'a'; 1 << 20];
    let bomb = Tarball::new().add(EntryType::GNULongName, "x", "", 0o644, &huge).file("b", 0o644).bytes();
    assert_refused("an endless name", "tool.tar.gz", bomb, "a name is too long").await;
}

#[tokio::test]
async fn a_zip_cannot_reach_outside() {
    let archive = |name: &str, mode: u32, bytes: &[u8]| {
        let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = ::zip::write::SimpleFileOptions::default();
        writer.start_file("tool", options.unix_permissions(0o755)).unwrap();
        writer.write_all(&program("tool", "1.0.0")).unwrap();
        match mode & 0o170_000 {
            0o120_000 => writer.add_symlink(name, std::str::from_utf8(bytes).unwrap(), options).unwrap(),
            _ => {
                writer.start_file(name, options.unix_permissions(mode)).unwrap();
                writer.write_all(bytes).unwrap();
            }
        }
        writer.finish().unwrap().into_inner()
    };
    let cases = [
        ("a step up", archive("../owned", 0o644, b"x"), "leaves the directory"),
        ("a link out", archive("a", 0o120_777, b"../x"), "out of the directory"),
        ("an absolute link", archive("a", 0o120_777, b"/etc/passwd"), "out of the directory"),
    ];
    for (what, bytes, words) in cases {
        assert_refused(what, "tool.zip", bytes, words).await;
    }
}

#[tokio::test]
async fn an_archive_cannot_swell_without_end() {
    let zeros = vec![0; 18 << 20];
    let bomb = Tarball::new().add(EntryType::Regular, "zeros", "", 0o644, &zeros).bytes();
    assert!(bomb.len() < 1 << 20);
    assert_refused("a tarball", "tool.tar.gz", bomb.clone(), "swells").await;
    let unpack = Unpack { only: vec!["tool".to_owned()], ..Unpack::default() };
    let (_, skipped) = install("tool.tar.gz", bomb, unpack).await;
    assert!(skipped.unwrap_err().contains("swells"), "also what is not kept has to be read");
    let files = [Entry::program("tool", program("tool", "1.0.0")), Entry::file("zeros", zeros)];
    assert_refused("a zip", "tool.zip", zip(&files).unwrap(), "swells").await;
}

#[tokio::test]
async fn broken_and_wrong_archives_are_reported() {
    let whole = tar_gz(&[Entry::program("tool", program("tool", "1.0.0"))]).unwrap();
    let cut = whole[..whole.len() - 6].to_vec();
    assert_refused("a cut tarball", "tool.tar.gz", cut, "the archive is broken").await;
    assert_refused("no tarball", "tool.tar.gz", b"<html>".to_vec(), "the archive is broken").await;
    assert_refused("no zip", "tool.zip", b"<html>".to_vec(), "the archive is broken").await;
    let other = tar_gz(&[Entry::program("gadget", program("gadget", "1.0.0"))]).unwrap();
    let (scene, outcome) = install("tool.tar.gz", other, Unpack::default()).await;
    assert!(outcome.unwrap_err().ends_with("holds none of tool"));
    assert_eq!(scene.installer().versions("tool").unwrap(), []);
}
