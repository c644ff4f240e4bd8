//! Several processes on one directory, processes that are killed, and disks that are full.
#![allow(clippy::unwrap_used)]

mod scene;

use sa_agents::{AgentSpec, Unpack};
use sa_api::InstallEvent;
use sa_install::{InstallError, Installer};
use sa_testkit::mirror::{Entry, Fault, program_of_size, tar_gz};
use sa_testkit::{until, until_some};
use scene::{Scene, agent, asking, names, options, said};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const DATA: &str = "SA_INSTALL_TEST_DATA";
const MIRROR: &str = "SA_INSTALL_TEST_MIRROR";
const KILLS: u32 = 36;

/// Returns an archive, so that there is something to be killed in after the download, too.
fn spec() -> AgentSpec {
    agent("tool", "tool.tar.gz", Unpack::default())
}

fn archive() -> Vec<u8> {
    let mut files = vec![Entry::program("tool", program_of_size("tool", "1.0.0", 1 << 20))];
    files.extend((0..40).map(|n| Entry::file(format!("lib/{n}"), vec![b'x'; 20_000])));
    tar_gz(&files).unwrap()
}

async fn scene() -> Scene {
    let scene = Scene::new().await;
    scene.publish_file("tool.tar.gz", "1.0.0", archive());
    scene
}

/// Runs in the other processes: this same test binary, with the directory to install to.
#[tokio::test]
async fn child() {
    let (Some(data), Some(mirror)) = (std::env::var_os(DATA), std::env::var(MIRROR).ok()) else { return };
    let installer = Installer::new(options(Path::new(&data), &mirror));
    match installer.install(&spec(), asking("1.0.0")).outcome().await {
        Ok(installed) => println!("[installed, new: {}]", !installed.already_installed),
        Err(InstallError::DiskFull { .. }) => println!("[full]"),
        Err(other) => println!("[failed: {other}]"),
    }
}

fn child_command(scene: &Scene, data: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    told(&mut command, scene, data).args(["--exact", "child", "--nocapture"]);
    command
}

fn told<'a>(command: &'a mut Command, scene: &Scene, data: &Path) -> &'a mut Command {
    command.env(DATA, data).env(MIRROR, scene.mirror.url()).stdout(Stdio::piped()).stderr(Stdio::null())
}

async fn outcome_of(child: Child) -> String {
    let output = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap()).await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, told) = text.split_once('[').unwrap();
    told.split_once(']').unwrap().0.to_owned()
}

/// The version is there, as it was published, and nothing else is.
fn assert_clean(data: &Path) {
    let version = data.join("agents/tool/1.0.0");
    assert_eq!(names(&data.join("agents/tool")), [".lock", "1.0.0", "current"]);
    assert_eq!(names(&version), ["installed.json", "lib", "tool"]);
    assert_eq!(names(&version.join("lib")).len(), 40);
    assert_eq!(fs::read(version.join("tool")).unwrap(), program_of_size("tool", "1.0.0", 1 << 20));
}

#[tokio::test]
async fn ten_processes_install_once() {
    let scene = scene().await;
    scene.mirror.fault("/files.example/1.0.0/tool.tar.gz", Fault::Slow(50_000, Duration::from_millis(10)));
    let children: Vec<Child> =
        (0..10).map(|_| child_command(&scene, scene.data.path()).spawn().unwrap()).collect();
    let mut outcomes = Vec::new();
    for child in children {
        outcomes.push(outcome_of(child).await);
    }
    outcomes.sort();
    assert_eq!(outcomes[..9], vec!["installed, new: false"; 9]);
    assert_eq!(outcomes[9], "installed, new: true");
    assert_eq!(scene.mirror.requests_of("/files.example/1.0.0/tool.tar.gz").len(), 1);
    assert_clean(scene.data.path());
}

#[tokio::test]
async fn a_killed_process_frees_the_lock_and_its_bytes_are_used() {
    let scene = scene().await;
    let file = "/files.example/1.0.0/tool.tar.gz";
    scene.mirror.fault_times(file, Fault::HangAfter(300_000), 1);
    let mut child = child_command(&scene, scene.data.path()).spawn().unwrap();
    let partial = scene.agent_dir().join(".partial");
    until("the first bytes", || {
        let files = names(&partial);
        files.iter().any(|name| fs::metadata(partial.join(name)).is_ok_and(|is| is.len() >= 1 << 18))
    })
    .await
    .unwrap();
    let installer = scene.installer();
    let mut job = installer.install(&spec(), asking("1.0.0"));
    while job.next().await.unwrap() != InstallEvent::Waiting {}
    assert_eq!(installer.versions("tool").unwrap(), []);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!job.outcome().await.unwrap().already_installed);
    let ranges: Vec<_> = scene.mirror.requests_of(file).into_iter().map(|request| request.range).collect();
    assert_eq!(ranges.len(), 2);
    assert!(ranges[1].is_some());
    assert_clean(scene.data.path());
}

