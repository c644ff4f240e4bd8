//! Downloads over a network that fails.
#![allow(clippy::unwrap_used)]

mod scene;

use sa_api::InstallEvent;
use sa_install::{InstallError, Preinstall};
use sa_testkit::mirror::{Fault, Mirror};
use scene::{SIZE, Scene, asking, said, tool, unvouched_tool};
use std::fs;
use std::time::Duration;
use url::Url;

/// Returns the ranges that were asked for, one for each request of the tool's file.
fn ranges(scene: &Scene) -> Vec<Option<String>> {
    scene.mirror.requests_of(&Scene::file("1.0.0")).into_iter().map(|request| request.range).collect()
}

fn reasons(error: InstallError) -> Vec<String> {
    match error {
        InstallError::NoSource { attempts, .. } => attempts.into_iter().map(|a| a.reason).collect(),
        other => panic!("not all sources failed: {other}"),
    }
}

#[tokio::test]
async fn a_download_that_breaks_off_is_continued() {
    let scene = Scene::with("1.0.0").await;
    scene.mirror.fault_times(&Scene::file("1.0.0"), Fault::CutAfter(1 << 20), 2);
    let installer = scene.installer();
    let mut job = installer.install(&tool(), asking("1.0.0"));
    let mut last = None;
    while let Some(progress) = job.next().await {
        if let InstallEvent::Downloading { received, total, .. } = progress {
            assert!(last <= Some(received), "{received} after {last:?}");
            assert_eq!(total.map(|total| total >= SIZE as u64), Some(true));
            last = Some(received);
        }
    }
    let receipt = job.outcome().await.unwrap().receipt;
    let rest = |mebibytes: u64| Some(format!("bytes={}-", mebibytes << 20));
    assert_eq!(ranges(&scene), [None, rest(1), rest(2)]);
    assert_eq!(last, Some(receipt.size));
    assert!(receipt.verified);
    assert!(receipt.digest.unwrap().starts_with("sha256:"));
    let found = installer.find(&tool(), None).unwrap().unwrap();
    assert_eq!(said(&found.program), "tool 1.0.0");
}

/// Leaves the first mebibyte of the tool behind, from a server that then gives no more.
async fn leave_a_part(scene: &Scene) {
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::CutAfter(1 << 20));
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::IgnoreRange);
    let reasons = reasons(scene.install("1.0.0").await.unwrap_err());
    assert_eq!(reasons.len(), 1);
    scene.mirror.heal();
}

#[tokio::test]
async fn what_is_there_of_an_earlier_attempt_is_not_fetched_again() {
    let scene = Scene::with("1.0.0").await;
    leave_a_part(&scene).await;
    let before = ranges(&scene).len();
    scene.install("1.0.0").await.unwrap();
    assert_eq!(ranges(&scene).split_off(before), [Some("bytes=1048576-".to_owned())]);
}

#[tokio::test]
async fn a_part_of_another_file_is_not_continued() {
    let scene = Scene::with("1.0.0").await;
    let installer = scene.installer_with(|options| options.allow_unverified = true);
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::CutAfter(1 << 20));
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::IgnoreRange);
    installer.install(&unvouched_tool(), asking("1.0.0")).outcome().await.unwrap_err();
    scene.mirror.heal();
    // The same address, another file, and no checksum that would show it: the server has to be asked for the rest of
    // the old one.
    let other = sa_testkit::mirror::program_of_size("other", "1.0.0", SIZE);
    scene.publish_file("tool", "1.0.0", other.clone());
    let before = ranges(&scene).len();
    installer.install(&unvouched_tool(), asking("1.0.0")).outcome().await.unwrap();
    assert_eq!(ranges(&scene).split_off(before), [Some("bytes=1048576-".to_owned())]);
    assert_eq!(fs::read(scene.agent_dir().join("1.0.0/tool")).unwrap(), other);
    assert_eq!(scene.names(), [".lock", "1.0.0", "current"]);
}

