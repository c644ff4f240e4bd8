//! The installer as its callers see it.
#![allow(clippy::unwrap_used)]

mod scene;

use sa_agents::{AgentSpec, Platform, Unpack};
use sa_api::{InstallEvent, InstallSource};
use sa_install::{InstallError, InstallRequest, Origin, Preinstall};
use sa_testkit::mirror::{Entry, Fault, program, tar_gz};
use sa_testkit::until;
use scene::{Scene, agent, asking, said, shipped, tool, unvouched_tool};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tempfile::TempDir;
use url::Url;

#[tokio::test]
async fn ten_who_ask_at_once_share_one_download() {
    let scene = Scene::with("1.0.0").await;
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::Slow(1 << 20, Duration::from_millis(50)));
    let installer = scene.installer();
    let mut jobs: Vec<_> = (0..10).map(|_| installer.install(&tool(), asking("1.0.0"))).collect();
    for job in &mut jobs {
        assert!(!job.outcome().await.unwrap().already_installed);
    }
    assert_eq!(scene.mirror.requests_of(&Scene::file("1.0.0")).len(), 1);
    // Ten installers know nothing of each other; the lock does.
    let others: Vec<_> = (0..10).map(|_| scene.installer()).collect();
    scene.publish("2.0.0");
    let mut jobs: Vec<_> = others.iter().map(|other| other.install(&tool(), asking("2.0.0"))).collect();
    let mut new = 0;
    for job in &mut jobs {
        new += usize::from(!job.outcome().await.unwrap().already_installed);
    }
    assert_eq!(new, 1);
    assert_eq!(scene.mirror.requests_of(&Scene::file("2.0.0")).len(), 1);
    assert_eq!(scene.names(), [".lock", "1.0.0", "2.0.0", "current"]);
}

#[tokio::test]
async fn an_installation_goes_on_when_nobody_watches() {
    let scene = Scene::with("1.0.0").await;
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::Slow(1 << 20, Duration::from_millis(20)));
    let installer = scene.installer();
    drop(installer.install(&tool(), asking("1.0.0")));
    until("the version", || installer.find(&tool(), None).unwrap().is_some()).await.unwrap();
}

#[tokio::test]
async fn every_step_is_reported() {
    let scene = Scene::new().await;
    let files = [Entry::program("tool", program("tool", "1.0.0"))];
    scene.publish_file("tool.tar.gz", "1.0.0", tar_gz(&files).unwrap());
    let installer = scene.installer();
    let mut job =
        installer.install(&agent("tool", "tool.tar.gz", Unpack::default()), InstallRequest::default());
    let mut steps = Vec::new();
    while let Some(progress) = job.next().await {
        let step = match progress {
            InstallEvent::Waiting => "waiting",
            InstallEvent::Resolving { source: InstallSource::Vendor } => "resolving",
            InstallEvent::Resolving { .. }
            | InstallEvent::SourceFailed { .. }
            | InstallEvent::Done(_)
            | InstallEvent::Failed(_) => "unexpected",
            InstallEvent::Downloading { .. } => "downloading",
            InstallEvent::Verifying => "verifying",
            InstallEvent::Unpacking { .. } => "unpacking",
            InstallEvent::Activating => "activating",
        };
        steps.push(step);
    }
    steps.dedup();
    assert_eq!(steps, ["resolving", "downloading", "verifying", "unpacking", "activating"]);
    job.outcome().await.unwrap();
}

#[tokio::test]
async fn what_is_installed_needs_no_network() {
    let scene = Scene::with("1.0.0").await;
    scene.install("1.0.0").await.unwrap();
    let asked = scene.mirror.requests().len();
    scene.mirror.fault("*", Fault::Status(500));
    assert!(scene.install("1.0.0").await.unwrap().already_installed);
    let installer = scene.installer();
    for version in [None, Some("1.0.0")] {
        let found = installer.ensure(&tool(), version, Preinstall::Lazy).await.unwrap();
        assert_eq!(said(&found.program), "tool 1.0.0");
    }
    assert_eq!(scene.mirror.requests().len(), asked);
    // Who wants the newest gets the newest that is here.
    let found = installer.ensure(&tool(), Some("latest"), Preinstall::Lazy).await.unwrap();
    assert_eq!(found.version.as_deref(), Some("1.0.0"));
    assert!(scene.mirror.requests().len() > asked);
}

