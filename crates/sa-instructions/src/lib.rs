//! Hosts of the adapters for programs that play both the client and the CLI: the directory of a session, and no files.

use agent_client_protocol_schema::v1::{Error, ListSessionsResponse, SessionUpdate};
use sa_acp::Disk;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};

/// The directory of the session.
pub const PROJECT: &str = "/project";

/// The id of each new session of Claude Code.
pub const CLAUDE_SESSION: &str = "00000000-0000-4000-8000-000000000001";

/// A disk with the directory of the session and no files.
#[derive(Debug)]
pub struct Folder;

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with(PROJECT)
    }

    fn read(&self, _: &Path) -> Option<String> {
        None
    }
}

impl sa_claude::Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        Disk::is_directory(self, path)
    }

    fn list(&self, _: Option<&Path>, _: Option<&str>) -> Result<ListSessionsResponse, Error> {
        Ok(ListSessionsResponse::new(Vec::new()))
    }

    fn read(&self, _: &str, _: &Path) -> Result<Option<Vec<SessionUpdate>>, Error> {
        Ok(None)
    }

    fn mode(&self, _: &str, _: &Path) -> Option<String> {
        None
    }

    fn conversation(&self, _: &str) -> Option<String> {
        None
    }

    fn moved(&self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn delete(&self, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

impl sa_amp::Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        Disk::is_directory(self, path)
    }

    fn read(&self, path: &Path) -> Option<String> {
        Disk::read(self, path)
    }

    fn has_login(&self) -> bool {
        false
    }

    fn settings(&self) -> Result<Map<String, Value>, String> {
        Ok(Map::new())
    }

    fn project_rules(&self, _: &Path) -> Option<PathBuf> {
        None
    }
}

#[derive(Debug)]
struct OneEndpoint;

impl sa_opencode::Endpoints for OneEndpoint {
    fn next(&mut self) -> sa_opencode::Endpoint {
        sa_opencode::Endpoint { port: 1, password: "secret".to_owned() }
    }
}

pub fn claude() -> sa_claude::Host {
    sa_claude::Host {
        new_id: Box::new(|| CLAUDE_SESSION.to_owned()),
        disk: Box::new(Folder),
        plans: "/plans".into(),
        allow_bypass: false,
        is_root: false,
        any_model: false,
        token: None,
        limits: sa_claude::Limits::USUAL,
    }
}

pub fn codex() -> sa_codex::Host {
    sa_codex::Host { options: sa_codex::Options::new("codex", "/home/.codex"), disk: Box::new(Folder) }
}

pub fn opencode() -> sa_opencode::Host {
    sa_opencode::Host {
        disk: Box::new(Folder),
        endpoints: Box::new(OneEndpoint),
        home: "/home/user".into(),
        allow_bypass: false,
        limits: sa_opencode::LIMITS,
    }
}

pub fn amp() -> sa_amp::Host {
    sa_amp::Host {
        disk: Box::new(Folder),
        has_key: true,
        helper: "/helper".into(),
        allow_bypass: false,
        limits: sa_amp::LIMITS,
    }
}
