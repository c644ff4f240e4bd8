//! Directories of the user's: trees of hosts, published files, unpacked programs.

use super::*;
use crate::artifact::Format;
use sa_testkit::mirror::{Entry, program, sha256_hex, tar_gz};
use std::path::Path;
use tempfile::TempDir;

async fn offline(platform: Platform) -> (Mirror, Resolver) {
    let mirror = Mirror::start().await.unwrap();
    let resolver = resolver(&mirror, platform);
    (mirror, resolver)
}

fn write(directory: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let file = directory.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, bytes).unwrap();
}

fn artifact(found: Local) -> Artifact {
    match found {
        Local::Artifact(artifact) => *artifact,
        Local::Mirror(url) => panic!("taken for a mirror: {url}"),
    }
}

fn codex_package(version: &str) -> Vec<u8> {
    let about = format!("{{\"version\":\"{version}\"}}");
    tar_gz(&[
        Entry::program("bin/codex", program("codex", version)),
        Entry::file("codex-package.json", about),
    ])
    .unwrap()
}

#[tokio::test]
async fn a_tree_of_hosts_is_a_mirror() {
    let (mirror, resolver) = offline(Platform::LinuxX64).await;
    mirror.publish_claude("2.1.325").unwrap();
    mirror.publish_opencode("1.18.34").unwrap();
    let tree = TempDir::new().unwrap();
    mirror.write_tree(tree.path()).unwrap();
    for (id, kind) in [("claude", InstallSource::Vendor), ("opencode", InstallSource::Github)] {
        let Local::Mirror(url) = resolver.local(&agent(id), tree.path(), None).unwrap() else {
            panic!("{id}")
        };
        assert_eq!(url.scheme(), "file");
        let asked_before = mirror.requests().len();
        for version in [None, Some(if id == "claude" { "2.1.325" } else { "1.18.34" })] {
            let found = ask(&resolver.through(url.clone()), &agent(id), kind, version).await.unwrap();
            assert_eq!(file(&found).digest, Some(digest_of(&mirror, &file(&found).url)));
        }
        assert_eq!(mirror.requests().len(), asked_before, "nothing but the tree is asked");
    }
}

#[tokio::test]
async fn a_published_file_is_recognized_by_its_name() {
    let (_mirror, resolver) = offline(Platform::LinuxX64).await;
    let npm = tar_gz(&[Entry::program("package/claude", program("claude", "1"))]).unwrap();
    // Agent, file, its contents; then the version and the form that are found.
    let cases: [(&str, &str, Vec<u8>, &str, Format); 8] = [
        ("claude", "claude", program("claude", "1"), "local", Format::Program),
        ("claude", "anthropic-ai-claude-code-linux-x64-2.1.325.tgz", npm.clone(), "2.1.325", Format::TarGz),
        ("claude", "claude-code-linux-x64-2.1.325.tgz", npm.clone(), "2.1.325", Format::TarGz),
        (
            "codex",
            "codex-package-x86_64-unknown-linux-musl.tar.gz",
            codex_package("0.166.0"),
            "0.166.0",
            Format::TarGz,
        ),
        ("codex", "openai-codex-0.166.0-linux-x64.tgz", npm, "0.166.0", Format::TarGz),
        ("opencode", "opencode-linux-x64.tar.gz", b"no archive".to_vec(), "local", Format::TarGz),
        ("opencode", "opencode-linux-x64-1.18.34.tgz", vec![], "1.18.34", Format::TarGz),
        ("amp", "amp-linux-x64", program("amp", "1"), "local", Format::Program),
    ];
    for (id, name, bytes, version, format) in cases {
        let directory = TempDir::new().unwrap();
        write(directory.path(), name, &bytes);
        write(directory.path(), "README", "not it");
        for place in [directory.path().to_owned(), directory.path().join(name)] {
            let found = artifact(resolver.local(&agent(id), &place, None).unwrap());
            assert_eq!((found.version.as_str(), file(&found).format), (version, format), "{name}");
            assert_eq!(file(&found).url, Url::from_file_path(directory.path().join(name)).unwrap());
            assert_eq!((found.source, file(&found).digest.clone()), (InstallSource::Local, None));
        }
        let wanted = resolver.local(&agent(id), directory.path(), Some("latest")).unwrap();
        assert_eq!(artifact(wanted).version, version);
    }
}

