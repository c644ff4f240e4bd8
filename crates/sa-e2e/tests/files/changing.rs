//! Making, removing and moving.

use crate::fs::{Fs, encode};
use anyhow::Result;
use sa_testkit::{Reply, Request};
use serde_json::json;
use std::os::unix::fs::symlink;

impl Fs {
    fn mkdir(&self, path: &str) -> Request {
        self.post("mkdir", path)
    }

    fn delete(&self, path: &str, recursive: bool) -> Request {
        let address = format!("/v1/fs/entry?path={}&recursive={recursive}", encode(path));
        self.daemon.http().delete(&address)
    }

    async fn relocate(&self, from: &str, to: &str, overwrite: bool) -> Result<Reply> {
        let body = json!({"from": from, "to": to, "overwrite": overwrite}).to_string();
        self.daemon.http().post("/v1/fs/move").json(body).send().await
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn fill(&self, names: &[&str]) {
        for name in names {
            let path = self.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name.as_bytes()).unwrap();
        }
    }
}

#[tokio::test]
async fn directories_are_made_with_those_above() -> Result<()> {
    let fs = Fs::start().await?;
    for status in [201, 200] {
        let answer = fs.mkdir("a/b/c").send().await?.expect_status(status)?.json()?;
        assert_eq!(answer["path"], fs.path("a/b/c").to_str().unwrap());
    }
    assert!(fs.path("a/b/c").is_dir());
    fs.fill(&["file"]);
    fs.mkdir("file").send().await?.expect_problem(409, "conflict")?;
    fs.mkdir("file/below").send().await?.expect_problem(409, "conflict")?;
    symlink("a", fs.path("link"))?;
    fs.mkdir("link/d").send().await?.expect_status(201)?;
    assert!(fs.path("a/d").is_dir());
    Ok(())
}

