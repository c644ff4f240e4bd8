//! The layouts in which vendors publish.

use super::Mirror;
use super::archive::{Entry, program, sha256_hex, tar_gz, zip};
use anyhow::Result;
use serde_json::{Value, json};

/// Claude Code's names of platforms.
pub const CLAUDE_PLATFORMS: [&str; 6] =
    ["linux-x64", "linux-x64-musl", "linux-arm64", "linux-arm64-musl", "darwin-arm64", "darwin-x64"];
/// Codex's names of platforms, next to those of its packages in npm's registry.
pub const CODEX_TARGETS: [(&str, &str); 4] = [
    ("x86_64-unknown-linux-musl", "linux-x64"),
    ("aarch64-unknown-linux-musl", "linux-arm64"),
    ("aarch64-apple-darwin", "darwin-arm64"),
    ("x86_64-apple-darwin", "darwin-x64"),
];
/// OpenCode's names of platforms.
pub const OPENCODE_PLATFORMS: [&str; 8] = [
    "linux-x64",
    "linux-x64-baseline",
    "linux-x64-musl",
    "linux-x64-baseline-musl",
    "linux-arm64",
    "linux-arm64-musl",
    "darwin-arm64",
    "darwin-x64",
];
/// Amp's names of platforms.
pub const AMP_PLATFORMS: [&str; 4] = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"];

const CLAUDE_STORE: &str = "/downloads.claude.ai/claude-code-releases";
const CODEX_STORE: &str = "/releases.openai.com/codex/releases";
const AMP_STORE: &str = "/static.ampcode.com/cli";

impl Mirror {
    /// A version of Claude Code, as the latest and the stable one: raw programs with a manifest, and npm's packages.
    pub fn publish_claude(&self, version: &str) -> Result<()> {
        let mut platforms = serde_json::Map::new();
        for platform in CLAUDE_PLATFORMS {
            let bytes = program("claude", &format!("{version} {platform}"));
            platforms.insert(
                platform.to_owned(),
                json!({ "binary": "claude", "checksum": sha256_hex(&bytes), "size": bytes.len() }),
            );
            self.put(&format!("{CLAUDE_STORE}/{version}/{platform}/claude"), bytes.clone());
            let package = format!("@anthropic-ai/claude-code-{platform}");
            self.publish_npm(&package, version, &[Entry::program("claude", bytes)], &Value::Null)?;
        }
        let manifest = json!({ "version": version, "platforms": platforms });
        self.put(&format!("{CLAUDE_STORE}/{version}/manifest.json"), manifest.to_string());
        self.put(&format!("{CLAUDE_STORE}/latest"), format!("{version}\n"));
        self.put(&format!("{CLAUDE_STORE}/stable"), version.to_owned());
        Ok(())
    }

    /// A version of Amp, as the latest: raw programs with a checksum each, and npm's packages.
    pub fn publish_amp(&self, version: &str) -> Result<()> {
        for platform in AMP_PLATFORMS {
            let bytes = program("amp", &format!("{version} {platform}"));
            let path = format!("{AMP_STORE}/{version}/amp-{platform}");
            self.put(&format!("{path}.sha256"), format!("{}\n", sha256_hex(&bytes)));
            self.put(&path, bytes.clone());
            let package = format!("@ampcode/cli-{platform}");
            self.publish_npm(&package, version, &[Entry::program("amp", bytes)], &Value::Null)?;
        }
        self.put(&format!("{AMP_STORE}/cli-version.txt"), format!("{version}\n"));
        Ok(())
    }

