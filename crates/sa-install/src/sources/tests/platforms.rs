//! Every reference agent on every platform: the right file, its digest, its form and where the program is in it.

use super::*;
use crate::artifact::Format;

const CLAUDE: &str = "https://downloads.claude.ai/claude-code-releases/2.1.325";
const CODEX: &str = "https://releases.openai.com/codex/releases/0.166.0";
const CODEX_ON_GITHUB: &str = "https://github.com/openai/codex/releases/download/rust-v0.166.0";
const OPENCODE: &str = "https://github.com/anomalyco/opencode/releases/download/v1.18.34";
const AMP: &str = "https://static.ampcode.com/cli/0.0.1790142911-g7618fb";

/// Platform, then the names that claude, codex, opencode and amp have for it in their stores; the first column of the
/// table in which vendors' documents list them.
const TABLE: [(Platform, &str, &str, &str, Option<&str>); 8] = [
    (Platform::LinuxX64, "linux-x64", "x86_64-unknown-linux-musl", "linux-x64.tar.gz", Some("linux-x64")),
    (
        Platform::LinuxX64Baseline,
        "linux-x64",
        "x86_64-unknown-linux-musl",
        "linux-x64-baseline.tar.gz",
        Some("linux-x64"),
    ),
    (Platform::LinuxX64Musl, "linux-x64-musl", "x86_64-unknown-linux-musl", "linux-x64-musl.tar.gz", None),
    (
        Platform::LinuxX64BaselineMusl,
        "linux-x64-musl",
        "x86_64-unknown-linux-musl",
        "linux-x64-baseline-musl.tar.gz",
        None,
    ),
    (
        Platform::LinuxArm64,
        "linux-arm64",
        "aarch64-unknown-linux-musl",
        "linux-arm64.tar.gz",
        Some("linux-arm64"),
    ),
    (
        Platform::LinuxArm64Musl,
        "linux-arm64-musl",
        "aarch64-unknown-linux-musl",
        "linux-arm64-musl.tar.gz",
        None,
    ),
    (Platform::DarwinArm64, "darwin-arm64", "aarch64-apple-darwin", "darwin-arm64.zip", Some("darwin-arm64")),
    (Platform::DarwinX64, "darwin-x64", "x86_64-apple-darwin", "darwin-x64.zip", Some("darwin-x64")),
];

async fn mirror() -> Mirror {
    let mirror = Mirror::start().await.unwrap();
    mirror.publish_claude("2.1.325").unwrap();
    mirror.publish_codex("0.166.0").unwrap();
    mirror.publish_opencode("1.18.34").unwrap();
    mirror.publish_amp("0.0.1790142911-g7618fb").unwrap();
    mirror
}

/// The latest and the same version by its name are the same file, which has the published digest.
async fn check(
    mirror: &Mirror,
    platform: Platform,
    id: &str,
    kind: InstallSource,
    url: &str,
    format: Format,
) {
    let resolver = resolver(mirror, platform);
    let agent = agent(id);
    let latest = ask(&resolver, &agent, kind, None).await.unwrap_or_else(|e| panic!("{id} {platform}: {e}"));
    let named = ask(&resolver, &agent, kind, Some(&latest.version)).await.unwrap();
    for artifact in [&latest, &named] {
        let found = file(artifact);
        assert_eq!(found.url.as_str(), url, "{id} on {platform}");
        assert_eq!(found.digest, Some(digest_of(mirror, &found.url)), "{id} on {platform}");
        assert_eq!(found.format, format, "{id} on {platform}");
        assert_eq!(artifact.source, kind);
        assert_eq!(&artifact.entry, &agent.install.as_ref().unwrap().entry);
    }
}