#[tokio::test]
async fn removing_takes_links_as_they_are_and_full_directories_only_when_told() -> Result<()> {
    let fs = Fs::start().await?;
    fs.fill(&["keep/file", "tree/a/b/c", "tree/d", "file"]);
    symlink("../keep", fs.path("tree/a/link"))?;
    symlink("nowhere", fs.path("dangling"))?;
    symlink("keep", fs.path("to-keep"))?;
    for name in ["file", "dangling", "to-keep"] {
        let answer = fs.delete(name, false).send().await?.expect_status(200)?.json()?;
        assert_eq!(answer["path"], fs.path(name).to_str().unwrap());
    }
    fs.delete("file", false).send().await?.expect_problem(404, "not_found")?;
    fs.delete("tree", false).send().await?.expect_problem(409, "conflict")?;
    fs.delete("tree", true).send().await?.expect_status(200)?;
    fs.mkdir("empty").send().await?.expect_status(201)?;
    fs.delete("empty", false).send().await?.expect_status(200)?;
    assert_eq!(fs.names("."), ["data", "keep"]);
    assert_eq!(fs.names("keep"), ["file"]);
    for nameless in [".", "keep/..", "/"] {
        fs.delete(nameless, true).send().await?.expect_problem(400, "invalid_request")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_tree_deeper_than_descriptors_go_is_removed() -> Result<()> {
    let fs = Fs::start().await?;
    // Too deep for one path: each level is made from within the one above.
    let script =
        "mkdir deep; cd deep; i=0; while [ $i -lt 300 ]; do mkdir $0; cd -P $0; : > f; i=$((i+1)); done";
    let mut sh = std::process::Command::new("sh");
    let made = sh.args(["-c", script, &"d".repeat(200)]).current_dir(&fs.home).status()?;
    assert!(made.success());
    fs.delete("deep", true).send().await?.expect_status(200)?;
    assert_eq!(fs.names("."), ["data"]);
    Ok(())
}

#[tokio::test]
async fn files_and_directories_are_moved() -> Result<()> {
    let fs = Fs::start().await?;
    fs.fill(&["file", "dir/inside", "other"]);
    let answer = fs.relocate("file", "new/place/file", false).await?.expect_status(200)?.json()?;
    assert_eq!(answer["from"], fs.path("file").to_str().unwrap());
    assert_eq!(answer["to"], fs.path("new/place/file").to_str().unwrap());
    assert_eq!(fs.text("new/place/file"), "file");
    fs.relocate("dir", "moved", false).await?.expect_status(200)?;
    assert_eq!(fs.text("moved/inside"), "dir/inside");
    symlink("nowhere", fs.path("link"))?;
    fs.relocate("link", "link2", false).await?.expect_status(200)?;
    assert_eq!(std::fs::read_link(fs.path("link2"))?.to_str(), Some("nowhere"));
    fs.relocate("other", "moved/inside", false).await?.expect_problem(409, "conflict")?;
    assert_eq!((fs.text("other"), fs.text("moved/inside")), ("other".to_owned(), "dir/inside".to_owned()));
    fs.relocate("other", "moved/inside", true).await?.expect_status(200)?;
    assert_eq!(fs.text("moved/inside"), "other");
    assert_eq!(fs.names("."), ["data", "link2", "moved", "new"]);
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_moved_destroys_nothing() -> Result<()> {
    let fs = Fs::start().await?;
    fs.fill(&["target", "dir/deep/file", "self"]);
    fs.relocate("missing", "target", true).await?.expect_problem(404, "not_found")?;
    assert_eq!(fs.text("target"), "target");
    for overwrite in [false, true] {
        fs.relocate("self", "./self", overwrite).await?.expect_status(200)?;
        fs.relocate("dir", "dir/../dir", overwrite).await?.expect_status(200)?;
    }
    assert_eq!((fs.text("self"), fs.text("dir/deep/file")), ("self".to_owned(), "dir/deep/file".to_owned()));
    symlink("dir/deep", fs.path("way-in"))?;
    for to in ["dir/deep/new", "dir/new/newer", "way-in/new/newer"] {
        fs.relocate("dir", to, true).await?.expect_problem(409, "conflict")?;
    }
    assert_eq!(fs.names("dir/deep"), ["file"], "nothing was made on the way");
    fs.relocate("target", "self/below", true).await?.expect_problem(409, "conflict")?;
    fs.relocate(".", "elsewhere", true).await?.expect_problem(400, "invalid_request")?;
    fs.daemon
        .http()
        .post("/v1/fs/move")
        .json("{\"from\":1}")
        .send()
        .await?
        .expect_problem(400, "invalid_request")?;
    fs.daemon
        .http()
        .post("/v1/fs/move")
        .body("x")
        .send()
        .await?
        .expect_problem(415, "unsupported_media_type")?;
    Ok(())
}

#[tokio::test]
async fn overwriting_replaces_files_and_empty_directories_and_both_names_of_one_file() -> Result<()> {
    let fs = Fs::start().await?;
    fs.fill(&["new/a", "full/b", "full/c/d", "file", "one"]);
    for from in ["new", "file"] {
        fs.relocate(from, "full", true).await?.expect_problem(409, "conflict")?;
    }
    assert_eq!(fs.text("full/c/d"), "full/c/d");
    fs.mkdir("empty").send().await?.expect_status(201)?;
    fs.relocate("file", "empty", true).await?.expect_problem(409, "conflict")?;
    fs.relocate("new", "empty", true).await?.expect_status(200)?;
    assert_eq!(fs.names("empty"), ["a"]);
    fs.relocate("full", "file", true).await?.expect_status(200)?;
    assert_eq!(fs.names("file"), ["b", "c"]);
    std::fs::hard_link(fs.path("one"), fs.path("two"))?;
    fs.relocate("one", "two", true).await?.expect_status(200)?;
    assert_eq!(fs.names("."), ["data", "empty", "file", "two"]);
    Ok(())
}

#[tokio::test]
async fn another_file_system_is_no_obstacle() -> Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let fs = Fs::start().await?;
    let shm = std::path::Path::new("/dev/shm");
    if !shm.is_dir() || shm.metadata()?.dev() == fs.home.metadata()?.dev() {
        return Ok(());
    }
    let name = format!("sandbox-agent-test-{}", std::process::id());
    let far = shm.join(&name);
    fs.fill(&["tree/a/file", "tree/b"]);
    symlink("a/file", fs.path("tree/link"))?;
    std::fs::set_permissions(fs.path("tree/b"), std::fs::Permissions::from_mode(0o751))?;
    std::fs::set_permissions(fs.path("tree/a"), std::fs::Permissions::from_mode(0o500))?;
    let modified = std::fs::metadata(fs.path("tree/b"))?.mtime_nsec();
    let there = fs.relocate("tree", far.to_str().unwrap(), false).await;
    let moved_mode = std::fs::metadata(far.join("b")).map(|file| (file.mode() & 0o777, file.mtime_nsec()));
    let back = fs.relocate(far.to_str().unwrap(), "back", true).await;
    let left = far.exists();
    let _ = std::fs::remove_dir_all(&far);
    there?.expect_status(200)?;
    back?.expect_status(200)?;
    assert_eq!(moved_mode?, (0o751, modified));
    assert!(!left && !fs.path("tree").exists());
    assert_eq!(fs.text("back/link"), "tree/a/file");
    assert_eq!(fs.names("."), ["back", "data"]);
    Ok(())
}