#[tokio::test]
async fn the_version_asked_for_names_or_chooses_the_file() {
    let (_mirror, resolver) = offline(Platform::LinuxX64).await;
    let directory = TempDir::new().unwrap();
    for version in ["2.1.97", "2.1.325"] {
        write(directory.path(), &format!("claude-code-linux-x64-{version}.tgz"), version);
    }
    for version in ["2.1.97", "2.1.325"] {
        let found = artifact(resolver.local(&agent("claude"), directory.path(), Some(version)).unwrap());
        assert!(found.version == version && file(&found).url.path().ends_with(&format!("{version}.tgz")));
    }
    let newest = artifact(resolver.local(&agent("claude"), directory.path(), None).unwrap());
    assert_eq!(newest.version, "2.1.325");
    assert!(resolver.local(&agent("claude"), directory.path(), Some("9.9.9")).is_err());

    write(directory.path(), "amp-linux-x64", "amp");
    let named = artifact(resolver.local(&agent("amp"), directory.path(), Some("0.0.7")).unwrap());
    assert_eq!(named.version, "0.0.7");
}

#[tokio::test]
async fn checksums_beside_a_file_are_taken() {
    let (_mirror, resolver) = offline(Platform::LinuxX64).await;
    let directory = TempDir::new().unwrap();
    let bytes = program("amp", "1");
    write(directory.path(), "amp-linux-x64", &bytes);
    let sum = sha256_hex(&bytes);
    write(directory.path(), "SHA256SUMS", format!("{}  other\n{sum} *./amp-linux-x64\n", "0".repeat(64)));
    let found = artifact(resolver.local(&agent("amp"), directory.path(), None).unwrap());
    assert_eq!(file(&found).digest, super::super::checksum::sha256(&sum));

    write(directory.path(), "SHA256SUMS", format!("{sum}  other\n"));
    let error = resolver.local(&agent("amp"), directory.path(), None).unwrap_err().to_string();
    assert!(error.contains("SHA256SUMS") && error.contains("amp-linux-x64"), "{error}");
}

#[tokio::test]
async fn an_unpacked_program_is_taken_as_it_is() {
    let (_mirror, resolver) = offline(Platform::LinuxArm64Musl).await;
    let directory = TempDir::new().unwrap();
    write(directory.path(), "bin/codex", program("codex", "1"));
    write(directory.path(), "codex-package.json", r#"{"version":"0.166.0"}"#);
    let found = artifact(resolver.local(&agent("codex"), directory.path(), None).unwrap());
    assert!(matches!(&found.contents, Contents::Directory(path) if path == directory.path()), "{found:?}");
    assert_eq!((found.version.as_str(), found.entry[0].as_str()), ("0.166.0", "bin/codex"));
}

#[tokio::test]
async fn what_was_looked_for_is_reported() {
    let (_mirror, resolver) = offline(Platform::DarwinArm64).await;
    let directory = TempDir::new().unwrap();
    // For another machine.
    write(directory.path(), "opencode-linux-x64.tar.gz", "");
    let error = resolver.local(&agent("opencode"), directory.path(), None).unwrap_err().to_string();
    for expected in
        ["opencode-darwin-arm64.zip", "opencode-darwin-arm64-<version>.tgz", "tree of mirrored hosts"]
    {
        assert!(error.contains(expected), "{error}");
    }
    let absent = resolver.local(&agent("opencode"), &directory.path().join("absent"), None).unwrap_err();
    assert!(matches!(absent, SourceError::Disk { .. }), "{absent:?}");
}