#[tokio::test]
async fn vendors_and_github_have_a_file_for_each() {
    use Format::{Program, TarGz, Zip};
    let mirror = mirror().await;
    for (platform, claude, codex, opencode, amp) in TABLE {
        let package = format!("codex-package-{codex}.tar.gz");
        let form = if opencode.ends_with(".zip") { Zip } else { TarGz };
        let (vendor, github) = (InstallSource::Vendor, InstallSource::Github);
        check(&mirror, platform, "claude", vendor, &format!("{CLAUDE}/{claude}/claude"), Program).await;
        check(&mirror, platform, "codex", vendor, &format!("{CODEX}/{package}"), TarGz).await;
        check(&mirror, platform, "codex", github, &format!("{CODEX_ON_GITHUB}/{package}"), TarGz).await;
        check(&mirror, platform, "opencode", github, &format!("{OPENCODE}/opencode-{opencode}"), form).await;
        match amp {
            Some(amp) => check(&mirror, platform, "amp", vendor, &format!("{AMP}/amp-{amp}"), Program).await,
            None => {
                let refused = ask(&resolver(&mirror, platform), &agent("amp"), vendor, None).await;
                assert!(matches!(refused, Err(SourceError::NoBuild(at)) if at == platform), "{refused:?}");
            }
        }
    }
}

#[tokio::test]
async fn npm_has_a_tarball_for_each() {
    let mirror = mirror().await;
    for (platform, claude, _, opencode, amp) in TABLE {
        let system = claude.trim_end_matches("-musl");
        let opencode = opencode.split('.').next().unwrap();
        let mut expected = vec![
            ("claude", format!("@anthropic-ai/claude-code-{claude}/-/claude-code-{claude}-2.1.325.tgz")),
            ("codex", format!("@openai/codex/-/codex-0.166.0-{system}.tgz")),
            ("opencode", format!("opencode-{opencode}/-/opencode-{opencode}-1.18.34.tgz")),
        ];
        if let Some(amp) = amp {
            expected.push(("amp", format!("@ampcode/cli-{amp}/-/cli-{amp}-0.0.1790142911-g7618fb.tgz")));
        }
        let resolver = resolver(&mirror, platform);
        for (id, path) in expected {
            let artifact = ask(&resolver, &agent(id), InstallSource::Npm, None).await.unwrap();
            let found = file(&artifact);
            assert_eq!(found.url.as_str(), format!("{}{path}", mirror.npm_registry()), "{id} on {platform}");
            assert_eq!(found.digest, Some(package_digest(&mirror, &found.url)), "{id} on {platform}");
            assert_eq!(found.format, Format::TarGz);
            let named =
                ask(&resolver, &agent(id), InstallSource::Npm, Some(&artifact.version)).await.unwrap();
            assert_eq!(file(&named).url, found.url);
        }
    }
}

#[tokio::test]
async fn unknown_versions_are_reported_as_such() {
    let mirror = mirror().await;
    let resolver = resolver(&mirror, Platform::LinuxX64);
    let asked = [
        ("claude", InstallSource::Vendor),
        ("claude", InstallSource::Npm),
        ("codex", InstallSource::Vendor),
        ("codex", InstallSource::Github),
        ("codex", InstallSource::Npm),
        ("opencode", InstallSource::Github),
        ("opencode", InstallSource::Npm),
        ("amp", InstallSource::Vendor),
    ];
    for (id, kind) in asked {
        for version in ["9.9.9", "no-such-channel", "../../etc/passwd", ""] {
            let error = ask(&resolver, &agent(id), kind, Some(version)).await.unwrap_err();
            assert!(
                matches!(&error, SourceError::NoVersion { version: told, .. } if told == version),
                "{id} from {kind:?}: {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_v_in_front_and_channels_are_understood() {
    let mirror = mirror().await;
    mirror.put("/downloads.claude.ai/claude-code-releases/latest", "2.1.400");
    mirror.change_package("opencode-linux-x64", |package| package["dist-tags"]["next"] = "1.18.34".into());
    let resolver = resolver(&mirror, Platform::LinuxX64);
    let version = async |id: &str, kind, asked: &str| {
        ask(&resolver, &agent(id), kind, Some(asked)).await.unwrap().version
    };
    assert_eq!(version("opencode", InstallSource::Github, "v1.18.34").await, "1.18.34");
    assert_eq!(version("opencode", InstallSource::Github, "latest").await, "1.18.34");
    assert_eq!(version("claude", InstallSource::Vendor, "stable").await, "2.1.325");
    assert_eq!(version("opencode", InstallSource::Npm, "next").await, "1.18.34");
}
