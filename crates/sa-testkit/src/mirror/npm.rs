//! npm's registry: metadata of packages, and their tarballs.

use super::archive::{Entry, tar_gz};
use super::{Mirror, normal};
use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha512};

/// The host that tarballs claim to be on, as in mirrors that repeat what the original says.
const CLAIMED: &str = "https://registry.example";

impl Mirror {
    /// Publishes a version of a package, as the latest. Its files lie beneath `package/`; `manifest` is merged into what the
    /// registry says about the version. Returns the tarball's path.
    pub fn publish_npm(
        &self,
        name: &str,
        version: &str,
        files: &[Entry],
        manifest: &Value,
    ) -> Result<String> {
        let mut entries = vec![Entry::file(
            "package/package.json",
            json!({ "name": name, "version": version }).to_string(),
        )];
        entries.extend(
            files.iter().map(|file| Entry { path: format!("package/{}", file.path), ..file.clone() }),
        );
        let tarball = tar_gz(&entries)?;
        let short = name.rsplit('/').next().unwrap_or(name);
        let path = format!("/{name}/-/{short}-{version}.tgz");
        let mut about = json!({
            "name": name,
            "version": version,
            "dist": {
                "tarball": format!("{CLAIMED}{path}"),
                "integrity": format!("sha512-{}", STANDARD.encode(Sha512::digest(&tarball))),
            },
        });
        if let (Some(about), Some(more)) = (about.as_object_mut(), manifest.as_object()) {
            about.extend(more.clone());
        }
        let path = format!("/npm{path}");
        self.put(&path, tarball);
        self.change_package(name, |package| {
            package["versions"][version] = about;
            package["dist-tags"]["latest"] = json!(version);
        });
        Ok(path)
    }

    /// Changes what the registry says about a package.
    pub fn change_package(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let mut state = self.state();
        let package = state
            .packages
            .entry(name.to_owned())
            .or_insert_with(|| json!({ "name": name, "dist-tags": {}, "versions": {} }));
        change(package);
        let bytes = package.to_string();
        state.files.insert(normal(&format!("/npm/{name}")), super::Published::Bytes(bytes.into()));
    }
}
