//! The configuration file: what it may hold, and errors that point at the line.

use super::limits::LimitsTable;
use super::{SettingsError, token};
use crate::args::LogFormat;
use sa_agents::AgentDefinition;
use sa_api::ProcessConfig;
use sa_files::FilesLimits;
use sa_sessions::SessionLimits;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file's contents. Keys are the flags' names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(crate) struct ConfigFile {
    pub(super) host: Option<String>,
    pub(super) port: Option<u16>,
    pub(super) token: Option<String>,
    pub(super) token_file: Option<PathBuf>,
    pub(super) no_token: Option<bool>,
    pub(super) allow_host: Vec<String>,
    pub(super) cors_allow_origin: Vec<String>,
    pub(super) cors_allow_method: Vec<String>,
    pub(super) cors_allow_header: Vec<String>,
    pub(super) cors_allow_credentials: Option<bool>,
    pub(super) data_dir: Option<PathBuf>,
    pub(super) mirror: Option<String>,
    pub(super) npm_registry: Option<String>,
    pub(super) acp_registry: Option<String>,
    pub(super) allow_unverified: Option<bool>,
    pub(super) require_preinstall: Option<bool>,
    pub(super) clean_env: Option<bool>,
    pub(super) no_store: Option<bool>,
    pub(super) log_format: Option<LogFormat>,
    pub(super) log: Option<String>,
    pub(super) otlp_endpoint: Option<String>,
    pub(super) otlp_content: Option<bool>,
    pub(super) workspace: Option<PathBuf>,
    pub(super) fs_root: Option<PathBuf>,
    pub(super) limits: LimitsTable,
    pub(super) files: FilesLimits,
    #[serde(deserialize_with = "sa_processes::read_file_keys")]
    pub(super) processes: ProcessConfig,
    pub(super) sessions: SessionLimits,
    pub(super) agents: BTreeMap<String, AgentDefinition>,
}

/// The position of a mistake in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ConfigError {
    line: usize,
    key: Option<String>,
    message: String,
}

impl ConfigFile {
    /// Reads the file; without one nothing is said. A file that holds the token should be nobody else's to read.
    pub(super) fn read(path: Option<&Path>, warnings: &mut Vec<String>) -> Result<Self, SettingsError> {
        let Some(path) = path else { return Ok(Self::default()) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| SettingsError::UnreadableConfig(path.to_owned(), error))?;
        let file = Self::parse(&text, path).map_err(|error| SettingsError::Config(path.to_owned(), error))?;
        if file.token.is_some() {
            warnings.extend(token::exposure(path));
        }
        Ok(file)
    }

    /// Reads a file's text; relative paths in it start at the file's own directory.
    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let mut file: Self = toml::from_str(text).map_err(|error| ConfigError::locate(text, &error))?;
        let directory = path.parent().unwrap_or(Path::new(""));
        file.token_file = file.token_file.map(|path| directory.join(path));
        file.data_dir = file.data_dir.map(|path| directory.join(path));
        file.workspace = file.workspace.map(|path| directory.join(path));
        file.fs_root = file.fs_root.map(|path| directory.join(path));
        Ok(file)
    }
}

impl ConfigError {
    /// The parser's own rendering quotes the line, which may hold a secret; this one names the line and its key.
    pub(super) fn locate(text: &str, error: &toml::de::Error) -> Self {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count();
        let key = text
            .lines()
            .nth(line)
            .and_then(key_or_table)
            .map(str::to_owned)
            .filter(|key| !error.message().contains(&format!("`{key}`")));
        Self { line: line + 1, key, message: error.message().trim().replace('\n', ": ") }
    }
}

/// The key that a line sets, or the table that it opens.
fn key_or_table(line: &str) -> Option<&str> {
    let table = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    table.or_else(|| line.split_once('=').map(|(key, _)| key.trim()))
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: ", self.line)?;
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn refused(text: &str) -> String {
        ConfigFile::parse(text, Path::new("c.toml")).unwrap_err().to_string()
    }

    #[test]
    fn every_mistake_is_located_and_names_its_key() {
        let texts = [
            "port = 1\nhots = \"x\"\n",
            "\nport = \"eighty\"\n",
            "port = 70000",
            "[limits]\nlog-bytes = -1\n",
            "[agents.mine]\nbuiltin = 'nobody'\n",
            "[agents.mine]\ncommand = 'x'\ncwd = '/'\n",
            "log-format = \"xml\"",
            "port = \n",
            "port = 1\nport = 2\n",
        ];
        insta::assert_snapshot!(texts.map(refused).join("\n"));
        let message = refused("[limits]\nlog-bytes = 1\nlog-byte = 2\n");
        assert!(message.starts_with("line 3: unknown field `log-byte`, expected one of `"), "{message}");
    }

    #[test]
    fn a_secret_without_quotes_is_not_repeated() {
        let message = refused("token = s3cr3tvalue\n");
        assert!(!message.contains("s3cr3t"), "{message}");
        assert!(message.contains("line 1"), "{message}");
    }

    #[test]
    fn relative_paths_start_at_the_file() {
        let file =
            ConfigFile::parse("token-file = 't'\ndata-dir = '/d'\n", Path::new("/etc/sa/c.toml")).unwrap();
        assert_eq!(file.token_file.as_deref(), Some(Path::new("/etc/sa/t")));
        assert_eq!(file.data_dir.as_deref(), Some(Path::new("/d")));
    }
}