#[tokio::test]
async fn a_kill_at_any_moment_leaves_nothing_half_installed() {
    let scene = scene().await;
    scene.mirror.fault("/files.example/1.0.0/tool.tar.gz", Fault::Slow(100_000, Duration::from_millis(3)));
    let started = Instant::now();
    let whole = tempfile::TempDir::new().unwrap();
    assert_eq!(
        outcome_of(child_command(&scene, whole.path()).spawn().unwrap()).await,
        "installed, new: true"
    );
    let duration = started.elapsed();
    let moments: Vec<u32> = (0..KILLS).collect();
    let mut left = Vec::new();
    for together in moments.chunks(4) {
        let rounds = together.iter().map(|moment| kill_after(&scene, duration * *moment / KILLS));
        left.extend(futures_util::future::join_all(rounds).await);
    }
    let unfinished = left.iter().filter(|left| **left != Left::Version).count();
    let half = left.iter().filter(|left| **left == Left::Something).count();
    assert!(unfinished >= left.len() / 3 && half > 0, "the kills came too early or too late: {left:?}");
}

/// The remains of a killed process.
#[derive(Debug, PartialEq, Eq)]
enum Left {
    Nothing,
    Something,
    Version,
}

/// Kills an installation after a while; what it leaves is whole or not listed, and the next attempt succeeds.
async fn kill_after(scene: &Scene, pause: Duration) -> Left {
    let data = tempfile::TempDir::new().unwrap();
    let mut child = child_command(scene, data.path()).spawn().unwrap();
    tokio::time::sleep(pause).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let installer = Installer::new(options(data.path(), &scene.mirror.url()));
    let listed = installer.versions("tool").unwrap().len();
    let left = match installer.find(&spec(), None).unwrap() {
        Some(found) => {
            assert_eq!((said(&found.program).as_str(), listed), ("tool 1.0.0", 1));
            Left::Version
        }
        None => {
            assert_eq!(listed, 0);
            let nothing = names(&data.path().join("agents/tool")).is_empty();
            if nothing { Left::Nothing } else { Left::Something }
        }
    };
    let installed = installer.install(&spec(), asking("1.0.0")).outcome().await.unwrap();
    assert_eq!(installed.already_installed, left == Left::Version);
    assert_clean(data.path());
    left
}

/// Kills at the steps that are too short to be hit by chance.
#[tokio::test]
async fn a_kill_at_each_step_leaves_nothing_half_installed() {
    let scene = scene().await;
    type Seen = fn(&Path) -> bool;
    let steps: [(&str, Seen); 6] = [
        ("the lock", |agent| agent.join(".lock").exists()),
        ("a part", |agent| !names(&agent.join(".partial")).is_empty()),
        ("a staging directory", |agent| staging(agent).is_some()),
        ("unpacked files", |agent| staging(agent).is_some_and(|path| names(&path.join("lib")).len() > 5)),
        ("the receipt", |agent| staging(agent).is_some_and(|path| path.join("installed.json").exists())),
        ("the version", |agent| agent.join("1.0.0").exists()),
    ];
    for (what, seen) in steps {
        let data = tempfile::TempDir::new().unwrap();
        let agent_dir = data.path().join("agents/tool");
        let mut child = child_command(&scene, data.path()).spawn().unwrap();
        // It may have come and gone between two looks.
        let mut look = || (seen(&agent_dir) || child.try_wait().unwrap().is_some()).then_some(());
        until_some(what, &mut look).await.unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let installer = Installer::new(options(data.path(), &scene.mirror.url()));
        if let Some(found) = installer.find(&spec(), None).unwrap() {
            assert_eq!(said(&found.program), "tool 1.0.0", "{what}");
        }
        installer.install(&spec(), asking("1.0.0")).outcome().await.unwrap();
        assert_clean(data.path());
    }
}

fn staging(agent: &Path) -> Option<std::path::PathBuf> {
    names(agent).into_iter().find(|name| name.starts_with(".staging-")).map(|name| agent.join(name))
}

/// Limits the size of one file for a process, which gets an error instead of a signal: the nearest thing to a full
/// disk that any user can make.
async fn install_with_little_room(scene: &Scene, blocks: u32) -> String {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" --exact child --nocapture");
    let mut command = Command::new("sh");
    told(&mut command, scene, scene.data.path()).arg("-c").arg(script).arg(std::env::current_exe().unwrap());
    outcome_of(command.spawn().unwrap()).await
}

#[tokio::test]
async fn a_disk_that_is_full_while_it_downloads_is_reported() {
    let scene = scene().await;
    assert_eq!(install_with_little_room(&scene, 200).await, "full");
    assert_eq!(scene.names(), [".lock"]);
    assert_eq!(scene.installer().versions("tool").unwrap(), []);
    scene.installer().install(&spec(), asking("1.0.0")).outcome().await.unwrap();
    assert_clean(scene.data.path());
}

#[tokio::test]
async fn a_disk_that_is_full_while_it_unpacks_is_reported() {
    let scene = Scene::new().await;
    let files = [
        Entry::program("tool", program_of_size("tool", "1.0.0", 1000)),
        Entry::file("zeros", vec![0; 4 << 20]),
    ];
    scene.publish_file("tool.tar.gz", "1.0.0", tar_gz(&files).unwrap());
    assert_eq!(install_with_little_room(&scene, 500).await, "full");
    assert_eq!(scene.names(), [".lock"]);
    assert_eq!(scene.installer().versions("tool").unwrap(), []);
}