#[tokio::test]
async fn a_server_that_knows_no_ranges_sends_everything_again() {
    let scene = Scene::with("1.0.0").await;
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::IgnoreRange);
    scene.mirror.fault_times(&Scene::file("1.0.0"), Fault::CutAfter(1 << 20), 1);
    let installed = scene.install("1.0.0").await.unwrap();
    assert_eq!(ranges(&scene).len(), 2);
    let program = scene.agent_dir().join("1.0.0/tool");
    assert_eq!(fs::read(program).unwrap(), scene.mirror.bytes(&Scene::file("1.0.0")).unwrap());
    assert_eq!(installed.receipt.version, "1.0.0");
}

#[tokio::test]
async fn a_wrong_checksum_is_reported_and_nothing_of_it_stays() {
    let scene = Scene::with("1.0.0").await;
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::Corrupt);
    let reasons = reasons(scene.install("1.0.0").await.unwrap_err());
    assert!(reasons[0].contains("the checksum is sha256:"), "{reasons:?}");
    assert!(reasons[0].contains("was published; the file was deleted"), "{reasons:?}");
    assert_eq!(scene.names(), [".lock", ".partial"]);
    assert_eq!(scene::names(&scene.agent_dir().join(".partial")), [""; 0]);
    assert_eq!(ranges(&scene).len(), 1, "the same file would be wrong again");
    scene.mirror.heal();
    scene.install("1.0.0").await.unwrap();
}

#[tokio::test]
async fn a_start_that_the_disk_has_spoilt_is_fetched_again() {
    let scene = Scene::with("1.0.0").await;
    leave_a_part(&scene).await;
    let partial = scene.agent_dir().join(".partial");
    let name = scene::names(&partial).into_iter().find(|name| !name.ends_with(".json")).unwrap();
    let mut bytes = fs::read(partial.join(&name)).unwrap();
    bytes[77] ^= 1;
    fs::write(partial.join(&name), bytes).unwrap();
    let before = ranges(&scene).len();
    scene.install("1.0.0").await.unwrap();
    let asked = ranges(&scene).split_off(before);
    assert_eq!(asked, [Some("bytes=1048576-".to_owned()), None]);
}

#[tokio::test]
async fn a_busy_server_is_asked_again_and_a_missing_file_is_not() {
    let scene = Scene::with("1.0.0").await;
    scene.mirror.fault_times("/files.example/1.0.0/SUMS", Fault::Status(503), 2);
    scene.mirror.fault_times(&Scene::file("1.0.0"), Fault::Status(429), 2);
    scene.install("1.0.0").await.unwrap();
    assert_eq!(scene.mirror.requests_of("/files.example/1.0.0/SUMS").len(), 3);

    let error = scene.install("9.9.9").await.unwrap_err();
    assert!(matches!(&error, InstallError::UnknownVersion { version, .. } if version == "9.9.9"), "{error}");
    assert_eq!(scene.mirror.requests_of("/files.example/9.9.9/SUMS").len(), 1);
}

#[tokio::test]
async fn a_server_that_falls_silent_is_given_up() {
    let scene = Scene::with("1.0.0").await;
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::HangAfter(1000));
    scene.mirror.fault(&Scene::file("1.0.0"), Fault::IgnoreRange);
    let installer =
        scene.installer_with(|options| options.client.silence_timeout = Duration::from_millis(50));
    let error = installer.install(&tool(), asking("1.0.0")).outcome().await.unwrap_err();
    assert!(reasons(error)[0].ends_with("/files.example/1.0.0/tool: no answer in time"));
}

/// A document has 16 MiB at most, and a file as many bytes as were published.
#[tokio::test]
async fn a_body_without_an_end_is_given_up() {
    let scene = Scene::with("1.0.0").await;
    scene.mirror.fault("/files.example/latest", Fault::Endless);
    let error = scene.install("latest").await.unwrap_err().to_string();
    assert!(error.contains("/files.example/latest"), "{error}");
    scene.mirror.heal();
    scene.mirror.fault("/files.example/1.0.0/*", Fault::Endless);
    let error = scene.install("1.0.0").await.unwrap_err().to_string();
    assert!(error.contains("/files.example/1.0.0/SUMS"), "{error}");
    scene.mirror.heal();
    scene.install("1.0.0").await.unwrap();
}