#[tokio::test]
async fn the_latest_is_asked_for_but_not_fetched_twice() {
    let scene = Scene::with("1.0.0").await;
    let installer = scene.installer();
    let latest = || InstallRequest { version: Some("latest".to_owned()), ..InstallRequest::default() };
    assert!(!installer.install(&tool(), latest()).outcome().await.unwrap().already_installed);
    assert!(installer.install(&tool(), latest()).outcome().await.unwrap().already_installed);
    assert_eq!(scene.mirror.requests_of(&Scene::file("1.0.0")).len(), 1);
    scene.publish("1.1.0");
    assert_eq!(installer.latest(&tool()).await.unwrap(), "1.1.0");
    assert_eq!(installer.current("tool").unwrap().unwrap().version, "1.0.0");
    let found = installer.ensure(&tool(), Some("latest"), Preinstall::Lazy).await.unwrap();
    assert_eq!(said(&found.program), "tool 1.1.0");
}

#[tokio::test]
async fn one_session_s_version_is_not_everybody_s() {
    let scene = Scene::with("1.0.0").await;
    let installer = scene.installer();
    installer.ensure(&tool(), None, Preinstall::Lazy).await.unwrap();
    scene.publish("0.9.0");
    let found = installer.ensure(&tool(), Some("0.9.0"), Preinstall::Lazy).await.unwrap();
    assert_eq!(said(&found.program), "tool 0.9.0");
    assert_eq!(installer.current("tool").unwrap().unwrap().version, "1.0.0");
}

#[tokio::test]
async fn on_demand_installation_can_be_forbidden() {
    let scene = Scene::with("1.0.0").await;
    let installer = scene.installer();
    let error = installer.ensure(&tool(), None, Preinstall::Require).await.unwrap_err();
    assert!(matches!(error, InstallError::Forbidden { .. }), "{error}");
    assert_eq!(scene.mirror.requests(), []);
    scene.install("1.0.0").await.unwrap();
    installer.ensure(&tool(), None, Preinstall::Require).await.unwrap();
    let error = installer.ensure(&tool(), Some("2.0.0"), Preinstall::Require).await.unwrap_err();
    assert!(matches!(error, InstallError::Forbidden { .. }), "{error}");
}

#[tokio::test]
async fn the_user_s_own_program_serves_until_one_is_installed() {
    let scene = Scene::with("1.0.0").await;
    let bin = TempDir::new().unwrap();
    let own = bin.path().join("tool");
    fs::write(&own, program("tool", "own")).unwrap();
    let path = std::env::join_paths(["relative", "/nowhere", bin.path().to_str().unwrap()]).unwrap();
    let installer = scene.installer_with(|options| options.search_path = Some(path));
    assert_eq!(installer.find(&tool(), None).unwrap(), None, "it is not executable");
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
    let found = installer.ensure(&tool(), None, Preinstall::Lazy).await.unwrap();
    assert_eq!((found.program.as_path(), found.origin), (own.as_path(), Origin::Path));
    assert_eq!(installer.find(&tool(), Some("1.0.0")).unwrap(), None);
    let found = installer.ensure(&tool(), Some("1.0.0"), Preinstall::Lazy).await.unwrap();
    assert_eq!(said(&found.program), "tool 1.0.0");
    let found = installer.ensure(&tool(), None, Preinstall::Lazy).await.unwrap();
    assert_eq!(said(&found.program), "tool 1.0.0");

    let named = AgentSpec::parse(&format!("mine={} --acp", own.display())).unwrap();
    let found = installer.find(&named, None).unwrap().unwrap();
    assert_eq!((found.program.as_path(), found.origin), (own.as_path(), Origin::Path));
    let unknown = AgentSpec::parse("mine=no-such-program").unwrap();
    let error = installer.ensure(&unknown, None, Preinstall::Lazy).await.unwrap_err();
    assert!(matches!(error, InstallError::NotInstallable { .. }), "{error}");
}

