//! Entries of the ACP registry: a program if there is one, else a package, else advice.

use super::*;
use crate::artifact::{Format, RegistryLaunch};
use crate::error::Result;
use sa_testkit::mirror::{Entry, program};
use serde_json::{Value, json};

const SUM: &str = "a5e25bc6d2f950837b579605162e8c84364fce38f74facb5adcb3ff963994d41";

async fn asked(entry: Value, platform: Platform, version: Option<&str>) -> Result<Artifact> {
    let mirror = Mirror::start().await.unwrap();
    asked_of(&mirror, entry, platform, version).await
}

async fn asked_of(
    mirror: &Mirror,
    entry: Value,
    platform: Platform,
    version: Option<&str>,
) -> Result<Artifact> {
    // The first one is of a form that nobody knows yet.
    mirror.publish_acp_registry(&json!([{ "id": "later", "distribution": [] }, entry]));
    ask(&resolver(mirror, platform), &agent("goose"), InstallSource::Registry, version).await
}

fn goose() -> Value {
    let build = |name: &str| {
        json!({
            "archive": format!("https://github.com/block/goose/releases/download/v1.50.1/{name}"),
            "cmd": "./bin/goose", "args": ["acp"], "env": { "A": "b" }, "sha256": SUM,
        })
    };
    json!({ "id": "goose", "version": "1.50.1", "distribution": { "binary": {
        "linux-x86_64": build("goose-x86_64-unknown-linux-gnu.tar.bz2"),
        "linux-aarch64": build("goose.zip"),
        "darwin-aarch64": build("goose.tar.gz"),
        "darwin-x86_64": build("goose"),
    } } })
}

#[tokio::test]
async fn a_program_for_this_platform_comes_first() {
    let formats = [
        (Platform::LinuxX64, Format::TarBz2),
        (Platform::LinuxX64Baseline, Format::TarBz2),
        (Platform::LinuxArm64, Format::Zip),
        (Platform::LinuxArm64Musl, Format::Zip),
        (Platform::DarwinArm64, Format::TarGz),
        (Platform::DarwinX64, Format::Program),
    ];
    for (platform, format) in formats {
        let artifact = asked(goose(), platform, None).await.unwrap();
        assert_eq!(file(&artifact).format, format, "{platform}");
        assert_eq!(file(&artifact).digest, super::super::checksum::sha256(SUM));
        assert_eq!(artifact.entry, ["bin/goose"]);
        let env = [("A".to_owned(), "b".to_owned())].into();
        assert_eq!(artifact.launch, Some(RegistryLaunch { args: vec!["acp".to_owned()], env }));
        assert_eq!(artifact.version, "1.50.1");
    }
    let musl = asked(goose(), Platform::LinuxX64Musl, None).await;
    assert!(matches!(musl, Err(SourceError::NoBuild(_))), "a program for glibc: {musl:?}");
}

#[tokio::test]
async fn a_registry_knows_one_version_and_a_preview() {
    let mut entry = goose();
    entry["preview"] = json!({ "version": "1.51.0-preview.2", "distribution": entry["distribution"] });
    for (version, expected) in
        [("1.50.1", "1.50.1"), ("preview", "1.51.0-preview.2"), ("1.51.0-preview.2", "1.51.0-preview.2")]
    {
        let artifact = asked(entry.clone(), Platform::LinuxX64, Some(version)).await.unwrap();
        assert_eq!(artifact.version, expected);
    }
    let unknown = asked(entry, Platform::LinuxX64, Some("1.0.0")).await.unwrap_err();
    assert!(matches!(unknown, SourceError::NoVersion { .. }), "{unknown:?}");
}

#[tokio::test]
async fn a_package_that_stands_alone_is_a_tarball() {
    let mirror = Mirror::start().await.unwrap();
    let files = [Entry::program("dist/cli.js", program("x", "1"))];
    for version in ["2.0.0", "1.0.0"] {
        mirror
            .publish_npm("@s/tool", version, &files, &json!({ "bin": { "tool": "./dist/cli.js" } }))
            .unwrap();
    }
    let entry = json!({ "id": "goose", "version": "1.0.0", "distribution":
        { "npx": { "package": "@s/tool@1.0.0", "args": ["--acp"], "env": {} } } });
    for (version, expected) in [(None, "1.0.0"), (Some("1.0.0"), "1.0.0"), (Some("2.0.0"), "2.0.0")] {
        let artifact = asked_of(&mirror, entry.clone(), Platform::LinuxX64, version).await.unwrap();
        assert_eq!(artifact.version, expected);
        assert!(file(&artifact).url.path().ends_with(&format!("tool-{expected}.tgz")));
        assert_eq!(file(&artifact).unpack.beneath, "package");
        assert_eq!(artifact.entry, ["dist/cli.js"]);
        assert_eq!(artifact.launch.unwrap().args, ["--acp"]);
    }
    mirror.change_package("@s/tool", |package| package["dist-tags"]["next"] = "2.0.0".into());
    let tagged = asked_of(&mirror, entry.clone(), Platform::LinuxX64, Some("next")).await.unwrap();
    assert_eq!(tagged.version, "2.0.0");
    let unknown = asked_of(&mirror, entry, Platform::LinuxX64, Some("3.0.0")).await.unwrap_err();
    assert!(matches!(unknown, SourceError::NoVersion { .. }), "{unknown:?}");
}

#[tokio::test]
async fn a_package_with_dependencies_is_a_tree() {
    let mirror = Mirror::start().await.unwrap();
    let about = json!({ "bin": { "other": "o.js", "run": "r.js" }, "dependencies": { "zod": "^3" } });
    mirror.publish_npm("tool", "1.0.0", &[], &about).unwrap();
    let entry = json!({ "id": "goose", "version": "1.0.0", "distribution":
        { "npx": { "package": "tool@1.0.0", "cmd": "run" } } });
    let artifact = asked_of(&mirror, entry, Platform::LinuxX64, None).await.unwrap();
    assert!(matches!(&artifact.contents, Contents::NpmTree(packages) if packages == &["tool@1.0.0"]));
    assert_eq!(artifact.entry, ["node_modules/.bin/run"]);

    let entry =
        json!({ "id": "goose", "version": "1.0.0", "distribution": { "npx": { "package": "tool@1.0.0" } } });
    let unclear = asked_of(&mirror, entry, Platform::LinuxX64, None).await.unwrap_err();
    assert!(unclear.to_string().contains("which program"), "{unclear}");
}

#[tokio::test]
async fn what_cannot_be_installed_is_explained() {
    let uvx = json!({ "id": "goose", "version": "1.0.0", "distribution":
        { "uvx": { "package": "fast-agent-acp==0.10.1", "args": ["-x"] } } });
    let error = asked(uvx, Platform::LinuxX64, None).await.unwrap_err().to_string();
    assert!(error.contains("install uv") && error.contains("uvx fast-agent-acp==0.10.1 -x"), "{error}");

    let other = json!({ "id": "other", "version": "1.0.0", "distribution": {} });
    let error = asked(other, Platform::LinuxX64, None).await.unwrap_err().to_string();
    assert!(error.contains("registry.json") && error.contains("no agent 'goose'"), "{error}");

    let mut bare = goose();
    bare["distribution"]["binary"] = json!({});
    assert!(matches!(asked(bare, Platform::LinuxX64, None).await, Err(SourceError::NoBuild(_))));

    let mut foreign = goose();
    foreign["distribution"]["binary"]["linux-x86_64"]["archive"] = json!("https://a.example/goose.tar.xz");
    assert!(matches!(asked(foreign, Platform::LinuxX64, None).await, Err(SourceError::Archive { .. })));
}
