//! Debian packages: the binary, a systemd service with its user, its configuration, completions, manual pages.

use super::archive::{Archive, Mode, gzip};
use super::binary::Linkage;
use super::{Artifact, Release};
use crate::shell::root;
use anyhow::Result;
use std::collections::BTreeSet;
use std::fs;

/// Files of the checkout and their places in the package.
const FILES: [(&str, &str); 4] = [
    ("packaging/systemd/sandbox-agent.service", "usr/lib/systemd/system/sandbox-agent.service"),
    ("packaging/systemd/sysusers.conf", "usr/lib/sysusers.d/sandbox-agent.conf"),
    ("packaging/deb/config.toml", "etc/sandbox-agent/config.toml"),
    ("packaging/deb/copyright", "usr/share/doc/sandbox-agent/copyright"),
];

/// Scripts that dpkg runs.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// Writes the package of one platform; macOS has none.
pub(super) fn write(release: &Release, artifact: &Artifact) -> Result<()> {
    let Some(architecture) = artifact.platform.debian() else { return Ok(()) };
    // A pre-release sorts before its release.
    let version = release.version.replacen('-', "~", 1);
    let mut content = Content::default();
    content.files.push(("usr/bin/sandbox-agent".to_owned(), Mode::Program, artifact.bytes.clone()));
    for (source, place) in FILES {
        content.files.push((place.to_owned(), Mode::File, fs::read(root().join(source))?));
    }
    for completion in &release.extras.completions {
        // bash looks for the bare name of the command.
        let name = completion.name.strip_suffix(".bash").unwrap_or(completion.name);
        content.files.push((format!("{}/{name}", completion.folder), Mode::File, completion.script.clone()));
    }
    for (name, page) in &release.extras.manual {
        content.files.push((format!("usr/share/man/man1/{name}.gz"), Mode::File, gzip(page)?));
    }
    let changelog =
        fs::read_to_string(root().join("packaging/deb/changelog"))?.replace("@VERSION@", &version);
    content.files.push((
        "usr/share/doc/sandbox-agent/changelog.gz".to_owned(),
        Mode::File,
        gzip(changelog.as_bytes())?,
    ));
    let control = fs::read_to_string(root().join("packaging/deb/control"))?
        .replace("@VERSION@", &version)
        .replace("@ARCHITECTURE@", architecture)
        .replace("@INSTALLED_SIZE@", &content.kibibytes().to_string())
        .replace("@DEPENDS@", dependencies(artifact.linkage));
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", control_archive(&control)?),
        ("data.tar.gz", content.archive()?),
    ];
    fs::write(release.out.join(format!("sandbox-agent_{version}_{architecture}.deb")), ar(&members))?;
    Ok(())
}

/// Lines of the control file. A static binary depends on nothing.
fn dependencies(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Static => "",
        Linkage::Dynamic => "Depends: libc6, libgcc-s1\n",
    }
}

fn control_archive(control: &str) -> Result<Vec<u8>> {
    let mut archive = Archive::new();
    archive.file("control", Mode::File, control.as_bytes())?;
    archive.file("conffiles", Mode::File, b"/etc/sandbox-agent/config.toml\n")?;
    for script in SCRIPTS {
        let text = fs::read(root().join("packaging/deb").join(script))?;
        archive.file(script, Mode::Program, &text)?;
    }
    archive.finish()
}

/// The installed files.
#[derive(Default)]
struct Content {
    files: Vec<(String, Mode, Vec<u8>)>,
}

impl Content {
    fn kibibytes(&self) -> usize {
        self.files.iter().map(|(_, _, content)| content.len().div_ceil(1024)).sum()
    }

    /// dpkg wants each folder before what it holds.
    fn archive(&self) -> Result<Vec<u8>> {
        let mut archive = Archive::new();
        let folders: BTreeSet<String> = self
            .files
            .iter()
            .flat_map(|(path, _, _)| path.match_indices('/').filter_map(|(at, _)| path.get(..at)))
            .map(|folder| format!("{folder}/"))
            .collect();
        for folder in folders {
            archive.folder(&folder)?;
        }
        for (path, mode, content) in &self.files {
            archive.file(path, *mode, content)?;
        }
        archive.finish()
    }
}

/// Returns an `ar` archive with fixed times and owners.
fn ar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 100_644, content.len());
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(content);
        if content.len() % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}