#[tokio::test]
async fn the_next_source_helps_and_the_failure_is_reported() {
    let scene = Scene::new().await;
    scene.mirror.publish_claude("1.0.0").unwrap();
    scene.mirror.fault("/downloads.claude.ai/claude-code-releases/1.0.0/*", Fault::Corrupt);
    let registry = scene.mirror.npm_registry();
    let npm = sa_install::NpmConfig::load(&sa_install::NpmSources {
        registry: Some(registry),
        ..Default::default()
    });
    let installer = scene.installer_with(|options| options.npm = npm);
    let mut job = installer.install(&shipped("claude"), asking("1.0.0"));
    let mut failed = Vec::new();
    while let Some(progress) = job.next().await {
        if let InstallEvent::SourceFailed { source, .. } = progress {
            failed.push(source);
        }
    }
    assert_eq!(failed, [InstallSource::Vendor]);
    let receipt = job.outcome().await.unwrap().receipt;
    assert_eq!(receipt.source, "npm");
    assert!(receipt.digest.unwrap().starts_with("sha512:"));
    // Who asks for one kind gets that kind or nothing.
    let request = InstallRequest { source: Some(InstallSource::Vendor), reinstall: true, ..asking("1.0.0") };
    let error = installer.install(&shipped("claude"), request).outcome().await.unwrap_err();
    assert_eq!(error.attempts().len(), 1, "{error}");
    let request = InstallRequest { source: Some(InstallSource::Github), reinstall: true, ..asking("1.0.0") };
    let error = installer.install(&shipped("claude"), request).outcome().await.unwrap_err();
    assert!(error.to_string().contains("github: it comes from vendor, npm only"), "{error}");
    assert_eq!(installer.current("claude").unwrap().unwrap().source, "npm", "what was there is still there");
}

#[tokio::test]
async fn a_machine_without_a_build_is_named() {
    let scene = Scene::new().await;
    scene.mirror.publish_amp("1.0.0").unwrap();
    let installer = scene.installer_with(|options| options.platform = Platform::LinuxX64Musl);
    let error = installer.install(&shipped("amp"), asking("1.0.0")).outcome().await.unwrap_err();
    assert_eq!(error.to_string(), "'amp' is not built for linux-x64-musl");
}

#[tokio::test]
async fn what_nobody_vouches_for_is_installed_only_when_allowed() {
    let scene = Scene::with("1.0.0").await;
    let spec = unvouched_tool();
    let error = scene.installer().install(&spec, asking("1.0.0")).outcome().await.unwrap_err();
    assert!(error.to_string().contains("its publisher gives no checksum"), "{error}");
    assert_eq!(scene.mirror.requests_of(&Scene::file("1.0.0")), []);
    let trusting = scene.installer_with(|options| options.allow_unverified = true);
    let receipt = trusting.install(&spec, asking("1.0.0")).outcome().await.unwrap().receipt;
    assert!(!receipt.verified);
    assert!(receipt.digest.unwrap().starts_with("sha256:"));
}

#[tokio::test]
async fn a_user_s_directory_is_installed_from() {
    let scene = Scene::new().await;
    let files = TempDir::new().unwrap();
    fs::write(files.path().join("tool"), program("tool", "mine")).unwrap();
    let request = InstallRequest { from: Some(files.path().to_owned()), ..asking("7.0.0") };
    let installer = scene.installer();
    let receipt = installer.install(&tool(), request).outcome().await.unwrap().receipt;
    assert_eq!((receipt.source.as_str(), receipt.verified), ("local", false));
    let found = installer.find(&tool(), Some("7.0.0")).unwrap().unwrap();
    assert_eq!(said(&found.program), "tool mine");
    assert_eq!(scene.mirror.requests(), []);
    let request = InstallRequest { from: Some(files.path().join("nowhere")), ..asking("8.0.0") };
    let error = installer.install(&tool(), request).outcome().await.unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
}

#[tokio::test]
async fn a_request_can_name_its_own_mirror() {
    let scene = Scene::with("1.0.0").await;
    let nowhere = Scene::new().await;
    let installer = nowhere.installer();
    let mirror = Some(Url::parse(&scene.mirror.url()).unwrap());
    let request = InstallRequest { mirror, ..asking("1.0.0") };
    installer.install(&tool(), request).outcome().await.unwrap();
    assert_eq!(nowhere.mirror.requests(), []);
}

#[tokio::test]
async fn a_shutdown_ends_installations_and_leaves_nothing_half_done() {
    let scene = Scene::with("1.0.0").await;
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::HangAfter(1 << 20));
    let installer = scene.installer();
    let mut job = installer.install(&tool(), asking("1.0.0"));
    let file = Scene::file("1.0.0");
    until("the download", || !scene.mirror.requests_of(&file).is_empty()).await.unwrap();
    installer.shutdown().await;
    assert!(matches!(job.outcome().await, Err(InstallError::Interrupted(_))));
    assert_eq!(scene.names(), [".lock", ".partial"]);
    scene.mirror.heal();
    scene.install("1.0.0").await.unwrap();
}
