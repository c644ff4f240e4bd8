//! Node.js on this machine: which version it is, and whether an agent runs on it.

use sa_supervisor::{CommandSpec, Spawned, Supervisor};
use semver::{Version, VersionReq};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use thiserror::Error;
use tokio::io::AsyncReadExt;

/// Timeout of Node.js for printing its version. A slower one is not judged.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time between SIGTERM and SIGKILL for Node.js.
const GRACE: Duration = Duration::from_secs(1);
/// Bytes of a program that are read to see what runs it.
const FIRST_LINE: u64 = 128;
/// Bytes of a version.
const VERSION_BYTES: u64 = 64;

/// The reason why an agent does not run on this machine's Node.js.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NodeError {
    /// There is none.
    #[error("agent '{agent}' needs Node.js {wanted}, and there is no `node` on the search path")]
    Missing {
        agent: String,
        /// The versions it runs on.
        wanted: String,
    },
    /// Node.js has another version.
    #[error("agent '{agent}' needs Node.js {wanted}, and the one on the search path is {found}")]
    Unsuitable {
        agent: String,
        /// The versions it runs on.
        wanted: String,
        /// The one that is here.
        found: Version,
    },
}

/// The way to start node and npm.
#[derive(Debug, Clone)]
pub(crate) struct NodePrograms {
    pub(crate) supervisor: Supervisor,
    /// Directories of node and npm, as in `PATH`; the supervisor's if absent.
    pub(crate) search_path: Option<OsString>,
}

impl NodePrograms {
    /// Checks that an agent whose program is this file finds one of the versions that it runs on.
    pub(crate) async fn check(&self, agent: &str, wanted: &str, program: &Path) -> Result<(), NodeError> {
        let Ok(versions) = VersionReq::parse(wanted) else {
            tracing::warn!(agent, wanted, "versions of Node.js that make no sense are passed over");
            return Ok(());
        };
        // By their source, some agents are a script or a native program.
        if !is_script(program) {
            return Ok(());
        }
        let (agent, wanted) = (agent.to_owned(), wanted.to_owned());
        match self.version().await {
            NodeVersion::Missing => Err(NodeError::Missing { agent, wanted }),
            NodeVersion::Is(found) if !versions.matches(&found) => {
                Err(NodeError::Unsuitable { agent, wanted, found })
            }
            NodeVersion::Is(_) | NodeVersion::Unclear => Ok(()),
        }
    }

    async fn version(&self) -> NodeVersion {
        let env = self.search_path.iter().map(|path| (OsString::from("PATH"), path.clone())).collect();
        let spec = CommandSpec { args: vec!["--version".into()], env, ..CommandSpec::new("node") };
        let Ok(Spawned { process, stdin, stdout }) = self.supervisor.spawn(spec).await else {
            return NodeVersion::Missing;
        };
        drop(stdin);
        let mut text = String::new();
        let read = tokio::time::timeout(PATIENCE, stdout.take(VERSION_BYTES).read_to_string(&mut text)).await;
        process.stop(GRACE).await;
        let version = text.trim().strip_prefix('v').and_then(|number| Version::parse(number).ok());
        match (read, version) {
            (Ok(Ok(_)), Some(version)) => NodeVersion::Is(version),
            _ => NodeVersion::Unclear,
        }
    }
}

enum NodeVersion {
    Missing,
    Is(Version),
    Unclear,
}

/// Returns whether a file is a script that Node.js runs.
fn is_script(program: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(program).and_then(|file| file.take(FIRST_LINE).read_to_end(&mut head));
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    read.is_ok() && line.starts_with(b"#!") && line.windows(4).any(|word| word == b"node")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use sa_supervisor::{BaseEnv, SupervisorOptions};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn put(folder: &Path, name: &str, text: &str) {
        fs::write(folder.join(name), text).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[tokio::test]
    async fn an_older_version_is_named_and_so_is_none() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "agent", "#!/usr/bin/env -S node --x\n");
        put(folder.path(), "native", "\u{7f}ELF");
        let options = SupervisorOptions { env: BaseEnv::Inherit(Vec::new()), guardian: None };
        let supervisor = Supervisor::start(options).unwrap();
        let node = NodePrograms { supervisor: supervisor.clone(), search_path: Some(folder.path().into()) };
        let check = async |program: &str| {
            let checked = node.check("qwen", ">=22", &folder.path().join(program)).await;
            checked.map_err(|error| error.to_string())
        };
        let missing = "agent 'qwen' needs Node.js >=22, and there is no `node` on the search path";
        assert_eq!(check("agent").await, Err(missing.to_owned()));
        assert_eq!(check("native").await, Ok(()), "it runs by itself");
        put(folder.path(), "node", "#!/bin/sh\necho v20.20.2\n");
        let older = "agent 'qwen' needs Node.js >=22, and the one on the search path is 20.20.2";
        assert_eq!(check("agent").await, Err(older.to_owned()));
        for (version, fits) in [("v22.0.0", true), ("v24.1.3", true), ("nonsense", true), ("v18.0.0", false)]
        {
            put(folder.path(), "node", &format!("#!/bin/sh\necho {version}\n"));
            assert_eq!(check("agent").await.is_ok(), fits, "{version}");
        }
        supervisor.shutdown(Duration::ZERO).await;
    }

    #[test]
    fn the_catalog_names_versions_that_make_sense() {
        for agent in sa_agents::Catalog::shipped().unwrap().iter() {
            if let Some(wanted) = &agent.node {
                assert!(VersionReq::parse(wanted).is_ok(), "{}: {wanted}", agent.id);
            }
        }
    }
}
