//! The addresses that are tried after the first one fails, and the error if all fail.

use super::*;
use sa_testkit::mirror::Fault;

const OLD_CLAUDE: &str =
    "/storage.googleapis.com/claude-code-dist-86c565f3-f756-42ad-8dfa-d59b1c096819/claude-code-releases";

#[tokio::test]
async fn a_store_has_several_addresses() {
    let mirror = Mirror::start().await.unwrap();
    mirror.publish_claude("2.1.325").unwrap();
    let new = "/downloads.claude.ai/claude-code-releases";
    for path in ["/latest", "/2.1.325/manifest.json", "/2.1.325/linux-x64/claude"] {
        mirror.put(&format!("{OLD_CLAUDE}{path}"), mirror.bytes(&format!("{new}{path}")).unwrap());
    }
    mirror.fault("/downloads.claude.ai/*", Fault::Status(503));
    let resolver = resolver(&mirror, Platform::LinuxX64);
    let artifact = ask(&resolver, &agent("claude"), InstallSource::Vendor, None).await.unwrap();
    assert_eq!(file(&artifact).url.host_str(), Some("storage.googleapis.com"));

    // Nobody knows whether the new address has it, so it must not be called unknown.
    let error = ask(&resolver, &agent("claude"), InstallSource::Vendor, Some("9.9.9")).await.unwrap_err();
    assert!(
        matches!(&error, SourceError::Status { url, status: 503 } if url.contains("downloads.claude.ai")),
        "{error:?}"
    );

    // Nor when it is the other one that cannot be asked.
    mirror.heal();
    mirror.fault("/storage.googleapis.com/*", Fault::Status(503));
    let error = ask(&resolver, &agent("claude"), InstallSource::Vendor, Some("9.9.9")).await.unwrap_err();
    assert!(matches!(&error, SourceError::Status { status: 503, .. }), "{error:?}");
}

#[tokio::test]
async fn a_version_file_must_hold_a_version() {
    let mirror = Mirror::start().await.unwrap();
    mirror.publish_amp("0.0.1").unwrap();
    mirror.put("/static.ampcode.com/cli/cli-version.txt", "<html>log in to the network first</html>");
    let error = ask(&resolver(&mirror, Platform::LinuxX64), &agent("amp"), InstallSource::Vendor, None)
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("cli-version.txt") && text.contains("name of a version"), "{text}");
}

#[tokio::test]
async fn a_missing_or_strange_checksum_is_not_made_up() {
    let mirror = Mirror::start().await.unwrap();
    mirror.publish_amp("0.0.1").unwrap();
    let sums = "/static.ampcode.com/cli/0.0.1/amp-linux-x64.sha256";
    let resolver = resolver(&mirror, Platform::LinuxX64);
    let amp = agent("amp");

    mirror.remove(sums);
    let artifact = ask(&resolver, &amp, InstallSource::Vendor, Some("0.0.1")).await.unwrap();
    assert_eq!(file(&artifact).digest, None);

    mirror.put(sums, "d41d8cd98f00b204e9800998ecf8427e  amp-linux-x64\n");
    let error = ask(&resolver, &amp, InstallSource::Vendor, None).await.unwrap_err();
    assert!(matches!(&error, SourceError::Nonsense { url, .. } if url.ends_with(".sha256")), "{error:?}");
}

#[tokio::test]
async fn a_manifest_may_lack_the_platform() {
    let mirror = Mirror::start().await.unwrap();
    mirror.publish_claude("2.1.325").unwrap();
    let manifest = "/downloads.claude.ai/claude-code-releases/2.1.325/manifest.json";
    mirror.put(manifest, r#"{"platforms":{"linux-arm64":{"checksum":"00"}}}"#);
    let asked = async |platform| {
        let resolver = resolver(&mirror, platform);
        ask(&resolver, &agent("claude"), InstallSource::Vendor, None).await.unwrap_err()
    };
    assert!(matches!(asked(Platform::LinuxX64).await, SourceError::NoBuild(Platform::LinuxX64)));
    assert!(matches!(asked(Platform::LinuxArm64).await, SourceError::Nonsense { .. }));
}

#[tokio::test]
async fn without_githubs_api_its_site_is_asked() {
    let mirror = Mirror::start().await.unwrap();
    mirror.publish_codex("0.166.0").unwrap();
    mirror.publish_opencode("1.18.34").unwrap();
    // GitHub's answer to a machine that has asked too often.
    mirror.fault("/api.github.com/*", Fault::Status(403));
    let resolver = resolver(&mirror, Platform::LinuxX64);
    for version in [None, Some("0.166.0")] {
        let artifact = ask(&resolver, &agent("codex"), InstallSource::Github, version).await.unwrap();
        assert_eq!(artifact.version, "0.166.0");
        let found = file(&artifact);
        assert_eq!(found.digest, Some(digest_of(&mirror, &found.url)));
    }
    // OpenCode publishes no list of checksums: the file is found, and unverified.
    for version in [None, Some("1.18.34")] {
        let artifact = ask(&resolver, &agent("opencode"), InstallSource::Github, version).await.unwrap();
        assert_eq!((artifact.version.as_str(), &file(&artifact).digest), ("1.18.34", &None));
    }
    for id in ["codex", "opencode"] {
        let error = ask(&resolver, &agent(id), InstallSource::Github, Some("9.9.9")).await.unwrap_err();
        assert!(matches!(error, SourceError::NoVersion { .. }), "{error:?}");
    }
    mirror.fault("/github.com/*", Fault::Status(502));
    let error = ask(&resolver, &agent("codex"), InstallSource::Github, None).await.unwrap_err();
    assert!(
        matches!(&error, SourceError::Status { url, status: 403 } if url.contains("api.github.com")),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_release_without_digests_has_a_list_of_them() {
    let mirror = Mirror::start().await.unwrap();
    mirror.publish_codex("0.166.0").unwrap();
    let api = "/api.github.com/repos/openai/codex/releases/latest";
    let release = String::from_utf8(mirror.bytes(api).unwrap().to_vec()).unwrap();
    mirror.put(api, release.replace("\"digest\"", "\"undigested\""));
    let resolver = resolver(&mirror, Platform::DarwinArm64);
    let artifact = ask(&resolver, &agent("codex"), InstallSource::Github, None).await.unwrap();
    assert_eq!(file(&artifact).digest, Some(digest_of(&mirror, &file(&artifact).url)));

    mirror.put(api, r#"{"tag_name":"rust-v0.166.0","assets":[]}"#);
    let error = ask(&resolver, &agent("codex"), InstallSource::Github, None).await.unwrap_err();
    assert!(error.to_string().contains("codex-package-aarch64-apple-darwin.tar.gz"), "{error}");
    mirror.put(api, r#"{"tag_name":"nightly","assets":[]}"#);
    let error = ask(&resolver, &agent("codex"), InstallSource::Github, None).await.unwrap_err();
    assert!(error.to_string().contains("nightly"), "{error}");
}