    /// A version of Codex, as the latest: its package of several programs in its store, on GitHub and in npm's registry.
    pub fn publish_codex(&self, version: &str) -> Result<()> {
        let mut sums = String::new();
        let mut assets = Vec::new();
        for (target, platform) in CODEX_TARGETS {
            let files = codex_files(version, target);
            let name = format!("codex-package-{target}.tar.gz");
            let archive = tar_gz(&files)?;
            sums.push_str(&format!("{}  {name}\n", sha256_hex(&archive)));
            assets.push((name, archive));
            let vendored: Vec<Entry> = files
                .iter()
                .map(|file| Entry { path: format!("vendor/{target}/{}", file.path), ..file.clone() })
                .collect();
            self.publish_npm("@openai/codex", &format!("{version}-{platform}"), &vendored, &Value::Null)?;
        }
        self.publish_npm("@openai/codex", version, &[], &json!({ "bin": { "codex": "bin/codex.js" } }))?;
        assets.push(("codex-package_SHA256SUMS".to_owned(), sums.into_bytes()));
        for (name, bytes) in &assets {
            self.put(&format!("{CODEX_STORE}/{version}/{name}"), bytes.clone());
        }
        self.put(&format!("{CODEX_STORE}/latest"), version.to_owned());
        self.publish_github("openai/codex", &format!("rust-v{version}"), &assets);
        Ok(())
    }

    /// A version of OpenCode, as the latest: tarballs and zips on GitHub, and npm's packages.
    pub fn publish_opencode(&self, version: &str) -> Result<()> {
        let mut assets = Vec::new();
        for platform in OPENCODE_PLATFORMS {
            let bytes = program("opencode", &format!("{version} {platform}"));
            let files = [Entry::program("opencode", bytes.clone())];
            assets.push(match platform.starts_with("darwin") {
                true => (format!("opencode-{platform}.zip"), zip(&files)?),
                false => (format!("opencode-{platform}.tar.gz"), tar_gz(&files)?),
            });
            let package = format!("opencode-{platform}");
            self.publish_npm(&package, version, &[Entry::program("bin/opencode", bytes)], &Value::Null)?;
        }
        self.publish_github("anomalyco/opencode", &format!("v{version}"), &assets);
        Ok(())
    }

    /// A release, as the latest one: the API's description with digests, the files, and the page that redirects to it.
    pub fn publish_github(&self, repository: &str, tag: &str, assets: &[(String, Vec<u8>)]) {
        let site = format!("github.com/{repository}/releases");
        let described: Vec<Value> = assets
            .iter()
            .map(|(name, bytes)| {
                self.put(&format!("/{site}/download/{tag}/{name}"), bytes.clone());
                json!({
                    "name": name,
                    "size": bytes.len(),
                    "digest": format!("sha256:{}", sha256_hex(bytes)),
                    "browser_download_url": format!("https://{site}/download/{tag}/{name}"),
                })
            })
            .collect();
        let release = json!({ "tag_name": tag, "assets": described }).to_string();
        let api = format!("/api.github.com/repos/{repository}/releases");
        self.put(&format!("{api}/tags/{tag}"), release.clone());
        self.put(&format!("{api}/latest"), release);
        self.put(&format!("/{site}/tag/{tag}"), "<html></html>");
        self.put_redirect(&format!("/{site}/latest"), &format!("https://{site}/tag/{tag}"));
    }

    pub fn publish_acp_registry(&self, agents: &Value) {
        let index = json!({ "version": "1.0.0", "agents": agents });
        self.put("/cdn.agentclientprotocol.com/registry/v1/latest/registry.json", index.to_string());
    }
}

fn codex_files(version: &str, target: &str) -> Vec<Entry> {
    let about =
        json!({ "layoutVersion": 1, "version": version, "target": target, "entrypoint": "bin/codex" });
    vec![
        Entry::file("codex-package.json", about.to_string()),
        Entry::program("bin/codex", program("codex-cli", &format!("{version} {target}"))),
        Entry::program("bin/codex-code-mode-host", program("host", version)),
        Entry::program("codex-resources/bwrap", program("bwrap", version)),
        Entry::file("codex-resources/voice/model.bin", "not needed"),
        Entry::program("codex-path/rg", program("rg", version)),
    ]
}