#[tokio::test]
async fn redirects_are_followed_a_few_times() {
    let scene = Scene::with("1.0.0").await;
    let bytes = scene.mirror.bytes(&Scene::file("1.0.0")).unwrap();
    // One within the mirror, one to a host that the mirror stands for.
    scene.mirror.put_redirect(&Scene::file("1.0.0"), "/moved/tool");
    scene.mirror.put_redirect("/moved/tool", "https://cdn.example/signed/tool?key=secret");
    scene.mirror.put("/cdn.example/signed/tool", bytes);
    scene.install("1.0.0").await.unwrap();

    scene.publish("2.0.0");
    scene.mirror.put_redirect(&Scene::file("2.0.0"), &Scene::file("2.0.0"));
    let reasons = reasons(scene.install("2.0.0").await.unwrap_err());
    assert!(reasons[0].ends_with("/files.example/2.0.0/tool: redirects too often"), "{reasons:?}");
}

#[tokio::test]
async fn a_registry_s_token_goes_to_no_other_host() {
    let scene = Scene::new().await;
    let elsewhere = Mirror::start().await.unwrap();
    scene.mirror.publish_claude("1.0.0").unwrap();
    let name = "/npm/@anthropic-ai/claude-code-linux-x64/-/claude-code-linux-x64-1.0.0.tgz";
    elsewhere.put("/blob", scene.mirror.bytes(name).unwrap());
    scene.mirror.put_redirect(name, &format!("{}/blob", elsewhere.url()));
    let registry = scene.mirror.npm_registry();
    let host = registry.trim_start_matches("http:").to_owned();
    let npm = sa_install::NpmConfig::load(&sa_install::NpmSources {
        registry: Some(registry),
        env: [(format!("npm_config_{host}:_authToken"), "s3cret".to_owned())].into(),
        ..Default::default()
    });
    let installer = scene.installer_with(|options| {
        options.client.mirror = None;
        options.npm = npm;
    });
    let mut request = asking("1.0.0");
    request.source = Some(sa_api::InstallSource::Npm);
    installer.install(&scene::shipped("claude"), request).outcome().await.unwrap();
    let told: Vec<_> = scene.mirror.requests_of(name).into_iter().map(|r| r.authorization).collect();
    assert_eq!(told, [Some("Bearer s3cret".to_owned())]);
    let told: Vec<_> = elsewhere.requests_of("/blob").into_iter().map(|r| r.authorization).collect();
    assert_eq!(told, [None]);
}

#[tokio::test]
async fn messages_name_the_address_but_not_the_password() {
    let scene = Scene::new().await;
    let mirror = Url::parse(&scene.mirror.url().replace("://", "://user:pa55word@")).unwrap();
    let installer = scene.installer_with(|options| options.client.mirror = Some(mirror));
    let error = installer.install(&tool(), Default::default()).outcome().await.unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(text.contains(&format!("{}/files.example/latest", scene.mirror.url())), "{text}");
    assert!(!text.contains("pa55word"), "{text}");
    let sent = scene.mirror.requests_of("/files.example/latest");
    assert!(sent[0].authorization.as_ref().unwrap().starts_with("Basic "));
}

#[tokio::test]
async fn a_host_that_is_not_there_is_named() {
    let scene = Scene::with("1.0.0").await;
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let mirror = Url::parse(&gone).unwrap();
    let installer = scene.installer_with(|options| options.client.mirror = Some(mirror));
    let reasons = reasons(installer.install(&tool(), asking("1.0.0")).outcome().await.unwrap_err());
    assert!(reasons[0].starts_with(&format!("{gone}/files.example/1.0.0/SUMS: ")), "{reasons:?}");
    assert!(reasons[0].contains("refused"), "{reasons:?}");
}

#[tokio::test]
async fn a_directory_can_be_the_mirror() {
    let scene = Scene::with("1.0.0").await;
    let tree = tempfile::TempDir::new().unwrap();
    scene.mirror.write_tree(tree.path()).unwrap();
    let url = Url::from_directory_path(tree.path()).unwrap();
    let installer = scene.installer_with(|options| options.client.mirror = Some(url));
    let found = installer.ensure(&tool(), None, Preinstall::Lazy).await.unwrap();
    assert_eq!(said(&found.program), "tool 1.0.0");
    assert_eq!(scene.mirror.requests(), []);
    let error = installer.install(&tool(), asking("2.0.0")).outcome().await.unwrap_err();
    assert!(matches!(error, InstallError::UnknownVersion { .. }), "{error}");
}
