//! The files in the checkout that a debug build was made from.

use crate::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

/// Returns the files as they were when they were first asked for, and none if the inspector is not built.
pub(crate) fn files() -> &'static [File] {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    FILES.get_or_init(|| read(Path::new(env!("INSPECTOR_DIST"))).unwrap_or_default())
}

/// Reads the compressed copies in a folder. They are kept for the life of the process.
fn read(dist: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    let mut folders = vec![dist.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(name) = served_name(dist, &path) {
                let gzip: &'static [u8] = fs::read(&path)?.leak();
                let mut hasher = DefaultHasher::new();
                gzip.hash(&mut hasher);
                files.push(File {
                    path: String::leak(name),
                    etag: format!("W/\"{:016x}\"", hasher.finish()).leak(),
                    gzip,
                });
            }
        }
    }
    Ok(files)
}

/// Returns the path below `/ui/` of a compressed copy.
fn served_name(dist: &Path, copy: &Path) -> Option<String> {
    let name: PathBuf = copy.strip_prefix(dist).ok()?.with_extension("");
    (copy.extension()? == "gz").then(|| name.to_str().map(str::to_owned)).flatten()
}
